package shards

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anond/internal/ops/chart"
	"anond/lab/figures"
)

const (
	about = "UCI Adult's training part (30,000 people) and the synthetic hospital (30,000 to 1,000,000 people), in 1 to 16 shards by hash " +
		"of the subject: half of the people at once, 30 batches, then empty ticks until nothing more is publishable; level L2"
	paper = "The engine's own measure (shards/SCALING.md)"
)

var (
	counts   = []int{1, 2, 4, 8, 16}
	settings = []setting{{10, 5}, {5, 3}}
	sizes    = []int{30_000, 100_000, 300_000, 1_000_000}
)

// least is the smallest number of people that a scale leaves.
const least = 600

// Figures is the loss by the number of shards.
func Figures() []figures.Figure {
	return []figures.Figure{{ID: "shards", Paper: paper, Title: "Information loss by the number of shards, at an equal number of people",
		Data: about, Run: func(ctx context.Context, in figures.Input) (*figures.Result, error) {
			r, err := measure(ctx, in)
			if err != nil {
				return nil, err
			}
			return &figures.Result{Panels: r.panels(), Claims: r.claims(), Notes: notes}, nil
		}}}
}

// result is the whole measurement.
type result struct{ points []point }

// measure runs every number of people in every number of shards.
func measure(ctx context.Context, in figures.Input) (*result, error) {
	r := &result{}
	adult, err := census(in.Data, in.Rows(adultPeople, least), in.Seed)
	if err != nil {
		return nil, err
	}
	if err := r.all(ctx, in, adult); err != nil {
		return nil, err
	}
	var hospitals []int
	for _, n := range sizes {
		hospitals = append(hospitals, in.Rows(n, least))
	}
	hospitals = slices.Compact(hospitals)
	everybody, err := wards(slices.Max(hospitals), in.Seed)
	if err != nil {
		return nil, err
	}
	for _, n := range hospitals {
		if err := r.all(ctx, in, everybody.first(n)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// all adds the points of some people: at each number of shards with the same releases, and
// with releases that are as many times rarer.
func (r *result) all(ctx context.Context, in figures.Input, p *people) error {
	for _, s := range settings {
		whole := 0.0
		for _, of := range counts {
			for _, every := range slices.Compact([]int{1, of}) {
				in.Step(fmt.Sprintf("%s, %d people, k = %d, l = %d, %d shards, releases %d times rarer", p.name, p.len(), s.k, s.l, of, every))
				at, err := divide(ctx, p, s, of, every)
				if err != nil {
					return err
				}
				if of == 1 {
					whole = at.loss
				}
				at.whole = whole
				r.points = append(r.points, at)
			}
		}
	}
	return nil
}

// series are the points that belong together, in the order of measurement: of some people,
// with the same releases or with rarer ones. One shard belongs to both.
func (r *result) series(of setting) (names []string, lines map[string][]point) {
	lines = map[string][]point{}
	add := func(name string, p point) {
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], p)
	}
	for _, p := range r.points {
		if p.setting != of {
			continue
		}
		name := fmt.Sprintf("%s, %d", p.data, p.people)
		if p.shards == 1 || p.every == 1 {
			add(name, p)
		}
		if p.shards == 1 || p.every > 1 {
			add(name+rarer, p)
		}
	}
	return names, lines
}

// rarer marks the series whose releases are as many times rarer as there are shards.
const rarer = ", rarer"

var header = []string{"data", "people", "k", "l", "shards", "rarer", "people_a_shard", "ncp_interval", "relative", "difference",
	"median_bucket", "never_published", "releases", "quarantined"}

func (r *result) panels() (out []figures.Panel) {
	for i, s := range settings {
		p := figures.Panel{Name: string(rune('a' + i)), Header: header,
			Chart: chart.NewChart(fmt.Sprintf("Loss by people a shard, at an equal number of people, k = %d, l = %d", s.k, s.l),
				chart.Axis{Label: "people a shard", Log: true}, chart.Axis{Label: "loss of the whole table", Log: true})}
		names, lines := r.series(s)
		for _, name := range names {
			line := chart.Series{Name: name, Dashed: strings.HasSuffix(name, rarer)}
			for _, at := range lines[name] {
				line.Points = append(line.Points, chart.Point{X: at.each(), Y: at.loss})
				if at.shards > 1 || !line.Dashed {
					p.Rows = append(p.Rows, at.row())
				}
			}
			p.Chart.Add(line)
		}
		out = append(out, p)
	}
	return out
}

func (p point) row() []string {
	number := func(v float64) string { return figures.Number(v, 5) }
	return []string{p.data, strconv.Itoa(p.people), strconv.Itoa(p.k), strconv.Itoa(p.l), strconv.Itoa(p.shards), strconv.Itoa(p.every),
		number(p.each()), number(p.loss), number(p.relative()), number(p.difference()), strconv.Itoa(p.medianBucket),
		number(p.never), strconv.Itoa(p.releases), strconv.Itoa(p.quarantined)}
}

package attack

import (
	"fmt"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/internal/ops/chart"
	"anond/lab/attacker"
	"anond/lab/figures"
)

func (f *figure) panels() []figures.Panel {
	return []figures.Panel{f.summary(), f.swapPanel(), f.optimumPanel(), f.replayPanel()}
}

func number(v float64) string { return figures.Number(v, 4) }

// interval writes an estimate as three cells.
func interval(e attacker.Estimate) []string {
	return []string{number(e.Value), number(e.Low), number(e.High)}
}

func at(want equivclass.Requirement) string { return fmt.Sprintf("k=%d l=%d", want.K, want.L) }

// place is the first cells of each row.
func place(method string, want equivclass.Requirement, n int) []string {
	return []string{method, strconv.Itoa(want.K), strconv.Itoa(want.L), strconv.Itoa(n)}
}

// curves draws, for each row, the share of people told with at least a probability.
func curves(title string, rows []scoreRow) *chart.Chart {
	c := chart.NewChart(title, chart.Axis{Label: "probability of the most probable value", Max: 1},
		chart.Axis{Label: "share of the people told with at least that"})
	for _, r := range rows {
		line := chart.Series{Name: r.method + ", " + at(r.want), Style: chart.Line}
		for i, y := range r.Curve {
			line.Points = append(line.Points, chart.Point{X: float64(i) / 100, Y: y})
		}
		c.Add(line)
	}
	return c
}

// largestOnly are the rows of the largest samples.
func (f *figure) largestOnly() (out []scoreRow) {
	for _, r := range f.optimum {
		if r.n == f.Rows(largest, least) {
			out = append(out, r)
		}
	}
	return out
}

// summary is attack.csv: all that is told by the second and third attack.
func (f *figure) summary() figures.Panel {
	p := figures.Panel{Chart: curves("The local optimum: how surely people are told", f.largestOnly()),
		Header: []string{"method", "k", "l", "n", "share_above_5", "share_above_9", "guess", "share"}}
	for _, r := range slices.Concat(f.optimum, f.replay) {
		if r.Records == 0 { // no pool could be replayed
			continue
		}
		p.Rows = append(p.Rows, append(place(r.method, r.want, r.n), number(r.Above5.Value), number(r.Above9.Value),
			number(r.Guess.Value), number(r.Share.Value)))
	}
	return p
}

// bySize gathers points of y by series, over the size of the sample.
func bySize(title, label string, y chart.Axis, name []string, n []int, value []float64) *chart.Chart {
	y.Label = label
	c := chart.NewChart(title, chart.Axis{Label: "records", Log: true}, y)
	var order []string
	points := map[string][]chart.Point{}
	for i, s := range name {
		if points[s] == nil {
			order = append(order, s)
		}
		points[s] = append(points[s], chart.Point{X: float64(n[i]), Y: value[i]})
	}
	for _, s := range order {
		c.Add(chart.Series{Name: s, Points: points[s]})
	}
	return c
}

func (f *figure) swapPanel() figures.Panel {
	p := figures.Panel{Name: "a", Header: []string{"method", "k", "l", "n", "exchange", "unchanged", "low", "high", "trials"}}
	var names []string
	var sizes []int
	var values []float64
	for _, r := range f.swaps {
		p.Rows = append(p.Rows, append(append(append(place(r.method, r.want, r.n), r.exchange.String()), interval(r.share)...),
			strconv.Itoa(r.trials)))
		if r.exchange == attacker.InClass {
			names, sizes, values = append(names, r.method+", "+at(r.want)), append(sizes, r.n), append(values, r.share.Value)
		}
	}
	p.Chart = bySize("Exchanges of two values of a class that leave the output as it is", "share of the exchanges; 1 is no leak",
		chart.Axis{Max: 1}, names, sizes, values)
	return p
}

// scored lists scores with their intervals.
func scored(name string, rows []scoreRow) figures.Panel {
	p := figures.Panel{Name: name, Header: []string{"method", "k", "l", "n", "people", "share_above_5", "low", "high", "share_above_9", "low",
		"high", "told_above_9", "of_them_right", "low", "high", "guess", "low", "high", "share", "truth", "low", "high", "truth_by_shares",
		"gain", "low", "high"}}
	for _, r := range rows {
		p.Rows = append(p.Rows, slices.Concat(place(r.method, r.want, r.n), []string{strconv.Itoa(r.Records)}, interval(r.Above5),
			interval(r.Above9), []string{strconv.Itoa(r.Told9)}, interval(r.Right9), interval(r.Guess), []string{number(r.Share.Value)},
			interval(r.Truth), []string{number(r.TruthShare.Value)}, interval(r.Gain)))
	}
	return p
}

func (f *figure) optimumPanel() figures.Panel {
	p := scored("b", f.optimum)
	var names []string
	var sizes []int
	var values []float64
	for _, r := range f.optimum {
		names, sizes = append(names, r.method+", "+at(r.want)), append(sizes, r.n)
		values = append(values, r.Guess.Value-r.Share.Value)
	}
	p.Chart = bySize("The local optimum: right guesses above the published shares", "right guesses less what the shares give", chart.Axis{},
		names, sizes, values)
	return p
}

func (f *figure) replayPanel() figures.Panel {
	p := scored("c", f.replay)
	p.Chart = curves(fmt.Sprintf("Exact replay of pools of %d: how surely people are told", poolSize), f.replay)
	return p
}

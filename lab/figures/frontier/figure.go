package frontier

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"anond/lab/figures"
	"anond/lab/figures/dataset"
	"anond/testdata"
)

const (
	about = "UCI Adult's training part, shuffled by the seed: 15,000 records at once, 30 batches of 500, then empty ticks until nothing " +
		"more is publishable; frequency l-diversity of occupation"
	paper = "The engine's own measure (lab/docs/BENCHMARKS.md)"
)

// Figures is the frontier as a figure, at k = 10 and l = 5.
func Figures() []figures.Figure { return []figures.Figure{figure(10, 5)} }

func figure(k, l int) figures.Figure {
	run := func(ctx context.Context, in figures.Input) (*figures.Result, error) {
		r, err := Measure(ctx, Options{
			Data: adultIn(in.Data), K: k, L: l, Seed: in.Seed, Scale: in.Scale,
			Progress: func(done, all int, name string) { in.Step(fmt.Sprintf("%d/%d %s", done, all, name)) },
		})
		if err != nil {
			return nil, err
		}
		return &figures.Result{Panels: []figures.Panel{r.panel()}, Claims: r.claims(), Notes: r.notes()}, nil
	}
	return figures.Figure{ID: "frontier", Paper: paper, Title: "Utility against waiting time, policy by policy", Data: about, Run: run}
}

func (r *Result) panel() figures.Panel {
	p := figures.Panel{Chart: r.chart(), Header: []string{"policy", "max_hold", "mean hold", "mean hold streamed", "longest hold",
		"ncp_interval", "ncp", "never published", "releases", "regrouped", "unsafe"}}
	number := func(v float64) string { return figures.Number(v, 6) }
	for _, row := range r.Rows {
		p.Rows = append(p.Rows, []string{row.Policy, strconv.FormatInt(row.MaxHold, 10), number(row.MeanHold),
			number(row.MeanHoldStreamed), strconv.Itoa(row.LongestHold), number(row.NCPInterval), number(row.NCPEngine), number(row.Never),
			strconv.Itoa(row.Releases), number(row.Regrouped), strconv.FormatBool(row.Unsafe)})
	}
	return p
}

// targets are the greatest losses that the engine may have at a mean hold of at
// most one and two batches, by k and l.
var targets = map[[2]int][]float64{{10, 5}: {0.19, 0.17}, {5, 3}: {0.10, 0.08}}

// claims hold the frontier against the project's targets, if k and l have any.
func (r *Result) claims() []figures.Claim {
	var out []figures.Claim
	for i, most := range targets[[2]int{r.K, r.L}] {
		text := fmt.Sprintf("Where the streamed records wait for %d or fewer batches on average, every policy reaches a loss of at most %g.",
			i+1, most)
		out = append(out, figures.NewClaim(text, "", r.within(float64(i+1), most)))
	}
	return out
}

// within asks whether every policy has a point with at most a mean hold and a
// loss.
func (r *Result) within(hold, loss float64) figures.Finding {
	so := true
	var numbers []string
	for _, name := range PolicyNames {
		least, found := 1.0, false
		for _, row := range r.Rows {
			if row.Policy == name && row.MeanHoldStreamed <= hold {
				least, found = min(least, row.NCPInterval), true
			}
		}
		so = so && found && least <= loss
		numbers = append(numbers, fmt.Sprintf("%s %s", name, figures.Short(least)))
	}
	return figures.Found(figures.If(so), "least loss: %s", strings.Join(numbers, ", "))
}

func (r *Result) notes() []string {
	return []string{
		fmt.Sprintf("%d records, k = %d, l = %d. The loss is the mean of (hi-lo)/(max-min) over all arrived records; one that is never "+
			"published counts 1.", r.Records, r.K, r.L),
		"A Mondrian re-run for each batch is valid release by release, and unsafe across releases: no one may publish it.",
	}
}

// adultIn is the file of Adult in a source; none: the one in the program.
func adultIn(s dataset.Source) string {
	if s == "" {
		return ""
	}
	return filepath.Join(string(s), testdata.Adult)
}

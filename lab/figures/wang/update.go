package wang

import (
	"context"
	"fmt"
	"slices"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/internal/ops/chart"
	"anond/lab/figures"
	"anond/lab/literal"
	"anond/lab/topdown"
)

// update is one series of figures 5 and 6. The updates are not safe across
// releases (rule F, forbidden updates); they are only measured here.
type update struct {
	name   string
	method literal.Method
	by     equivclass.Partitioner
	params literal.Params // without Space and Threshold
	ours   bool
}

const fullName, incrementalName, i3mName = "full-update", "incremental", "i3m"

var (
	full        = update{name: fullName, method: literal.Full, by: topdown.WangCloseK{}}
	incremental = update{name: incrementalName, method: literal.Local, by: topdown.WangCloseK{}}
	i3m         = update{name: i3mName, method: literal.I3M, by: topdown.WangCloseK{}}

	updates = []update{full, incremental, i3m}
)

// improved is ours: the paper's update with a partitioner that loses less.
var improved = update{name: "incremental with extract", method: literal.Local, by: extract.Extract{}, ours: true}

// speed is C_AVG and the seconds of some updates, as lines.
type speed struct {
	of            []update
	cavg, seconds *figures.Lines
}

func newSpeed(xs []float64, of []update) speed {
	var paper, ours []string
	for _, m := range of {
		if m.ours {
			ours = append(ours, m.name)
		} else {
			paper = append(paper, m.name)
		}
	}
	return speed{of, figures.NewLines(xs, paper, ours), figures.NewLines(xs, paper, ours)}
}

// measure takes the median time of some runs, the methods in turn; ours runs once.
func (s speed) measure(ctx context.Context, i int, g growth, k, batch, runs int) error {
	times := map[string][]float64{}
	for r := range runs {
		for _, m := range s.of {
			if m.ours && r > 0 {
				continue
			}
			got, err := g.run(ctx, m, k, batch, allBatches)
			if err != nil {
				return err
			}
			if r == 0 {
				s.cavg.Add(m.name, i, got.cavg)
			}
			times[m.name] = append(times[m.name], got.seconds)
		}
	}
	for name, t := range times {
		s.seconds.Times(name, i, t)
	}
	return nil
}

// updateKs are the k of figures 5 and 6; the text names none.
var updateKs = []float64{2, 5, 10, 20, 30}

func figure5(ctx context.Context, in figures.Input) (*figures.Result, error) {
	n := in.Rows(10000, 400)
	many, err := measureMany(ctx, in, n, updateKs)
	if err != nil {
		return nil, err
	}
	return figureOfUpdates(ctx, in, newGrowth(normal(n, fixedD, levels, in.Seed), in.Seed), "normal records", many,
		append(slices.Clone(updates), improved))
}

func figure6(ctx context.Context, in figures.Input) (*figures.Result, error) {
	p, err := adult(in.Data, in.Rows(30162, 400))
	if err != nil {
		return nil, err
	}
	return figureOfUpdates(ctx, in, newGrowth(p, in.Seed), "Adult", nil, updates)
}

// batchAxis are the batches of panels c and d, in permille of the table.
var batchAxis = []float64{2, 10, 50, newShare}

// smallBatch is the batch of panels a and b, in permille of the table.
const smallBatch = 10

func figureOfUpdates(ctx context.Context, in figures.Input, g growth, what string, many *manyValues, of []update,
) (*figures.Result, error) {
	byK, byBatch, c := newSpeed(updateKs, of), newSpeed(batchAxis, of), newChoices(updateKs)
	c.many = many
	for i, k := range figures.Ints(updateKs) {
		in.Step(fmt.Sprintf("k = %d", k))
		if err := byK.measure(ctx, i, g, k, g.permille(smallBatch), 3); err != nil {
			return nil, err
		}
		if err := c.measure(ctx, i, g, k, byK.cavg); err != nil {
			return nil, err
		}
	}
	for i, share := range figures.Ints(batchAxis) {
		in.Step(fmt.Sprintf("batches of %d permille", share))
		if err := byBatch.measure(ctx, i, g, fixedK, g.permille(share), 1); err != nil {
			return nil, err
		}
	}
	in.Step("topN")
	if err := c.measureTopN(ctx, g); err != nil {
		return nil, err
	}
	at := fmt.Sprintf("%s, n = %d", what, len(g.rows))
	return &figures.Result{
		Panels: append(panelsOfUpdates(byK, byBatch, at), c.panels(at)...),
		Claims: c.claims(),
		Notes:  slices.Concat(notesOfUpdates(byK), aboutReadings),
	}, nil
}

func notesOfUpdates(byK speed) []string {
	return []string{
		"A fifth of the records is new, as in the paper. Panels a and b take batches of 1 % of the table; panels c and d vary that, up to all " +
			"at once.",
		"The captions of figures 5 and 6 are exchanged in print: the text calls figure 5 the normally distributed records, figure 6 Adult.",
		"Times are processor seconds of one thread; in panel b the median of three runs, the methods in turn; in panel d, and for " +
			"incremental with extract, of one run. Panels f, h, i, j and m have the time of up to five updates over that of the full update, " +
			"measured right before; a factor below 1.25 does not count.",
		"incremental with extract (figure 5 only: it takes minutes on Adult) is ours: the paper's update with another partitioner.",
		figures.Aside(figures.NewClaim("the incremental update is quicker than I3M.",
			"It also looks at the neighbours of each class, finds their feature points and partitions several times as many records again.",
			byK.seconds.Below(figures.Gap(0.10), incrementalName, i3mName))),
		"None of these updates may be used on people: an adversary with two releases learns from their difference (rule F, " +
			"forbidden updates). The daemon's own is measured by `anond-lab experiment frontier`.",
	}
}

func panelsOfUpdates(byK, byBatch speed, at string) []figures.Panel {
	x, b := chart.Axis{Label: "k"}, chart.Axis{Label: "batch, in permille of the table", Log: true}
	cavg, seconds := chart.Axis{Label: "C_AVG"}, chart.Axis{Label: "seconds", Log: true}
	return []figures.Panel{
		byK.cavg.Panel("a", "C_AVG by k, "+at, x, cavg),
		byK.seconds.Panel("b", "Time of the updates by k, "+at, x, seconds),
		byBatch.cavg.Panel("c", fmt.Sprintf("C_AVG by batch, k = %d, %s", fixedK, at), b, cavg),
		byBatch.seconds.Panel("d", fmt.Sprintf("Time of the updates by batch, k = %d, %s", fixedK, at), b, seconds),
	}
}

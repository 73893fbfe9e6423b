package wang

import (
	"context"
	"fmt"
	"slices"

	"anond/internal/ops/chart"
	"anond/lab/figures"
)

// topNAxis are the numbers of similar sets that a new record brings in.
var topNAxis = []float64{1, 2, 4, 8, 16, 32}

// settings are what the time claim is judged under.
var settings = []setting{
	{onePercent, stored, nearest8}, {onePercent, stored, nearest1}, {onePercent, plain, nearest8}, {onePercent, plain, nearest1},
	{onePercent, plain, exists8}, {onePercent, plain, exists1}, {onePercent, plain, everyJ}, {onePercent, plain, byClass},
	{onePercent, plain, global},
	{everyK, stored, nearest8}, {everyK, plain, nearest1}, {everyK, plain, exists1}, {everyK, plain, global},
	{atOnce, stored, nearest8}, {atOnce, plain, nearest1}, {atOnce, plain, exists1},
}

// choices is what the choices change that the paper leaves open.
type choices struct {
	cavg, cavgByTopN   *figures.Lines // batches of 1 %
	ratios, ratiosTopN *ratios
	many               *manyValues // nil where the table is given
}

func newChoices(ks []float64) *choices {
	names := []string{fullName, i3mName}
	for _, r := range readings {
		names = append(names, r.name)
	}
	return &choices{cavg: figures.NewLines(ks, names, nil), ratios: newRatios(ks, settings...),
		cavgByTopN: figures.NewLines(topNAxis, []string{fullName, i3mName, "nearest", "exists j"}, nil),
		ratiosTopN: newRatios(topNAxis, settingsAt(0)...)}
}

// settingsAt are those of the panel over topN.
func settingsAt(topN int) (out []setting) {
	for _, c := range []cost{stored, plain} {
		for _, r := range readingsAt(topN) {
			out = append(out, setting{onePercent, c, r})
		}
	}
	return out
}

func readingsAt(topN int) []reading {
	near, exists := nearest8, exists8
	near.name, near.params.Similar = "nearest", topN
	exists.name, exists.params.Similar = "exists j", topN
	return []reading{near, exists}
}

// measure takes the i-th k. Panel a has C_AVG of the methods and of our reading.
func (c *choices) measure(ctx context.Context, i int, g growth, k int, a *figures.Lines) error {
	c.cavg.Add(fullName, i, a.Of(fullName).Values()[i])
	c.cavg.Add(i3mName, i, a.Of(i3mName).Values()[i])
	c.cavg.Add(nearest8.name, i, a.Of(incrementalName).Values()[i])
	if err := measureCAVG(ctx, c.cavg, i, g, k, under(readings[1:])); err != nil {
		return err
	}
	return c.ratios.measure(ctx, i, g, k)
}

// measureTopN takes the panels over topN, after those by k.
func (c *choices) measureTopN(ctx context.Context, g growth) error {
	at := slices.Index(updateKs, fixedK)
	for i, topN := range figures.Ints(topNAxis) {
		for _, name := range []string{fullName, i3mName} {
			c.cavgByTopN.Add(name, i, c.cavg.Of(name).Values()[at])
		}
		if err := measureCAVG(ctx, c.cavgByTopN, i, g, fixedK, under(readingsAt(topN))); err != nil {
			return err
		}
		c.ratiosTopN.of = settingsAt(topN)
		if err := c.ratiosTopN.measure(ctx, i, g, fixedK); err != nil {
			return err
		}
	}
	return nil
}

// under is the incremental update under some readings.
func under(readings []reading) (out []update) {
	for _, r := range readings {
		out = append(out, r.update(stored.by))
	}
	return out
}

func measureCAVG(ctx context.Context, l *figures.Lines, i int, g growth, k int, of []update) error {
	for _, m := range of {
		got, err := g.run(ctx, m, k, onePercent.of(g, k), allBatches)
		if err != nil {
			return err
		}
		l.Add(m.name, i, got.cavg)
	}
	return nil
}

// panels are those of the choices, from the letter e on.
func (c *choices) panels(at string) []figures.Panel {
	k, topN := chart.Axis{Label: "k"}, chart.Axis{Label: "topN", Log: true}
	cavg, share := chart.Axis{Label: "C_AVG"}, chart.Axis{Label: "records partitioned anew, over the full update's"}
	ratio := chart.Axis{Label: "time over the full update's", Log: true}
	panels := []figures.Panel{
		c.cavgByTopN.Panel("e", fmt.Sprintf("C_AVG by topN, k = %d, batches of 1 %%, %s", fixedK, at), topN, cavg),
		c.ratiosTopN.times[onePercent.name].Panel("f", fmt.Sprintf("Time by topN, k = %d, batches of 1 %%, %s", fixedK, at), topN, ratio),
		c.cavg.Panel("g", "C_AVG by k under each reading, batches of 1 %, "+at, k, cavg),
		c.ratios.times[onePercent.name].Panel("h", "Time by k under each reading, batches of 1 %, "+at, k, ratio),
		c.ratios.times[everyK.name].Panel("i", "Time by k, an update for every k records, "+at, k, ratio),
		c.ratios.times[atOnce.name].Panel("j", "Time by k, all new records in one update, "+at, k, ratio),
		c.ratios.reach.Panel("k", "How much of the table an update partitions anew, "+at, k, share),
	}
	if c.many != nil {
		panels = append(panels, c.many.panels()...)
	}
	return panels
}

// manyValues is the table of figure 5 with more values an attribute: of those
// the paper says nothing either.
type manyValues struct {
	n      int
	cavg   *figures.Lines
	ratios *ratios
}

// valuesMany is how many values an attribute has there.
const valuesMany = 1000

func measureMany(ctx context.Context, in figures.Input, n int, ks []float64) (*manyValues, error) {
	g := newGrowth(normal(n, fixedD, valuesMany, in.Seed), in.Seed)
	m := &manyValues{n: n, cavg: figures.NewLines(ks, []string{fullName, i3mName, nearest8.name, nearest1.name}, nil),
		ratios: newRatios(ks, setting{onePercent, stored, nearest1}, setting{onePercent, plain, nearest8}, setting{onePercent, plain, nearest1},
			setting{onePercent, plain, exists1})}
	for i, k := range figures.Ints(ks) {
		in.Step(fmt.Sprintf("%d values, k = %d", valuesMany, k))
		if err := measureCAVG(ctx, m.cavg, i, g, k, append([]update{full, i3m}, under([]reading{nearest8, nearest1})...)); err != nil {
			return nil, err
		}
		if err := m.ratios.measure(ctx, i, g, k); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *manyValues) panels() []figures.Panel {
	at, k := fmt.Sprintf("normal records with %d values an attribute, n = %d", valuesMany, m.n), chart.Axis{Label: "k"}
	return []figures.Panel{
		m.cavg.Panel("l", "C_AVG by k, batches of 1 %, "+at, k, chart.Axis{Label: "C_AVG"}),
		m.ratios.times[onePercent.name].Panel("m", "Time by k, batches of 1 %, "+at, k,
			chart.Axis{Label: "time over the full update's", Log: true}),
	}
}

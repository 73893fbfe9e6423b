package frontier

import (
	"fmt"
	"io"
	"slices"

	"anond/internal/ops/chart"
)

// WriteSVG draws the frontier.
func (r *Result) WriteSVG(w io.Writer) error { return r.chart().WriteSVG(w) }

// chart is what is lost against how long people wait, of the first seed.
func (r *Result) chart() *chart.Chart {
	c := chart.NewChart(fmt.Sprintf("Utility frontier: %s, k = %d, l = %d", r.title, r.K, r.L),
		chart.Axis{Label: fmt.Sprintf("mean hold of streamed records, in batches of %d", r.batch)},
		chart.Axis{Label: "mean (hi-lo)/(max-min); never published = 1"})
	c.Note = fmt.Sprintf("%d records, seed %d; levels: all records partitioned at once", r.Records, r.Seed)
	byPolicy := map[string][]chart.Point{}
	var order []string
	for _, row := range r.Rows {
		if row.Seed != r.Seed {
			continue
		}
		name := row.Policy
		if row.Unsafe {
			name += " (unsafe)"
		}
		if byPolicy[name] == nil {
			order = append(order, name)
		}
		byPolicy[name] = append(byPolicy[name], chart.Point{X: row.MeanHoldStreamed, Y: row.NCPInterval})
	}
	for _, name := range order {
		s := chart.Series{Name: name, Points: byPolicy[name]}
		if !slices.Contains(PolicyNames, name) { // a level to compare with
			s.Style, s.Dashed = chart.Level, true
		}
		c.Add(s)
	}
	return c
}

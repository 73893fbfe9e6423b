// Package trialpage writes what a trial says as a page with pictures, for the owner of the data.
//
// Guarantee: one HTML page that loads nothing, runs nothing and is marked as private wherever it is printed. It has the figures of
// the report (package trial) and no others; the same report gives the same bytes.
//
// Method: bars and curves are drawn where they can differ. Where all buckets have the same size, a sentence says so.
package trialpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"anond/internal/ops/chart"
	"anond/internal/ops/present"
	"anond/internal/trial"
)

//go:embed page.html.tmpl
var source string

//go:embed style.css
var style string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"bar": bar, "count": present.Count,
	"percent": func(share float64) float64 { return 100 * share },
	"of":      func(part, all int) float64 { return float64(part) / float64(all) }}).Parse(source))

// bar draws a value from 0 to the largest of all.
func bar(colour string, value, most float64, format string, text any) template.HTML {
	return template.HTML(fmt.Sprintf(`<span class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">`+
		`<rect class="%s" width="%.1f" height="10"/></svg><span>`+format+`</span></span>`, colour, 100*value/max(most, 1e-9), text))
}

// model is what the template writes.
type model struct {
	*trial.Report
	Style    template.CSS
	Colours  []string // in pictures, of the outcomes that publish something: charts take them in this order
	Longest  float64  // loss
	Charts   []present.Picture
	SameSize float64 // of all buckets; 0: they differ, or there are none
}

// Write writes the page.
func Write(w io.Writer, r *trial.Report) error {
	m := &model{Report: r, Style: template.CSS(present.Page + style + present.ChartStyle)}
	published := 0
	for _, o := range r.Outcomes {
		m.Colours = append(m.Colours, "")
		if o.Classes != nil {
			m.Colours[len(m.Colours)-1] = fmt.Sprintf("s%d", published)
			published++
		}
		for _, l := range o.Losses {
			m.Longest = max(m.Longest, l.Loss)
		}
	}
	var err error
	if m.Charts, err = present.Pictures(m.charts()); err != nil {
		return err
	}
	return page.Execute(w, m)
}

// charts are curves: the size or the error of each twentieth of people, or of counts, from the least to the largest.
func (m *model) charts() (out []*chart.Chart) {
	first := m.Released()
	if first == nil {
		return nil
	}
	if first.Buckets != nil {
		var c *chart.Chart
		c, m.SameSize = m.draw("Size of buckets", "percent of people in such or smaller ones", 1,
			func(o *trial.Outcome) []float64 { return o.Buckets.Curve })
		out = append(out, c)
	}
	for i, s := range first.Sensitive {
		c, _ := m.draw(s.Name+": percent that counts are off by", "percent of random counts", 100, func(o *trial.Outcome) []float64 {
			curve := o.Sensitive[i].Error.Curve
			return curve[:max(0, len(curve)-1)] // the largest error of all would take the room of the others
		})
		out = append(out, c)
	}
	return out
}

// draw makes a chart; nil if the values are the same everywhere.
func (m *model) draw(title, x string, unit float64, curve func(*trial.Outcome) []float64) (c *chart.Chart, same float64) {
	var columns []present.Column[int]
	var all []float64
	for i := range m.Outcomes {
		if o := &m.Outcomes[i]; o.Classes != nil {
			values := curve(o)
			all = append(all, values...)
			columns = append(columns, present.Column[int]{Name: o.Name, Value: func(percent int) float64 {
				if percent/5 < len(values) {
					return unit * values[percent/5]
				}
				return -1 // none
			}})
		}
	}
	if len(all) == 0 || slices.Min(all) == slices.Max(all) {
		return nil, append(all, 0)[0]
	}
	var percents []int
	for at := range 21 {
		percents = append(percents, 5*at)
	}
	return present.Draw(title, x, percents, func(percent int) float64 { return float64(percent) }, columns...), 0
}

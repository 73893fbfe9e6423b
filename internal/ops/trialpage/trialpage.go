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
	"strings"

	"anond/internal/ops/chart"
	"anond/internal/ops/present"
	"anond/internal/trial"
)

//go:embed page.html.tmpl
var source string

//go:embed style.css
var style string

var page = template.Must(template.New("page").Parse(source))

// model is what the template writes.
type model struct {
	*trial.Report
	Style     template.CSS
	Settings  []setting
	Rows      []row
	Refusals  []bars
	Losses    []bars
	Longest   string // bar of a loss
	Charts    []present.Picture
	SameSize  string // in words; empty: buckets differ, or there are none
	Crosstabs []crosstab
}

// setting is a column: its name, what it is if that is a letter, and its colour in pictures if it publishes something.
type setting struct{ Name, Long, Colour string }

type row struct {
	Name  string
	Cells []string
}

// bars are one or more values of a name, drawn from 0 to the largest of all.
type bars struct {
	Name, Note string
	Bars       []bar
}

type bar struct{ Colour, Width, Text string }

// crosstab is a relation as the page shows it.
type crosstab struct {
	*trial.Relation
	Told string
	Body []crossRow
}

type crossRow struct {
	Name  string
	Cells [][]bar // by column: of the records, and of each release
}

// Write writes the page.
func Write(w io.Writer, r *trial.Report) error {
	m := &model{Report: r, Style: template.CSS(present.Colours + style + present.ChartStyle)}
	m.settings()
	for _, f := range r.Figures() {
		m.Rows = append(m.Rows, row{f.Name, f.Cells})
	}
	most := 0
	for _, x := range r.Refused {
		most = max(most, x.Lines)
	}
	for _, x := range r.Refused {
		name := string(x.Reason)
		if x.Attribute != "" {
			name += " of " + x.Attribute
		}
		m.Refusals = append(m.Refusals, bars{name, fmt.Sprintf("first in line %d. %s", x.First, x.Do),
			[]bar{barOf("bad", float64(x.Lines), float64(most), present.Count(x.Lines))}})
	}
	m.losses()
	m.crosstabs()
	var err error
	if m.Charts, err = present.Pictures(m.charts()); err != nil {
		return err
	}
	return page.Execute(w, m)
}

// settings names the outcomes, and gives those that publish something a colour: charts take them in this order.
func (m *model) settings() {
	names, lettered := m.Names()
	published := 0
	for i, o := range m.Outcomes {
		s := setting{Name: names[i]}
		if lettered {
			s.Long = o.Setting
		}
		if o.Classes != nil {
			s.Colour = fmt.Sprintf("s%d", published)
			published++
		}
		m.Settings = append(m.Settings, s)
	}
}

func barOf(colour string, value, most float64, text string) bar {
	return bar{colour, fmt.Sprintf("%.1f", 100*value/max(most, 1e-9)), text}
}

func (m *model) losses() {
	most := 0.
	for _, o := range m.Outcomes {
		for _, l := range o.Losses {
			most = max(most, l.Loss)
		}
	}
	m.Longest = fmt.Sprintf("%.3f", most)
	for i, o := range m.Outcomes {
		for j, l := range o.Losses {
			if j == len(m.Losses) {
				m.Losses = append(m.Losses, bars{Name: l.Name})
			}
			m.Losses[j].Bars = append(m.Losses[j].Bars, barOf(m.Settings[i].Colour, l.Loss, most, fmt.Sprintf("%.3f", l.Loss)))
		}
	}
}

func (m *model) crosstabs() {
	for i := range m.Relations {
		r := &m.Relations[i]
		c := crosstab{Relation: r}
		var told []string
		for _, x := range r.Releases {
			told = append(told, fmt.Sprintf("%.2f (%s)", x.Strength, m.Settings[x.Outcome].Name))
		}
		c.Told = strings.Join(told, ", ")
		for y, name := range r.Rows {
			line := crossRow{Name: name}
			for k := range r.Columns {
				cell := []bar{barOf("truth", r.Shares[y][k], 1, fmt.Sprintf("%.0f", 100*r.Shares[y][k]))}
				for _, x := range r.Releases {
					cell = append(cell, barOf(m.Settings[x.Outcome].Colour, x.Shares[y][k], 1, fmt.Sprintf("%.0f", 100*x.Shares[y][k])))
				}
				line.Cells = append(line.Cells, cell)
			}
			c.Body = append(c.Body, line)
		}
		m.Crosstabs = append(m.Crosstabs, c)
	}
}

// charts are curves: the percent of people, or of counts, up to a size or an error. One without two different values is left out.
func (m *model) charts() (out []*chart.Chart) {
	draw := func(title, label string, whole bool, scale float64, curve func(*trial.Outcome) []float64) (same float64) {
		c, most, differ := chart.NewChart(title, chart.Axis{Label: label, Whole: whole}, chart.Axis{Min: 0, Max: 100}), 0., false
		for i := range m.Outcomes {
			values := curve(&m.Outcomes[i])
			if len(values) == 0 {
				continue
			}
			s := chart.Series{Name: m.Settings[i].Name, Style: chart.Line}
			last := len(values) - 1
			for at, v := range values {
				if at == last && v > 3*values[at-1] && !whole {
					break // the largest error of all would take the room of the others
				}
				s.Points = append(s.Points, chart.Point{X: scale * v, Y: 100 * float64(at) / float64(last)})
				most, differ = max(most, scale*v), differ || v != values[0] || same != 0 && v != same
			}
			same = values[0]
			c.Add(s)
		}
		if differ {
			c.X.Max = most
			out = append(out, c)
			return 0
		}
		return same
	}
	n := draw("Percent of people in buckets of at most so many people", "people in the bucket", true, 1, func(o *trial.Outcome) []float64 {
		if o.Buckets == nil {
			return nil
		}
		return o.Buckets.Curve
	})
	if n > 0 {
		m.SameSize = fmt.Sprintf("Every bucket has %.0f people.", n)
	}
	for i, name := range m.Sensitive() {
		draw(name+": percent of random counts that are off by at most", "percent off", false, 100, func(o *trial.Outcome) []float64 {
			if len(o.Sensitive) == 0 {
				return nil
			}
			return o.Sensitive[i].Error.Curve
		})
	}
	return out
}

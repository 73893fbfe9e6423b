package main

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"anond/internal/ops/chart"
)

// quantity is one line of a panel.
type quantity struct {
	name string
	of   func(row) float64
}

// panel is one of the charts, all over the same time.
type panel struct {
	title, unit string
	perRelease  bool // one point for each release, not for each sample
	lines       []quantity
}

const million = 1e6

// known leaves a point out of which nothing is known yet.
func known(n int64) float64 {
	if n == 0 {
		return math.NaN()
	}
	return float64(n)
}

var panels = []panel{
	{"Memory", "MB", false, []quantity{
		{"resident", func(r row) float64 { return float64(r.RSS) / million }},
		{"most resident so far", func(r row) float64 { return float64(r.Peak) / million }},
		{"heap after collection", func(r row) float64 { return known(r.Heap) / million }}}},
	{"Descriptors, goroutines, threads", "number", false, []quantity{
		{"file descriptors", func(r row) float64 { return float64(r.Descriptors) }},
		{"goroutines", func(r row) float64 { return known(r.Goroutines) }},
		{"threads", func(r row) float64 { return float64(r.Threads) }}}},
	{"Files", "MB", false, []quantity{
		{"state file", func(r row) float64 { return float64(r.State) / million }},
		{"newest release", func(r row) float64 { return float64(r.Disk) / million }}}},
	{"Records", "millions", false, []quantity{
		{"sent", func(r row) float64 { return float64(r.Fed) / million }},
		{"published", func(r row) float64 { return float64(r.Published) / million }},
		{"pending", func(r row) float64 { return float64(r.Pending) / million }},
		{"not applied yet", func(r row) float64 { return float64(r.Fed-r.Sent) / million }}}},
	{"Time of a release", "seconds", true, []quantity{{"render, gate, publish", func(r row) float64 { return float64(r.Millis) / 1000 }}}},
	{"Loss", "NCP", true, []quantity{{"published cells", func(r row) float64 { return r.NCP }}}},
	{"People who are new in a release", "thousands", true, []quantity{
		{"newcomers", func(r row) float64 { return float64(r.Newcomers) / 1000 }}}},
	{"Processor time", "seconds", false, []quantity{{"user and kernel", func(r row) float64 { return r.CPU }}}},
}

// The size of a chart, and how many stand side by side.
const (
	chartWidth  = 840
	chartHeight = 480
	across      = 2
)

// draw writes all panels as one picture.
func draw(w io.Writer, rows []row) error {
	down := (len(panels) + across - 1) / across
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		across*chartWidth, down*chartHeight, across*chartWidth/2, down*chartHeight/2)
	for i, p := range panels {
		fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">\n", i%across*chartWidth, i/across*chartHeight)
		if err := p.chart(rows).WriteSVG(&b); err != nil {
			return err
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (p panel) chart(rows []row) *chart.Chart {
	c := chart.NewChart(p.title, chart.Axis{Label: "minutes"}, chart.Axis{Label: p.unit})
	for _, q := range p.lines {
		s := chart.Series{Name: q.name, Style: chart.Line}
		var seen uint32
		for _, r := range rows {
			if p.perRelease && r.Release == seen {
				continue
			}
			seen = r.Release
			s.Points = append(s.Points, chart.Point{X: r.Seconds / 60, Y: q.of(r)})
		}
		c.Add(s)
	}
	return c
}

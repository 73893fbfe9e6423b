package present

import (
	_ "embed"
	"html/template"
	"strings"

	"anond/internal/ops/chart"
	"anond/internal/ops/monitor"
)

// ChartStyle is the style of charts. It needs the colours --line, --soft, --text and
// --s0 to --s3.
//
//go:embed chart.css
var ChartStyle string

// Page has the colours of a page, light and dark, which ChartStyle needs, and what looks the same on all of them.
//
//go:embed page.css
var Page string

// Picture is a chart with its title, for a page.
type Picture struct {
	Title string
	SVG   template.HTML
}

// Pictures draws charts, but for those that have nothing to show (nil).
func Pictures(charts []*chart.Chart) ([]Picture, error) {
	var out []Picture
	for _, c := range charts {
		if c == nil {
			continue
		}
		var b strings.Builder
		if err := c.WriteInline(&b); err != nil {
			return nil, err
		}
		out = append(out, Picture{c.Title, template.HTML(b.String())}) // package chart escapes every text
	}
	return out, nil
}

// Column is a series over releases or samples.
type Column[T any] struct {
	Name   string
	Dashed bool
	Value  func(T) float64
}

// pointsShown bounds the points of a line; more would not be seen.
const pointsShown = 120

// thinned takes some of a list, evenly, and always the last.
func thinned[T any](list []T) []T {
	step := (len(list) + pointsShown - 1) / pointsShown
	if step <= 1 {
		return list
	}
	var out []T
	for i := (len(list) - 1) % step; i < len(list); i += step {
		out = append(out, list[i])
	}
	return out
}

// Draw makes a chart whose Y axis begins at 0; nil of fewer than two entries: one is no line, and the figures have it.
func Draw[T any](title, xLabel string, list []T, x func(T) float64, columns ...Column[T]) *chart.Chart {
	if len(list) < 2 {
		return nil
	}
	c := chart.NewChart(title, chart.Axis{Label: xLabel}, chart.Axis{})
	list = thinned(list)
	most := 0.
	for _, col := range columns {
		s := chart.Series{Name: col.Name, Dashed: col.Dashed, Style: chart.Line}
		for _, e := range list {
			if y := col.Value(e); y >= 0 {
				s.Points, most = append(s.Points, chart.Point{X: x(e), Y: y}), max(most, y)
			}
		}
		c.Add(s)
	}
	c.Y.Max = 1.1 * most
	if most == 0 {
		c.Y.Max = 1
	}
	return c
}

// OfReleases are the charts over releases. The smallest class and the largest share of a value have none: k and 1/l
// bound them, so that their lines would be flat.
func OfReleases(list []monitor.Release) []*chart.Chart {
	type R = monitor.Release
	releases := func(title string, columns ...Column[R]) *chart.Chart {
		c := Draw(title, "release", list, func(r R) float64 { return float64(r.Number) }, columns...)
		if c != nil {
			c.X.Whole = true
		}
		return c
	}
	trend := trendOf(list)
	return []*chart.Chart{
		releases("Releases over time", Column[R]{"published", false, func(r R) float64 { return float64(r.Records) }},
			Column[R]{"waiting then", false, func(r R) float64 { return float64(r.Pending) }}),
		releases("Information loss", Column[R]{"loss", false, func(r R) float64 { return r.NCP }},
			Column[R]{"mean of ten releases", true, func(r R) float64 { return trend[r.Number] }}),
	}
}

// trendOf is the mean loss of each release and the nine before it.
func trendOf(list []monitor.Release) map[uint32]float64 {
	out := map[uint32]float64{}
	for i, r := range list {
		from := max(0, i-9)
		for _, x := range list[from : i+1] {
			out[r.Number] += x.NCP / float64(i+1-from)
		}
	}
	return out
}

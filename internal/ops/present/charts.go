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

// Picture is a chart with its title, for a page.
type Picture struct {
	Title string
	SVG   template.HTML
}

// Pictures draws charts.
func Pictures(charts []*chart.Chart) ([]Picture, error) {
	var out []Picture
	for _, c := range charts {
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

// Draw makes a chart whose Y axis begins at 0.
func Draw[T any](title, xLabel string, list []T, x func(T) float64, columns ...Column[T]) *chart.Chart {
	c := chart.NewChart(title, chart.Axis{Label: xLabel}, chart.Axis{})
	if list = thinned(list); len(list) == 1 {
		c.X.Min, c.X.Max = x(list[0])-1, x(list[0])+1
	}
	most := 0.
	for _, col := range columns {
		s := chart.Series{Name: col.Name, Dashed: col.Dashed, Style: chart.Line}
		if len(list) < 2 {
			s.Style = chart.Points
		}
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

// OfReleases are the charts over releases, with what is promised.
func OfReleases(list []monitor.Release, k int) []*chart.Chart {
	type R = monitor.Release
	number := func(r R) float64 { return float64(r.Number) }
	releases := func(title string, columns ...Column[R]) *chart.Chart {
		c := Draw(title, "release", list, number, columns...)
		c.X.Whole = true
		return c
	}
	trend := trendOf(list)
	return []*chart.Chart{
		releases("Releases over time", Column[R]{"published", false, func(r R) float64 { return float64(r.Records) }},
			Column[R]{"waiting then", false, func(r R) float64 { return float64(r.Pending) }}),
		releases("Information loss", Column[R]{"loss", false, func(r R) float64 { return r.NCP }},
			Column[R]{"mean of ten releases", true, func(r R) float64 { return trend[r.Number] }}),
		releases("Smallest class", Column[R]{"reached", false, func(r R) float64 { return float64(r.KMin) }},
			Column[R]{"promised: at least", true, func(R) float64 { return float64(k) }}),
		releases("Top share of a value", Column[R]{"reached", false, func(r R) float64 { return r.TopShare }},
			Column[R]{"promised: at most", true, func(r R) float64 { return r.Allowed }}),
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

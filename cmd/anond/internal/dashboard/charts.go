package dashboard

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"anond/cmd/anond/internal/chart"
	"anond/cmd/anond/internal/monitor"
)

// picture is a chart with its title.
type picture struct {
	Title string
	SVG   template.HTML
}

// pictures draws the charts.
func pictures(v *monitor.View) ([]picture, error) {
	var out []picture
	for _, c := range append(ofReleases(v), ofTime(v)...) {
		var b strings.Builder
		if err := c.WriteInline(&b); err != nil {
			return nil, err
		}
		out = append(out, picture{c.Title, template.HTML(b.String())}) // package chart escapes every text
	}
	return out, nil
}

// column is a series over releases or samples.
type column[T any] struct {
	name   string
	dashed bool
	value  func(T) float64
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

// draw makes a chart whose Y axis begins at 0.
func draw[T any](title, xLabel string, list []T, x func(T) float64, columns ...column[T]) *chart.Chart {
	c := chart.NewChart(title, chart.Axis{Label: xLabel}, chart.Axis{})
	list = thinned(list)
	most := 0.
	for _, col := range columns {
		s := chart.Series{Name: col.name, Dashed: col.dashed, Style: chart.Line}
		if len(list) < 2 {
			s.Style = chart.Points
		}
		for _, e := range list {
			if y := col.value(e); y >= 0 {
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

// ofReleases are the charts over releases.
func ofReleases(v *monitor.View) []*chart.Chart {
	type R = monitor.Release
	number := func(r R) float64 { return float64(r.Number) }
	releases := func(title string, columns ...column[R]) *chart.Chart {
		return draw(title, "release", v.Releases, number, columns...)
	}
	trend := trendOf(v.Releases)
	return []*chart.Chart{
		releases("Releases over time", column[R]{"published", false, func(r R) float64 { return float64(r.Records) }},
			column[R]{"waiting then", false, func(r R) float64 { return float64(r.Pending) }}),
		releases("Information loss", column[R]{"loss", false, func(r R) float64 { return r.NCP }},
			column[R]{"mean of ten releases", true, func(r R) float64 { return trend[r.Number] }}),
		releases("Smallest class", column[R]{"reached", false, func(r R) float64 { return float64(r.KMin) }},
			column[R]{"promised: at least", true, func(R) float64 { return float64(v.Settings.K) }}),
		releases("Top share of a value", column[R]{"reached", false, func(r R) float64 { return r.TopShare }},
			column[R]{"promised: at most", true, func(R) float64 { return 1 / float64(max(1, v.Settings.L)) }}),
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

// ofTime are the charts over time: of the last hour, and what waits of the last week if
// the process has run long enough.
func ofTime(v *monitor.View) []*chart.Chart {
	type S = monitor.Sample
	over := func(list []S, unit time.Duration, label string) func(title string, c column[S]) *chart.Chart {
		last := time.Time{}
		if len(list) > 0 {
			last = list[len(list)-1].At
		}
		return func(title string, c column[S]) *chart.Chart {
			return draw(title, label, list, func(s S) float64 { return -float64(last.Sub(s.At)) / float64(unit) }, c)
		}
	}
	hour := over(v.Hour, time.Minute, "minutes before now")
	long := hour
	if len(v.Week) >= 8 {
		long = over(v.Week, time.Hour, "hours before now")
	}
	age, unit := "oldest, seconds", 1.
	if v.Settings.HoldInCuts {
		age = "oldest, releases"
	} else if most := slices.MaxFunc(append(v.Week, S{}), func(a, b S) int { return int(a.OldestAge - b.OldestAge) }); most.OldestAge > 600 {
		age, unit = "oldest, minutes", 60
	}
	return []*chart.Chart{
		long("Records that wait", column[S]{"waiting", false, func(s S) float64 { return float64(s.Pending) }}),
		long("Age of the oldest that waits", column[S]{age, false, func(s S) float64 { return s.OldestAge / unit }}),
		hour("Throughput", column[S]{"records a second", false, func(s S) float64 { return s.Rate }}),
		hour("Lag", column[S]{"left to read", false, func(s S) float64 { return float64(s.Lag) }}),
	}
}

// sizeTable is how many groups there are of each size.
type sizeTable struct {
	Title string
	Rows  []sizeRow
}

type sizeRow struct {
	Range, Count string
	Width        string // of the bar, of 100
}

func sizeTables(v *monitor.View) (out []sizeTable) {
	for _, x := range []struct {
		what  string
		sizes map[int]int
	}{{"classes", v.Sizes.Classes}, {"buckets", v.Sizes.Buckets}} {
		if len(x.sizes) > 0 {
			out = append(out, sizeTable{fmt.Sprintf("Sizes of %s, release %d", x.what, v.Sizes.Release), sizeRows(x.sizes)})
		}
	}
	return out
}

// rowsShown is the most different sizes that are shown one by one.
const rowsShown = 8

// sizeRows joins sizes into ranges, each twice as wide as the one before, if there are
// many.
func sizeRows(sizes map[int]int) []sizeRow {
	keys := slices.Sorted(maps.Keys(sizes))
	joined := len(keys) > rowsShown
	var rows []sizeRow
	var counts []int
	for i, from := 0, keys[0]; i < len(keys); {
		to, n := from, 0
		if joined {
			to = 2*from - 1
		}
		for ; i < len(keys) && keys[i] <= to; i++ {
			n += sizes[keys[i]]
		}
		text := count(from)
		if joined {
			text += " to " + count(min(to, keys[len(keys)-1]))
		}
		rows, counts = append(rows, sizeRow{Range: text, Count: count(n)}), append(counts, n)
		if from = to + 1; !joined && i < len(keys) {
			from = keys[i]
		}
	}
	most := slices.Max(counts)
	for i := range rows {
		rows[i].Width = fmt.Sprintf("%.1f", 100*float64(counts[i])/float64(most))
	}
	return rows
}

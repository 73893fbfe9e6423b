package dashboard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"anond/equivclass"
	"anond/internal/ops/chart"
	"anond/internal/ops/monitor"
	"anond/internal/ops/present"
)

// ofTime are the charts over time: of the last hour, and what waits of the last week if
// the process has run long enough.
func ofTime(v *monitor.View) []*chart.Chart {
	type S = monitor.Sample
	over := func(list []S, unit time.Duration, label string) func(title string, c present.Column[S]) *chart.Chart {
		last := time.Time{}
		if len(list) > 0 {
			last = list[len(list)-1].At
		}
		return func(title string, c present.Column[S]) *chart.Chart {
			return present.Draw(title, label, list, func(s S) float64 { return -float64(last.Sub(s.At)) / float64(unit) }, c)
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
		long("Records that wait", present.Column[S]{Name: "waiting", Value: func(s S) float64 { return float64(s.Pending) }}),
		long("Age of the oldest that waits", present.Column[S]{Name: age, Value: func(s S) float64 { return s.OldestAge / unit }}),
		hour("Throughput", present.Column[S]{Name: "records a second", Value: func(s S) float64 { return s.Rate }}),
		hour("Lag", present.Column[S]{Name: "left to read", Value: func(s S) float64 { return float64(s.Lag) }}),
	}
}

// barTable is a table of counts with bars.
type barTable struct {
	Title, Of, Counts string // the titles of it, and of its columns
	Rows              []barRow
}

type barRow struct {
	Name, Count string
	Width       string // of the bar, of 100
}

// barTables are why records were refused, and how many groups there are of each size. Groups of one size have none:
// at level L2 each class has k records.
func barTables(v *monitor.View) (out []barTable) {
	if refused := v.Report.Machine.Refused; v.Report.Machine.DeadLetter > 0 {
		why := slices.SortedFunc(maps.Keys(refused), func(a, b equivclass.Reason) int {
			return cmp.Or(cmp.Compare(refused[b], refused[a]), cmp.Compare(a, b))
		})
		names, counts := make([]string, len(why)), make([]int, len(why))
		for i, reason := range why {
			names[i], counts[i] = string(reason), int(refused[reason])
		}
		out = append(out, barTable{"Refused records by reason", "reason", "records", bars(names, counts)})
	}
	for _, x := range []struct {
		what  string
		sizes map[int]int
	}{{"classes", v.Sizes.Classes}, {"buckets", v.Sizes.Buckets}} {
		if len(x.sizes) > 1 {
			out = append(out, barTable{fmt.Sprintf("Sizes of %s, release %d", x.what, v.Sizes.Release), "records", x.what, sizeRows(x.sizes)})
		}
	}
	return out
}

// rowsShown is the most different sizes that are shown one by one.
const rowsShown = 8

// sizeRows joins sizes into ranges, each twice as wide as the one before, if there are
// many.
func sizeRows(sizes map[int]int) []barRow {
	keys := slices.Sorted(maps.Keys(sizes))
	joined := len(keys) > rowsShown
	var names []string
	var counts []int
	for i, from := 0, keys[0]; i < len(keys); {
		to, n := from, 0
		if joined {
			to = 2*from - 1
		}
		for ; i < len(keys) && keys[i] <= to; i++ {
			n += sizes[keys[i]]
		}
		text := present.Count(from)
		if joined {
			text += " to " + present.Count(min(to, keys[len(keys)-1]))
		}
		names, counts = append(names, text), append(counts, n)
		if from = to + 1; !joined && i < len(keys) {
			from = keys[i]
		}
	}
	return bars(names, counts)
}

// bars are rows whose largest count has the widest bar.
func bars(names []string, counts []int) []barRow {
	rows, most := make([]barRow, len(names)), slices.Max(counts)
	for i, n := range counts {
		rows[i] = barRow{names[i], present.Count(n), fmt.Sprintf("%.1f", 100*float64(n)/float64(most))}
	}
	return rows
}

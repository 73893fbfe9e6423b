package permutation

import (
	"fmt"
	"slices"
	"strconv"

	"anond/internal/ops/chart"
	"anond/lab/figures"
)

// readingsPanel draws the error over anatomy's by l, of all tables together,
// under every reading. It lists how often permutation has less error and more
// than anatomy over all settings, and the same of the methods that are ours.
func readingsPanel(name string, generated, real []*sweep) figures.Panel {
	var series []*figures.Series
	highest := 1.0
	for _, r := range readings() {
		line := &figures.Series{Name: r.words(), Dashed: r.method == byTableCorners}
		for i, l := range levels {
			over := ratioAt(r, i, generated)
			highest = max(highest, over)
			line.Append(l, over)
		}
		series = append(series, line)
	}
	p := figures.Draw(name, "The readings: error over anatomy's", chart.Axis{Label: "l"},
		chart.Axis{Label: "error / anatomy's error", Max: highest * 1.02}, series)
	p.Chart.Note = "generated CENSUS; below 1 is better than anatomy"
	p.Header = []string{"method", "A_w", "settings", "less error than anatomy", "within two standard errors", "more", "over anatomy's"}
	all := append(slices.Clone(generated), real...)
	for _, method := range []struct {
		name string
		at   int
	}{{"permutation, corners of each sub-table", byPermutation}, {"permutation, corners of the table", byTableCorners},
		{"its groups, as anatomy", byItsGroups}, {"near groups (ours)", byNearGroups}} {
		for on := range condition(conditions) {
			v := compare(method.at, byAnatomy, on, all...)
			p.Rows = append(p.Rows, []string{method.name, on.String(), strconv.Itoa(v.all()), strconv.Itoa(v.less), strconv.Itoa(v.alike),
				strconv.Itoa(v.more), strconv.FormatFloat(ratio(reading{method.at, on}, all...), 'f', 3, 64)})
		}
	}
	return p
}

// ratioAt is the error over anatomy's at the i-th value of x.
func ratioAt(r reading, i int, sweeps []*sweep) float64 {
	var upper, lower float64
	for _, s := range sweeps {
		upper, lower = upper+s.mean(r, i), lower+s.mean(reading{byAnatomy, r.on}, i)
	}
	return upper / lower
}

// nearNote compares permutation-near with the paper's permutation.
func nearNote(sweeps []*sweep) string {
	text := "Permutation-near against permutation (corners of each sub-table)."
	for on := range condition(conditions) {
		text += fmt.Sprintf(" A_w is %s: %s; %.2f of anatomy's error, permutation %.2f, its groups as anatomy publishes them %.2f.", on,
			compare(byNearGroups, byPermutation, on, sweeps...), ratio(reading{byNearGroups, on}, sweeps...),
			ratio(reading{byPermutation, on}, sweeps...), ratio(reading{byItsGroups, on}, sweeps...))
	}
	return text
}

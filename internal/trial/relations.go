package trial

import (
	"cmp"
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/snapshot/readback"
)

const (
	strong    = .1 // strength from which a relation is shown
	shown     = 4  // relations
	groups    = 6  // rows and columns of a crosstab
	leastEver = 20 // people in each
	rest      = "all others"
)

// group is a row or a column of a crosstab: values that a release shows, and that enough people have.
type group struct {
	label string
	pred  query.Predicate
}

// grouped is an attribute by groups, and the group of each code; -1: in none.
type grouped struct {
	groups []group
	of     []int
}

// relations compares crosstabs of the table with those that the releases tell. The rows of numbers end at bounds of cells of the
// first release, and no row or column has fewer people than a class.
func (t *run) relations(outcomes []Outcome) (out []Relation) {
	first := slices.IndexFunc(t.releases, func(r *readback.Release) bool { return r != nil })
	if first < 0 {
		return nil
	}
	table, d := t.columns(), t.table.Schema.D()
	least := leastEver
	for _, o := range outcomes {
		least = max(least, o.K)
	}
	all := make([]grouped, len(table.Dicts))
	for j := range all {
		all[j] = t.group(j, j >= d, table, t.releases[first], least)
	}
	type pair struct{ x, y int }
	var pairs []pair
	strength := map[pair]float64{}
	for y := d; y < len(all); y++ {
		for x := range y {
			p, counts := pair{x, y}, crosstab(table, x, y, all)
			if strength[p] = cramer(counts); strength[p]*strength[p] >= strong*strong+chance(counts, table.Len()) {
				pairs = append(pairs, p)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(strength[b], strength[a]) })
	for _, p := range pairs[:min(shown, len(pairs))] {
		counts := crosstab(table, p.x, p.y, all)
		r := Relation{Attribute: table.Dicts[p.x].Attribute().Name, With: table.Dicts[p.y].Attribute().Name, Strength: rounded(strength[p]),
			Rows: labels(all[p.x].groups), Columns: labels(all[p.y].groups), Shares: shares(counts)}
		for i, release := range t.releases {
			if release == nil {
				continue
			}
			told := estimated(release, p.x, p.y, d, all)
			r.Releases = append(r.Releases, Told{Outcome: i, Strength: rounded(cramer(told)), Shares: shares(told)})
		}
		out = append(out, r)
	}
	return out
}

// group divides the values of an attribute.
func (t *run) group(j int, sensitive bool, table *equivclass.Table, r *readback.Release, least int) (out grouped) {
	d, counts := table.Dicts[j], map[string]int{}
	if !sensitive && d.Kind() == equivclass.Number {
		return ranges(j, d, r)
	}
	label := make([]string, d.Len())
	for c := range label {
		label[c] = d.Label(equivclass.Code(c))
	}
	if !sensitive && d.Kind() == equivclass.Tree {
		h := d.Attribute().Hierarchy
		for node, root := 0, h.LCA(0, equivclass.Code(h.Leaves()-1)); node < h.Nodes(); node++ {
			if node != root && h.Parent(node) == root {
				for lo, hi := h.Span(node); lo <= hi; lo++ {
					label[lo] = h.Label(node)
				}
			}
		}
	}
	for _, c := range table.Codes[j] {
		counts[label[c]]++
	}
	var kept []string
	for name, n := range counts {
		if n >= least {
			kept = append(kept, name)
		}
	}
	slices.SortFunc(kept, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	others := 0
	if len(kept) > groups {
		kept = kept[:groups-1]
	}
	for name, n := range counts {
		if !slices.Contains(kept, name) {
			others += n
		}
	}
	if others >= least {
		kept = append(kept, rest)
	}
	for _, name := range kept {
		out.groups = append(out.groups, group{name, query.Predicate{Attribute: j, Match: make([]bool, d.Len())}})
	}
	for c := range label {
		at := slices.Index(kept, label[c])
		if at < 0 && others >= least {
			at = len(kept) - 1
		}
		if out.of = append(out.of, at); at >= 0 {
			out.groups[at].pred.Match[c] = true
		}
	}
	for i := range out.groups {
		out.groups[i].pred.Count(d)
	}
	return out
}

// ranges divides numbers at quarters of the lower bounds of a release's cells, weighted by people.
func ranges(j int, d *equivclass.Dictionary, r *readback.Release) (out grouped) {
	a, bounds := d.Attribute(), []float64{}
	for i, size := range r.Sizes() {
		if r.Cells != nil && r.Cells[i][j].Lo <= r.Cells[i][j].Hi {
			bounds = append(bounds, slices.Repeat([]float64{r.Cells[i][j].Lo}, size)...)
		}
	}
	if r.Cells == nil && r.QI != nil {
		for _, c := range r.QI[j] {
			if d.Units(c) != equivclass.MissingNumber {
				bounds = append(bounds, d.Number(c))
			}
		}
	}
	slices.Sort(bounds)
	cuts := []float64{}
	for q := 1; q < 4 && len(bounds) > 0; q++ {
		if at := bounds[q*len(bounds)/4]; at > bounds[0] && !slices.Contains(cuts, at) {
			cuts = append(cuts, at)
		}
	}
	text := func(v float64) string { units, _ := a.Units(v); return a.FormatNumber(units) }
	for i := range len(cuts) + 1 {
		s, label := query.Span{Lo: math.Inf(-1), Hi: math.Inf(1), HiOpen: true}, ""
		if i > 0 {
			s.Lo, label = cuts[i-1], "from "+text(cuts[i-1])
		}
		if i < len(cuts) {
			s.Hi = cuts[i]
			if label != "" {
				label += ", "
			}
			label += "below " + text(cuts[i])
		}
		out.groups = append(out.groups, group{label, query.Predicate{Attribute: j, Match: make([]bool, d.Len()), Spans: []query.Span{s}}})
	}
	for c := range equivclass.Code(d.Len()) {
		at := -1
		if d.Units(c) != equivclass.MissingNumber {
			at = slices.IndexFunc(out.groups, func(g group) bool { return query.SpansHold(g.pred.Spans, d.Number(c)) })
		}
		if out.of = append(out.of, at); at >= 0 {
			out.groups[at].pred.Match[c] = true
		}
	}
	return out
}

// crosstab counts the records of a table.
func crosstab(t *equivclass.Table, x, y int, all []grouped) [][]float64 {
	out := empty(len(all[x].groups), len(all[y].groups))
	for r, c := range t.Codes[x] {
		if i, k := all[x].of[c], all[y].of[t.Codes[y][r]]; i >= 0 && k >= 0 {
			out[i][k]++
		}
	}
	return out
}

// estimated asks a release for the same counts.
func estimated(r *readback.Release, x, y, d int, all []grouped) [][]float64 {
	out := empty(len(all[x].groups), len(all[y].groups))
	var from query.Estimator
	at := y
	if x < d {
		from, at = r.Each()[y-d].Estimator(), d
	} else if joint, ok := r.Joint(); ok {
		from = joint
	} else {
		return out
	}
	for i, a := range all[x].groups {
		for k, b := range all[y].groups {
			b.pred.Attribute = at
			out[i][k] = max(0, from.Estimate(&query.Bound{Sum: -1, Preds: []query.Predicate{a.pred, b.pred}}).Estimate)
		}
	}
	return out
}

func empty(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
	}
	return out
}

// cramer is Cramér's V of a crosstab: 0 without any relation, 1 where one attribute tells the other.
func cramer(counts [][]float64) float64 {
	var all float64
	if len(counts) < 2 || len(counts[0]) < 2 {
		return 0
	}
	rows, columns := make([]float64, len(counts)), make([]float64, len(counts[0]))
	for i, row := range counts {
		for k, n := range row {
			rows[i], columns[k], all = rows[i]+n, columns[k]+n, all+n
		}
	}
	var chi2 float64
	for i, row := range counts {
		for k, n := range row {
			if expected := rows[i] * columns[k] / all; expected > 0 {
				chi2 += (n - expected) * (n - expected) / expected
			}
		}
	}
	return math.Sqrt(chi2 / max(1, all) / float64(min(len(rows), len(columns))-1))
}

// chance is the square of cramer that so many records without any relation have in the mean.
func chance(counts [][]float64, records int) float64 {
	if len(counts) < 2 || len(counts[0]) < 2 {
		return 1
	}
	return float64(max(len(counts), len(counts[0]))-1) / float64(records)
}

// shares are those of each row.
func shares(counts [][]float64) [][]float64 {
	out := empty(len(counts), len(counts[0]))
	for i, row := range counts {
		var sum float64
		for _, n := range row {
			sum += n
		}
		for k, n := range row {
			if sum > 0 {
				out[i][k] = math.Round(n/sum*1e3) / 1e3
			}
		}
	}
	return out
}

func labels(of []group) (out []string) {
	for _, g := range of {
		out = append(out, g.label)
	}
	return out
}

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

// grouped is an attribute by the rows or columns of a crosstab: values that a release shows, and that enough people have.
type grouped struct {
	labels []string
	preds  []query.Predicate
	of     []int // group of each code; -1: in none
}

// relations compares crosstabs of the table with those that the releases tell. The rows of numbers end at bounds of cells of the
// first release, and no row or column has fewer people than a class.
func (t *run) relations(outcomes []Outcome) (out []relation) {
	first := slices.IndexFunc(t.releases, func(r *readback.Release) bool { return r != nil })
	if first < 0 {
		return nil
	}
	d, least := t.table.Schema.D(), leastEver
	for _, o := range outcomes {
		least = max(least, o.K)
	}
	var all []grouped
	for j := range t.columns.Dicts {
		all = append(all, t.group(j, t.releases[first], least))
	}
	for y := d; y < len(all); y++ {
		for x := range y {
			counts := t.crosstab(x, y, all)
			strength := cramer(counts)
			// Its square would be chance without any relation, in the mean.
			chance := float64(max(len(all[x].labels), len(all[y].labels))-1) / float64(t.columns.Len())
			if strength*strength >= strong*strong+chance {
				out = append(out, relation{x: x, y: y, Attribute: t.columns.Dicts[x].Attribute().Name, With: t.columns.Dicts[y].Attribute().Name,
					Strength: rounded(strength), Rows: all[x].labels, Columns: all[y].labels, Shares: shares(counts)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b relation) int { return cmp.Compare(b.Strength, a.Strength) })
	out = out[:min(shown, len(out))]
	for n := range out {
		for i, release := range t.releases {
			if release != nil {
				counts := estimated(release, out[n].x, out[n].y, d, all)
				out[n].Releases = append(out[n].Releases, told{Outcome: i, Strength: rounded(cramer(counts)), Shares: shares(counts)})
			}
		}
	}
	return out
}

// group divides the values of an attribute: numbers that others may know by ranges, labels by the branches of their hierarchy. What
// too few people have is with all others, or, if those are too few, in no group.
func (t *run) group(j int, r *readback.Release, least int) (out grouped) {
	d, h := t.columns.Dicts[j], t.columns.Dicts[j].Attribute().Hierarchy
	quasi := j < t.table.Schema.D()
	if quasi && d.Kind() == equivclass.Number {
		return ranges(j, d, r)
	}
	label, counts := make([]string, d.Len()), map[string]int{}
	for c := range label {
		label[c] = d.Label(equivclass.Code(c))
	}
	if quasi && d.Kind() == equivclass.Tree {
		for node, root := 0, h.LCA(0, equivclass.Code(h.Leaves()-1)); node < h.Nodes(); node++ {
			if node != root && h.Parent(node) == root {
				for lo, hi := h.Span(node); lo <= hi; lo++ {
					label[lo] = h.Label(node)
				}
			}
		}
	}
	for _, c := range t.columns.Codes[j] {
		counts[label[c]]++
	}
	others := t.columns.Len()
	for name, n := range counts {
		if n >= least {
			out.labels = append(out.labels, name)
		}
	}
	slices.SortFunc(out.labels, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	if len(out.labels) > groups {
		out.labels = out.labels[:groups-1]
	}
	for _, name := range out.labels {
		others -= counts[name]
	}
	kept, none := out.labels, -1
	if others >= least {
		none = len(kept)
		out.labels = append(kept[:none:none], rest)
	}
	for _, name := range label {
		at := slices.Index(kept, name)
		if at < 0 {
			at = none
		}
		out.of = append(out.of, at)
	}
	out.predicates(j, d, nil)
	return out
}

// ranges divides numbers at quarters of the lower bounds of a release's cells, weighted by people.
func ranges(j int, d *equivclass.Dictionary, r *readback.Release) (out grouped) {
	var bounds []float64
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
	a := d.Attribute()
	text := func(v float64) string { units, _ := a.Units(v); return a.FormatNumber(units) }
	spans, label := []query.Span{{Lo: math.Inf(-1), Hi: math.Inf(1), HiOpen: true}}, ""
	for q := 1; q < 4 && len(bounds) > 0; q++ {
		if at, last := bounds[q*len(bounds)/4], &spans[len(spans)-1]; at > max(bounds[0], last.Lo) {
			last.Hi = at
			out.labels = append(out.labels, label+"below "+text(at))
			spans, label = append(spans, query.Span{Lo: at, Hi: math.Inf(1), HiOpen: true}), "from "+text(at)+", "
		}
	}
	out.labels = append(out.labels, label[:max(0, len(label)-2)])
	for c := range equivclass.Code(d.Len()) {
		at := -1
		if d.Units(c) != equivclass.MissingNumber {
			at = slices.IndexFunc(spans, func(s query.Span) bool { return query.SpansHold([]query.Span{s}, d.Number(c)) })
		}
		out.of = append(out.of, at)
	}
	out.predicates(j, d, spans)
	return out
}

// predicates ask for the groups of an attribute.
func (g *grouped) predicates(j int, d *equivclass.Dictionary, spans []query.Span) {
	for i := range g.labels {
		p := query.Predicate{Attribute: j}
		for _, at := range g.of {
			p.Match = append(p.Match, at == i)
		}
		if spans != nil {
			p.Spans = spans[i : i+1]
		}
		p.Count(d)
		g.preds = append(g.preds, p)
	}
}

// crosstab counts the records of the table.
func (t *run) crosstab(x, y int, all []grouped) [][]float64 {
	out := cells(all[x].labels, all[y].labels, func(int, int) float64 { return 0 })
	for r, c := range t.columns.Codes[x] {
		if i, k := all[x].of[c], all[y].of[t.columns.Codes[y][r]]; i >= 0 && k >= 0 {
			out[i][k]++
		}
	}
	return out
}

// estimated asks a release for the same counts.
func estimated(r *readback.Release, x, y, d int, all []grouped) [][]float64 {
	from, at := query.Estimator(nil), y
	if x < d {
		from, at = r.Each()[y-d].Estimator(), d
	} else {
		from, _ = r.Joint() // several sensitive attributes always have one
	}
	return cells(all[x].labels, all[y].labels, func(i, k int) float64 {
		a, b := all[x].preds[i], all[y].preds[k]
		b.Attribute = at
		return max(0, from.Estimate(&query.Bound{Sum: -1, Preds: []query.Predicate{a, b}}).Estimate)
	})
}

// cells has a number for each pair.
func cells[X, Y any](rows []X, columns []Y, of func(i, k int) float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i := range out {
		for k := range columns {
			out[i] = append(out[i], of(i, k))
		}
	}
	return out
}

// cramer is Cramér's V of a crosstab: 0 without any relation, 1 where one attribute tells the other.
func cramer(counts [][]float64) float64 {
	if len(counts) < 2 || len(counts[0]) < 2 {
		return 0
	}
	var all, chi2 float64
	columns := make([]float64, len(counts[0]))
	for _, row := range counts {
		for k, n := range row {
			columns[k], all = columns[k]+n, all+n
		}
	}
	for _, row := range counts {
		total := sum(row)
		for k, n := range row {
			if expected := total * columns[k] / all; expected > 0 {
				chi2 += (n - expected) * (n - expected) / expected
			}
		}
	}
	return math.Sqrt(chi2 / max(1, all) / float64(min(len(counts), len(columns))-1))
}

// shares are those of each row.
func shares(counts [][]float64) [][]float64 {
	return cells(counts, counts[0], func(i, k int) float64 { return math.Round(counts[i][k]/max(1e-9, sum(counts[i]))*1e3) / 1e3 })
}

func sum(of []float64) (out float64) {
	for _, n := range of {
		out += n
	}
	return out
}

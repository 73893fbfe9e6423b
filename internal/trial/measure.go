package trial

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/query"
	"anond/ingest"
	"anond/snapshot/readback"
)

// The workload is that of anond-lab evaluate: random counts of records by two attributes and a sensitive one.
const (
	asked  = 1000
	dims   = 3
	volume = .05
)

// counts says what became of the records, and who waits for what.
func (o *Outcome) counts(last *ingest.Report, perDay float64) {
	m := &last.Machine
	o.Read, o.Published, o.Waiting, o.Refused, o.Beyond = int(m.Sent), m.Published, m.Pending.Total(), int(m.DeadLetter), m.Beyond
	if m.Pool != nil && m.Public > 0 {
		o.Next = &next{PoolNeed: *m.Pool}
		if perDay > 0 && m.Pool.Possible {
			o.Next.Days = float64(m.Pool.Records) / perDay
		}
	}
	if f := m.FirstLoad; f != nil && o.Why == "" && m.Public == 0 {
		key := "initial.min_pool"
		if m.Pool == nil {
			key = "initial.min_records"
		}
		o.Why = fmt.Sprintf("%d people are there, and %s asks for %d", f.Records, key, f.Wanted)
		o.Hint = fmt.Sprintf("give more records; a smaller %s publishes earlier (docs/CHOOSING.md)", key)
	}
}

// measure reads the release back as an analyst does, and compares it with the table.
func (t *run) measure(dir string, o *Outcome) (*readback.Release, error) {
	r, err := readback.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := r.Load(t.columns.Dicts); err != nil {
		return nil, err
	}
	o.Loss, o.Classes = r.Manifest.Quality.NCP, sizesOf(r.Start)
	if r.Buckets != nil {
		o.Buckets = sizesOf(r.Buckets)
	}
	for j, loss := range r.Losses() {
		o.Losses = append(o.Losses, attributeLoss{r.Dicts[j].Attribute().Name, rounded(loss)})
	}
	reached := r.Manifest.Reached()
	for i, one := range r.Each() {
		o.Sensitive = append(o.Sensitive, sensitive{Name: reached[i].Attribute, TopShare: rounded(reached[i].Share),
			Allowed: rounded(reached[i].Allowed), Error: t.errorOf(one, i)})
	}
	return r, nil
}

// measureView reads a view back: what its own columns lose, and which share a label has.
func (o *Outcome) measureView(name, dir string) error {
	r, err := readback.Open(dir)
	if err == nil {
		err = r.Load(nil)
	}
	if err != nil {
		return err
	}
	v := viewLoss{Name: name, Loss: r.Manifest.Quality.NCP}
	for j, loss := range r.Losses() {
		v.Losses = append(v.Losses, attributeLoss{r.Dicts[j].Attribute().Name, rounded(loss)})
	}
	for _, a := range r.Manifest.Reached() {
		v.Shares = append(v.Shares, viewShare{a.Attribute, rounded(a.Share)})
	}
	o.Views = append(o.Views, v)
	return nil
}

// errorOf says how far counts by the i-th sensitive attribute are off.
func (t *run) errorOf(r *readback.Release, i int) queryError {
	var quasi []int
	d := t.table.Schema.D()
	for j := range d {
		quasi = append(quasi, j)
	}
	truth := t.columns.Columns(append(slices.Clone(quasi), d+i)...)
	queries := accuracy.Counts(truth.Dicts, quasi, d, dims, volume, asked, rand.New(rand.NewPCG(1, 0)))
	whole := &query.BlockRelease{Dicts: truth.Dicts, Codes: truth.Codes, Start: []int32{0, int32(truth.Len())},
		Blocks: query.WholeBlock(d + 1)}
	m := accuracy.Measure(queries, whole, r.Estimator().Estimate)
	return queryError{Asked: m.Queries, Mean: rounded(m.Mean), Median: rounded(m.Median), Curve: quantiles(m.Errors)}
}

// quantiles are those of sorted numbers at each twentieth of them, from the least to the largest.
func quantiles(sorted []float64) (out []float64) {
	const steps = 20
	for i := range min(len(sorted), 1) * (steps + 1) {
		out = append(out, rounded(sorted[min(len(sorted)-1, i*len(sorted)/steps)]))
	}
	return out
}

// sizesOf describes classes or buckets, of which the first people are given, by their people: half of them are in one of at most
// the median.
func sizesOf(start []int32) *sizes {
	var people []float64
	for i, first := range start[1:] {
		size := int(first - start[i])
		people = append(people, slices.Repeat([]float64{float64(size)}, size)...)
	}
	slices.Sort(people)
	return &sizes{Count: len(start) - 1, Min: int(people[0]), Median: int(people[len(people)/2]), Max: int(people[len(people)-1]),
		Curve: quantiles(people)}
}

// rounded keeps the digits that mean something.
func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

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
	label, quasi := make([]string, d.Len()), j < t.table.Schema.D() // empty: in no group
	var spans map[string]query.Span
	for c := range label {
		label[c] = d.Label(equivclass.Code(c))
	}
	switch {
	case quasi && d.Kind() == equivclass.Number:
		spans = ranges(j, d, r)
		for c := range label {
			label[c] = ""
			for name, s := range spans {
				if v := equivclass.Code(c); d.Units(v) != equivclass.MissingNumber && query.SpansHold([]query.Span{s}, d.Number(v)) {
					label[c] = name
				}
			}
		}
	case quasi && d.Kind() == equivclass.Tree:
		for node, root := 0, h.LCA(0, equivclass.Code(h.Leaves()-1)); node < h.Nodes(); node++ {
			if node != root && h.Parent(node) == root {
				for lo, hi := h.Span(node); lo <= hi; lo++ {
					label[lo] = h.Label(node)
				}
			}
		}
	}
	counts, place, others, none := map[string]int{}, map[string]int{"": -1}, 0, -1
	for _, name := range label {
		counts[name] = 0
	}
	for _, c := range t.columns.Codes[j] {
		counts[label[c]]++
	}
	delete(counts, "")
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(spans[a].Lo, spans[b].Lo), cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return counts[name] < least })
	if len(kept) > groups {
		kept = kept[:groups-1]
	}
	for _, name := range names {
		if !slices.Contains(kept, name) {
			others += counts[name]
		}
	}
	if out.labels = kept; others >= least {
		none = len(kept)
		out.labels = append(slices.Clone(kept), rest)
	}
	for _, name := range names {
		if place[name] = slices.Index(kept, name); place[name] < 0 {
			place[name] = none
		}
	}
	for i := range out.labels {
		p := query.Predicate{Attribute: j}
		for _, name := range label {
			p.Match = append(p.Match, place[name] == i)
		}
		for _, name := range names {
			if s, ok := spans[name]; ok && place[name] == i {
				p.Spans = append(p.Spans, s)
			}
		}
		p.Count(d)
		out.preds = append(out.preds, p)
	}
	for _, name := range label {
		out.of = append(out.of, place[name])
	}
	return out
}

// ranges divides numbers at quarters of the lower bounds of a release's cells, weighted by people.
func ranges(j int, d *equivclass.Dictionary, r *readback.Release) map[string]query.Span {
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
	out, last, from := map[string]query.Span{}, query.Span{Lo: math.Inf(-1), Hi: math.Inf(1), HiOpen: true}, ""
	for q := 1; q < 4 && len(bounds) > 0; q++ {
		if at := bounds[q*len(bounds)/4]; at > max(bounds[0], last.Lo) {
			out[from+"below "+text(at)] = query.Span{Lo: last.Lo, Hi: at, HiOpen: true}
			last.Lo, from = at, "from "+text(at)+", "
		}
	}
	out[strings.TrimSuffix(from, ", ")] = last
	return out
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

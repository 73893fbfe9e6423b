package anonymize

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/query"
	"anond/internal/abandon"
	"anond/snapshot/readback"
)

// Workload describes the random COUNT queries of an evaluation.
type Workload struct {
	Queries int     `json:"queries"`
	Dims    int     `json:"dims"`   // attributes that a query restricts, including the sensitive one
	Volume  float64 `json:"volume"` // approximate share of the whole space that a query covers
	Seed    uint64  `json:"seed"`
}

// Evaluation measures a release against its source records.
type Evaluation struct {
	Release    uint32        `json:"release"`
	Recoding   string        `json:"recoding"`
	Original   int           `json:"original"` // records of the original, without repeats
	Published  int           `json:"published"`
	K          int           `json:"k"`
	L          int           `json:"l"`
	Classes    classSizes    `json:"classes"`
	Buckets    *classSizes   `json:"buckets,omitempty"` // level L2
	Attributes []attribute   `json:"attributes"`        // the sensitive ones
	Pairs      []pair        `json:"pairs,omitempty"`   // that have pair tables
	Loss       fileLoss      `json:"loss"`              // of values: of the first sensitive attribute
	Workload   Workload      `json:"workload"`
	Unmeasured []string      `json:"unmeasured"`
	Method     string        `json:"method,omitempty"`          // ng: rows have cells of their own
	Across     string        `json:"across_releases,omitempty"` // none: the release promises nothing
	Local      []localReport `json:"local,omitempty"`           // lgb
}

// attribute is what the release reaches for a sensitive attribute, and how well it answers queries about it.
type attribute struct {
	Name     string    `json:"attribute"`
	Achieved Achieved  `json:"achieved"`
	Error    errorRate `json:"query_error"`
}

// pair is how well queries about two sensitive attributes are answered with their pair tables, and would be without.
type pair struct {
	Attributes []string  `json:"attributes"`
	Error      errorRate `json:"query_error"`
	Without    errorRate `json:"query_error_without_table"`
}

// errorRate is the relative error of a workload.
type errorRate struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Width  float64 `json:"mean_bound_width"` // (upper - lower) / true answer
	Asked  int     `json:"asked"`
	Empty  int     `json:"empty"`  // true answer 0: no relative error
	Inside int     `json:"inside"` // of those asked: the truth lies within the bounds
}

// Evaluate measures a release against the table that it came from. The release
// must not be loaded yet: its dictionaries become those of the table. It can be
// interrupted: many queries on a large release take minutes.
func Evaluate(ctx context.Context, r *opened, t *inputTable, w Workload) (*Evaluation, error) {
	return abandon.At(ctx, func() (*Evaluation, error) { return evaluate(measured{r.Release, r}, t, w) })
}

// measured is a release with its source records.
type measured struct {
	*readback.Release
	from *opened
}

// Bags are those of which l speaks; of lgb, of the local buckets of the sensitive attribute.
func (r measured) Bags() (out []equivclass.Bag) {
	if r.from.local == nil {
		return r.Release.Bags()
	}
	for _, values := range r.from.local.Values[len(r.Dicts)-1] {
		out = append(out, bagOf(values))
	}
	return out
}

func evaluate(r measured, t *inputTable, w Workload) (*Evaluation, error) {
	if err := r.from.Load(t); err != nil {
		return nil, err
	}
	if len(r.SA) > t.Len() {
		return nil, fmt.Errorf("the release has %d records, the original %d: it is not the source table of the release", len(r.SA), t.Len())
	}
	c := float64(defaultC)
	for _, d := range r.Manifest.Policy.Diversity {
		if d.Kind == "recursive" {
			c = d.C
		}
	}
	sizes, bags := r.Sizes(), r.Bags()
	out := &Evaluation{Release: r.Manifest.Release, Recoding: r.Manifest.Recoding, Original: t.Len(), Published: len(r.SA),
		K: r.Manifest.Policy.K, L: r.Manifest.Policy.L, Classes: sizesOf(sizes), Workload: w}
	for at, one := range r.each() {
		i := t.Schema.Sensitive()[at]
		promised := promisedOf(t.Dicts[i])
		a := attribute{Name: t.Schema.Attributes()[i].Name,
			Achieved: achieved(promised(one.Bags()...), promised(bagOf(t.Codes[i]))[0], c, equivclass.Grounds(t.Schema.Attributes()[i]))}
		a.Achieved.K = out.Classes.Min
		d := len(one.Dicts) - 1
		a.Error = ask(t.about(i), r.from.Estimator(one.Release), w, func(dicts []*equivclass.Dictionary, src equivclass.Source) []*query.Bound {
			return accuracy.Counts(dicts, firstColumns(d), d, w.Dims, w.Volume, w.Queries, src)
		})
		out.Attributes = append(out.Attributes, a)
	}
	out.Pairs = r.pairs(t, w)
	if a := r.from.About; a != nil {
		if a.Why != "" {
			out.Across = acrossNone
		}
		if a.Method == methodRings {
			out.Method = a.Method
		}
	}
	if r.Buckets != nil {
		buckets := sizesOf(totals(bags))
		out.Buckets = &buckets
	}
	out.Loss, out.Unmeasured = r.fileLoss(t, sizes, bags)
	out.Local = r.localBuckets(t)
	return out, nil
}

// each is the release once for each sensitive attribute.
func (r measured) each() (out []measured) {
	if r.from.About != nil { // plain files have one
		return []measured{r}
	}
	for _, one := range r.Each() {
		out = append(out, measured{one, r.from})
	}
	return out
}

// pairs measures what each pair table adds.
func (r measured) pairs(t *inputTable, w Workload) (out []pair) {
	if len(r.Manifest.Tables) == 0 {
		return nil
	}
	joint, ok := r.Joint()
	if !ok {
		return nil
	}
	without := *joint
	without.Tables = nil
	original := t.about(t.Schema.Sensitive()...)
	for _, names := range r.Manifest.Tables {
		var of [2]int
		for j, d := range original.Dicts {
			for side := range of {
				if d.Attribute().Name == names[side] {
					of[side] = j
				}
			}
		}
		draw := func(dicts []*equivclass.Dictionary, src equivclass.Source) []*query.Bound {
			dims := max(3, w.Dims)
			share := math.Pow(w.Volume, 1/float64(dims+1))
			return accuracy.Draw(dicts, firstColumns(len(r.Dicts)-1), of[:], dims, w.Queries, share, share, src)
		}
		out = append(out, pair{names, ask(original, joint, w, draw), ask(original, &without, w, draw)})
	}
	return out
}

// promisedOf makes of bags those that promises are of: where numbers are exact, of their intervals.
func promisedOf(d *equivclass.Dictionary) func(...equivclass.Bag) []equivclass.Bag {
	a := d.Attribute()
	if !a.Exact {
		return func(bags ...equivclass.Bag) []equivclass.Bag { return bags }
	}
	a.Exact = false
	intervals := equivclass.NewDictionary(a)
	return func(bags ...equivclass.Bag) []equivclass.Bag {
		out := make([]equivclass.Bag, len(bags))
		for i, b := range bags {
			for _, c := range b.Counts {
				code, _ := intervals.Encode([]byte(d.Text(c.Code)))
				out[i].Add(code, c.N)
			}
		}
		return out
	}
}

// totals are the sizes of bags.
func totals(bags []equivclass.Bag) []int {
	out := make([]int, len(bags))
	for i := range bags {
		out[i] = bags[i].Total
	}
	return out
}

// localBuckets describes the bucketed attributes.
func (r measured) localBuckets(t *inputTable) (out []localReport) {
	local := r.from.local
	if local == nil {
		return nil
	}
	space := equivclass.NewSpace(r.Dicts)
	for j, i := range t.shown() {
		d, p := r.Dicts[j], t.semi[i]
		if _, semi := t.semi[i]; !semi && i != t.Schema.SensitiveIndex() {
			continue
		}
		x := localReport{Attribute: d.Attribute().Name, Promise: promiseText(p, p.L)}
		if i == t.Schema.SensitiveIndex() {
			x.Promise = promiseText(p, r.Manifest.Policy.L)
		}
		var bags []equivclass.Bag
		var sizes []int
		for _, values := range local.Values[j] {
			bags, sizes = append(bags, bagOf(values)), append(sizes, len(values))
			x.Sensitive += len(values)
			x.Width += float64(len(values)) * lossOfCell(&space.Dims[j], query.CellOf(d, values))
		}
		x.Width /= float64(max(1, x.Sensitive))
		x.Buckets = sizesOf(sizes)
		if x.L, x.T = bucketPromise(d, p, bags); x.T != nil {
			reference, _ := referenceOf(d, p)
			if reference.Total == 0 {
				reference = bagOf(slices.Concat(local.Values[j]...))
			}
			x.T.T = farthest(groundOf(d, p.Distance), bags, reference)
		}
		out = append(out, x)
	}
	return out
}

func firstColumns(n int) (out []int) {
	for j := range n {
		out = append(out, j)
	}
	return out
}

// ask runs a workload on the release and on the records.
func ask(original *equivclass.Table, known query.Estimator, w Workload,
	draw func([]*equivclass.Dictionary, equivclass.Source) []*query.Bound) errorRate {
	queries := draw(original.Dicts, rand.New(rand.NewPCG(w.Seed, 0)))
	truth := &query.BlockRelease{Dicts: original.Dicts, Codes: original.Codes, Start: []int32{0, int32(original.Len())},
		Blocks: query.WholeBlock(len(original.Dicts))}
	var out errorRate
	m := accuracy.Measure(queries, truth, func(q *query.Bound) query.Answer {
		// The bounds of the records themselves are the count, free of rounding.
		a, actual := known.Estimate(q), truth.Estimate(q).Lower
		if a.Lower <= actual && actual <= a.Upper {
			out.Inside++
		}
		return a
	})
	out.Mean, out.Median, out.Width, out.Asked, out.Empty = m.Mean, m.Median, m.Width, m.Queries, m.Empty
	return out
}

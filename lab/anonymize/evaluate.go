package anonymize

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/internal/profile"
	"anond/lab/estimate"
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
	Achieved   Achieved      `json:"achieved"`
	Loss       fileLoss      `json:"loss"`
	Workload   Workload      `json:"workload"`
	Error      errorRate     `json:"query_error"`
	Unmeasured []string      `json:"unmeasured"`
	Method     string        `json:"method,omitempty"`          // ng: rows have cells of their own
	Across     string        `json:"across_releases,omitempty"` // none: the release promises nothing
	Local      []localReport `json:"local,omitempty"`           // lgb
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
	var out *Evaluation
	refused, err := profile.Interruptible(ctx, func() (err error) {
		out, err = evaluate(measured{r.Release, r}, t, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, refused
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
	original := t.published()
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
	sensitive := t.Schema.Attributes()[t.Schema.SensitiveIndex()]
	out := &Evaluation{Release: r.Manifest.Release, Recoding: r.Manifest.Recoding, Original: t.Len(), Published: len(r.SA),
		K: r.Manifest.Policy.K, L: r.Manifest.Policy.L, Classes: sizesOf(sizes),
		Achieved: achieved(bags, bagOf(t.SA()), c, equivclass.Grounds(sensitive)), Workload: w}
	out.Achieved.K = out.Classes.Min
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
	out.Error = r.ask(original, w)
	return out, nil
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

// ask runs the workload on the release and on the records.
func (r measured) ask(original *equivclass.Table, w Workload) errorRate {
	d := len(original.Dicts) - 1
	quasi := make([]int, d)
	for j := range quasi {
		quasi[j] = j
	}
	queries := estimate.CountWorkload(original.Dicts, quasi, d, w.Dims, w.Volume, w.Queries, rand.New(rand.NewPCG(w.Seed, 0)))
	truth := &query.BlockRelease{Dicts: original.Dicts, Codes: original.Codes, Start: []int32{0, int32(original.Len())},
		Blocks: query.WholeBlock(d + 1)}
	known := r.from.Estimator()
	var out errorRate
	m := estimate.MeasureWorkload(queries, truth, func(q *query.Bound) query.Answer {
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

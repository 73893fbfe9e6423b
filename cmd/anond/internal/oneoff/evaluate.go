package oneoff

import (
	"context"
	"fmt"
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/lgb"
	"anond/equivclass/query"
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
	Release    uint32    `json:"release"`
	Recoding   string    `json:"recoding"`
	Original   int       `json:"original"` // records of the original, without repeats
	Published  int       `json:"published"`
	K          int       `json:"k"`
	L          int       `json:"l"`
	Classes    Sizes     `json:"classes"`
	Buckets    *Sizes    `json:"buckets,omitempty"` // level L2
	Achieved   Achieved  `json:"achieved"`
	Loss       FileLoss  `json:"loss"`
	Workload   Workload  `json:"workload"`
	Error      ErrorRate `json:"query_error"`
	Unmeasured []string  `json:"unmeasured"`
	Method     string    `json:"method,omitempty"`          // ng: rows have cells of their own
	Across     string    `json:"across_releases,omitempty"` // none: the release promises nothing
	Local      []Local   `json:"local,omitempty"`           // lgb
}

// ErrorRate is the relative error of a workload.
type ErrorRate struct {
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
func Evaluate(ctx context.Context, r *readback.Release, t *Table, w Workload) (*Evaluation, error) {
	var out *Evaluation
	refused, err := interruptible(ctx, func() (err error) {
		out, err = evaluate(measured{r}, t, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, refused
}

// measured is a release with its source records.
type measured struct{ *readback.Release }

func evaluate(r measured, t *Table, w Workload) (*Evaluation, error) {
	original := t.published()
	if err := r.Load(original.Dicts); err != nil {
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
	out := &Evaluation{Release: r.Manifest.Release, Recoding: r.Manifest.Recoding, Method: r.Manifest.Method,
		Across: r.Manifest.AcrossReleases, Original: t.Len(), Published: len(r.SA), K: r.Manifest.Policy.K, L: r.Manifest.Policy.L,
		Classes: sizesOf(sizes), Achieved: achieved(bags, bagOf(t.sa()), c, equivclass.Grounds(sensitive)), Workload: w}
	out.Achieved.K = out.Classes.Min
	if r.Buckets != nil {
		buckets := sizesOf(totals(bags))
		out.Buckets = &buckets
	}
	out.Loss, out.Unmeasured = r.fileLoss(t, sizes, bags)
	out.Local = r.localBuckets()
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
func (r measured) localBuckets() (out []Local) {
	if r.Local == nil {
		return nil
	}
	space := equivclass.NewSpace(r.Dicts)
	for j, d := range r.Dicts {
		a := d.Attribute()
		if a.Role == equivclass.Quasi {
			continue
		}
		x := Local{Attribute: a.Name, Promise: fmt.Sprintf("l = %d", r.Manifest.Policy.L)}
		if a.Promise != nil {
			x.Promise = promiseText(a.Promise, lgb.LocalPromise{L: a.Promise.L})
		}
		var bags []equivclass.Bag
		var sizes []int
		for _, values := range r.Local.Values[j] {
			bags, sizes = append(bags, bagOf(values)), append(sizes, len(values))
			x.Sensitive += len(values)
			x.Width += float64(len(values)) * lossOfCell(&space.Dims[j], query.CellOf(d, values))
		}
		x.Width /= float64(max(1, x.Sensitive))
		x.Buckets = sizesOf(sizes)
		if x.L, x.T = bucketPromise(d, bags); x.T != nil {
			reference, _ := declaredBag(d, r.referenceOf(a.Name))
			x.T.T = farthest(d, bags, reference)
		}
		out = append(out, x)
	}
	return out
}

// referenceOf is the reference of a promise by t, as the manifest has it.
func (r measured) referenceOf(name string) []equivclass.ValueCount {
	for _, a := range r.Schema.Attributes() {
		if a.Name == name && a.Promise != nil {
			return a.Promise.Reference
		}
	}
	return nil
}

// ask runs the workload on the release and on the records.
func (r measured) ask(original *equivclass.Table, w Workload) ErrorRate {
	d := len(original.Dicts) - 1
	quasi := make([]int, d)
	for j := range quasi {
		quasi[j] = j
	}
	queries := query.CountWorkload(original.Dicts, quasi, d, w.Dims, w.Volume, w.Queries, rand.New(rand.NewPCG(w.Seed, 0)))
	truth := &query.BlockRelease{Dicts: original.Dicts, Codes: original.Codes, Start: []int32{0, int32(original.Len())},
		Blocks: query.WholeBlock(d + 1)}
	known := r.Estimator()
	var out ErrorRate
	m := query.MeasureWorkload(queries, truth, func(q *query.Bound) query.Answer {
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

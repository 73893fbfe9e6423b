package trial

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"anond/config"
	"anond/equivclass/accuracy"
	"anond/equivclass/query"
	"anond/ingest"
	"anond/internal/profile"
	"anond/snapshot/readback"
)

// The workload is that of anond-lab evaluate: random counts of records by two attributes and a sensitive one.
const (
	asked  = 1000
	dims   = 3
	volume = .05
)

// counts says what became of the records, and who waits for what.
func (o *Outcome) counts(last *ingest.Report) {
	m := &last.Machine
	o.Read, o.Published, o.Waiting, o.Refused, o.Beyond = int(m.Sent), m.Published, m.Pending.Total(), int(m.DeadLetter), m.Beyond
	if need := m.Pool; need != nil && m.Public > 0 {
		o.Next = &Next{People: need.Records, Possible: need.Possible, Bounded: need.Bounded, Asks: need.Attribute}
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
func (t *run) measure(ctx context.Context, c *config.Config, dir string, o *Outcome) error {
	r, err := readback.Open(filepath.Join(dir, "releases"))
	if err != nil {
		return err
	}
	failed, err := profile.Interruptible(ctx, func() error {
		if err := r.Load(t.columns().Dicts); err != nil {
			return err
		}
		t.releases[len(t.releases)-1] = r
		o.Loss, o.Classes = r.Manifest.Quality.NCP, sizesOf(r.Sizes())
		for j, loss := range r.Losses() {
			o.Losses = append(o.Losses, AttributeLoss{r.Dicts[j].Attribute().Name, rounded(loss)})
		}
		if r.Buckets != nil {
			var sizes []int
			for i := range len(r.Buckets) - 1 {
				sizes = append(sizes, int(r.Buckets[i+1]-r.Buckets[i]))
			}
			o.Buckets = sizesOf(sizes)
		}
		for i, one := range r.Each() {
			o.Sensitive = append(o.Sensitive, t.sensitive(i, one))
		}
		return nil
	})
	if o.Next != nil && t.PerDay > 0 {
		o.Next.Days = float64(o.Next.People) / t.PerDay
	}
	return firstOf(err, failed)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sensitive says what a release reaches for its i-th sensitive attribute, and how far counts of it are off.
func (t *run) sensitive(i int, r *readback.Release) (out Sensitive) {
	d := len(r.Dicts) - 1
	out.Name, out.TopShare = r.Dicts[d].Attribute().Name, r.Manifest.Privacy.MaxFrequency
	out.Allowed = 1 / float64(max(1, r.Manifest.Policy.L))
	for _, a := range r.Manifest.Privacy.Attributes {
		if a.Name == out.Name {
			out.TopShare, out.Allowed = a.TopShare.Float(), min(1, a.Cap.Float())
		}
	}
	out.TopShare, out.Allowed = rounded(out.TopShare), rounded(out.Allowed)
	all := t.table.Schema
	truth := t.table.Columns(append(slices.Clone(all.Quasi()), all.Sensitive()[i])...)
	quasi := make([]int, d)
	for j := range quasi {
		quasi[j] = j
	}
	queries := accuracy.Counts(truth.Dicts, quasi, d, dims, volume, asked, rand.New(rand.NewPCG(1, 0)))
	whole := &query.BlockRelease{Dicts: truth.Dicts, Codes: truth.Codes, Start: []int32{0, int32(truth.Len())},
		Blocks: query.WholeBlock(d + 1)}
	m := accuracy.Measure(queries, whole, r.Estimator().Estimate)
	out.Error = QueryError{Asked: m.Queries, Mean: rounded(m.Mean), Median: rounded(m.Median), Curve: quantiles(m.Errors)}
	return out
}

// steps are the parts that a curve has.
const steps = 20

// quantiles are those of sorted numbers, from the least to the largest.
func quantiles(sorted []float64) (out []float64) {
	if len(sorted) == 0 {
		return nil
	}
	for i := range steps + 1 {
		out = append(out, rounded(sorted[min(len(sorted)-1, i*len(sorted)/steps)]))
	}
	return out
}

// sizesOf describes classes or buckets by their people: half of them are in one of at most the median.
func sizesOf(sizes []int) *Sizes {
	if len(sizes) == 0 {
		return nil
	}
	var people []float64
	for _, s := range slices.Sorted(slices.Values(sizes)) {
		people = append(people, slices.Repeat([]float64{float64(s)}, s)...)
	}
	return &Sizes{Count: len(sizes), Min: int(people[0]), Median: int(people[len(people)/2]), Max: int(people[len(people)-1]),
		Curve: quantiles(people)}
}

// rounded keeps the digits that mean something.
func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

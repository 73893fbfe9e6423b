package trial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

package readback

import "anond/equivclass/query"

// Model fits a model to the release, once it is loaded. ok is false for a recoding
// that no model reads: generalization, buckets, anatomy and permutation have one.
func (r *Release) Model() (m *query.Model, ok bool) {
	b, ok := r.modelled()
	if !ok {
		return nil, false
	}
	return query.NewModel(b), true
}

func (r *Release) modelled() (*query.BucketRelease, bool) {
	switch e := r.Estimator().(type) {
	case *query.CellRelease:
		b := e.Buckets()
		b.Tight = true
		return b, true
	case *query.BlockRelease:
		return e.Buckets(len(r.Dicts) - 1)
	}
	if r.Buckets == nil {
		return nil, false
	}
	return r.sharedBuckets(), true
}

// sharedBuckets is a release of level L2 whose classes show cells.
func (r *Release) sharedBuckets() *query.BucketRelease {
	d := len(r.Dicts) - 1
	out := &query.BucketRelease{Dicts: r.Dicts, Sensitive: d, Columns: query.ColumnsOf(r.Dicts, d, r.Cells), Bags: r.Bags(),
		Grain: query.Grains(r.Dicts), Tight: true}
	b := int32(0)
	for i := range r.Cells {
		for r.Start[i] >= r.Buckets[b+1] {
			b++
		}
		out.Size, out.Bucket = append(out.Size, r.Start[i+1]-r.Start[i]), append(out.Bucket, b)
	}
	return out
}

// AskModel answers a query by a model, too. The model's estimate lies within the
// bounds of the answer, which hold.
func (r *Release) AskModel(text string, m *query.Model) (a query.Answer, model float64, absent []query.AbsentValue, err error) {
	bound, err := r.bind(text)
	if err != nil {
		return query.Answer{}, 0, nil, err
	}
	a = r.Estimator().Estimate(bound)
	return a, min(max(m.Estimate(bound), a.Lower), a.Upper), bound.Absent, nil
}

func (r *Release) bind(text string) (*query.Bound, error) {
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	return query.Bind(q, r.Dicts)
}

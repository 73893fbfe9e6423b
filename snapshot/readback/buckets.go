package readback

import "anond/equivclass/query"

// AsBuckets is the release, once it is loaded, as classes that share buckets. ok is false for a recoding
// that has none: generalization, buckets, anatomy and permutation have.
func (r *Release) AsBuckets() (out *query.BucketRelease, ok bool) {
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

// Bind resolves a query in the language of query.Parse.
func (r *Release) Bind(text string) (*query.Bound, error) {
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	return query.Bind(q, r.Dicts)
}

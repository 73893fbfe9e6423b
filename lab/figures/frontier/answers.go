package frontier

import (
	"anond/equivclass/accuracy"
	"anond/incremental/state"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/incremental"
	"anond/lab/estimate"
)

// published is what a row's last release shows: its classes, each with the bucket
// whose values it shares.
type published struct {
	groups [][]int32
	bucket []int32
}

// alone is classes that keep their own values.
func alone(groups [][]int32) *published {
	p := &published{groups: groups}
	for i := range groups {
		p.bucket = append(p.bucket, int32(i))
	}
	return p
}

// publishedIn reads the classes of a view. Records are numbered as they arrive.
func publishedIn(v *incremental.View) *published {
	p := &published{}
	number, buckets := map[state.BucketID]int32{}, int32(0)
	for _, c := range v.Classes {
		var rows []int32
		for _, r := range c.Members {
			rows = append(rows, int32(r))
		}
		at, known := number[c.Bucket]
		if !known || c.Bucket == 0 {
			at = buckets
			number[c.Bucket] = at
			buckets++
		}
		p.groups, p.bucket = append(p.groups, rows), append(p.bucket, at)
	}
	return p
}

// rows are those of each bucket.
func (p *published) rows() (out [][]int32) {
	for i, g := range p.groups {
		for int(p.bucket[i]) >= len(out) {
			out = append(out, nil)
		}
		out[p.bucket[i]] = append(out[p.bucket[i]], g...)
	}
	return out
}

// medianBucket is the number of people in the bucket of the median person.
func (p *published) medianBucket() int {
	var sizes []int
	all := 0
	for _, rows := range p.rows() {
		sizes, all = append(sizes, len(rows)), all+len(rows)
	}
	slices.Sort(sizes)
	below := 0
	for _, n := range sizes {
		if below += n; 2*below >= all {
			return n
		}
	}
	return 0
}

// release is what an analyst sees.
func (p *published) release(t *table) *query.BucketRelease {
	s := len(t.Dicts) - 1
	cells := query.NewCellRelease(t.Dicts, t.Codes, p.groups, s)
	cells.Grain = query.Grains(t.Dicts)
	r := cells.Buckets()
	r.Bucket, r.Bags, r.Tight = p.bucket, nil, true
	for _, rows := range p.rows() {
		r.Bags = append(r.Bags, equivclass.BagOf(t.Codes[s], rows))
	}
	return r
}

// ask fills the columns about queries: the median relative errors of the
// release's answers, with uniform spread and with a model. The truth is that of the
// published records; never_published has the others.
func (p *published) ask(t *table, w *workload, row *frontierRow) {
	if len(w.large) == 0 || len(p.groups) == 0 {
		return
	}
	r := p.release(t)
	m := estimate.NewModel(r)
	uniform := func(q *query.Bound) query.Answer { return r.Estimate(q) }
	model := func(q *query.Bound) query.Answer { return query.Answer{Estimate: m.Estimate(q)} }
	truth := query.NewBlockRelease(t.Dicts, t.Codes, [][]int32{slices.Concat(p.groups...)}, query.WholeBlock(len(t.Dicts)))
	for _, c := range []struct {
		queries     []*query.Bound
		plain, with *float64
	}{
		{w.large, &row.QueryLarge, &row.QueryLargeModel}, {w.small, &row.QuerySmall, &row.QuerySmallModel},
		{w.quasi, &row.QueryQI, &row.QueryQIModel},
	} {
		*c.plain = accuracy.Measure(c.queries, truth, uniform).Median
		*c.with = accuracy.Measure(c.queries, truth, model).Median
	}
}

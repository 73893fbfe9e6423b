package estimate

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
	"anond/lab/lgb"
)

// LocalRelease is a release by local generalization and bucketization: a row
// shows its group's cell on an attribute on which it has a QI value, and the
// values of its local bucket elsewhere.
type LocalRelease struct {
	Dicts  []*equivclass.Dictionary
	Group  []int32               // by row
	Cells  [][]query.Cell        // by group, then attribute; empty where bucketed
	Bucket [][]int32             // by attribute, then row; -1: the value is generalized
	Values [][][]equivclass.Code // by attribute, then bucket
	Grain  []float64             // see CellRelease
}

// NewLocalRelease shows the result of LGB. Withheld records are not in it.
func NewLocalRelease(t *flagged.Table, result *lgb.Result) *LocalRelease {
	r := &LocalRelease{Dicts: t.Dicts, Bucket: make([][]int32, len(t.Dicts)), Values: make([][][]equivclass.Code, len(t.Dicts))}
	row := make([]int32, t.Len()) // of each record
	for g, rows := range result.Groups {
		cells := make([]query.Cell, len(t.Dicts))
		for _, j := range t.QuasiOf(result.Flags[g]) {
			cells[j] = query.CellOf(t.Dicts[j], cut.Gather(t.Codes[j], rows))
		}
		r.Cells = append(r.Cells, cells)
		for _, record := range rows {
			row[record] = int32(len(r.Group))
			r.Group = append(r.Group, int32(g))
		}
	}
	for j, buckets := range result.Buckets {
		r.Bucket[j] = slices.Repeat([]int32{-1}, len(r.Group))
		for b, rows := range buckets {
			r.Values[j] = append(r.Values[j], cut.Gather(t.Codes[j], rows))
			for _, record := range rows {
				r.Bucket[j][row[record]] = int32(b)
			}
		}
	}
	return r
}

// localFits is how the cells and the buckets of one attribute fit a predicate.
type localFits struct {
	attribute int
	cell      []query.Fit // by group
	bucket    []query.Fit // by bucket
	hits      []int       // by bucket: values that match
}

func (r *LocalRelease) fits(p *query.Predicate) localFits {
	j := p.Attribute
	f := localFits{attribute: j, cell: make([]query.Fit, len(r.Cells)), bucket: make([]query.Fit, len(r.Values[j])),
		hits: make([]int, len(r.Values[j]))}
	bucketed := make([]bool, len(r.Cells))
	for row, b := range r.Bucket[j] {
		bucketed[r.Group[row]] = b >= 0
	}
	for g := range r.Cells {
		if !bucketed[g] {
			f.cell[g] = p.Fit(r.Dicts[j], r.Cells[g][j], query.GrainOf(r.Grain, j))
		}
	}
	for b, values := range r.Values[j] {
		for _, v := range values {
			if p.Match[v] {
				f.hits[b]++
			}
		}
		f.bucket[b] = query.FitShare(f.hits[b], len(values))
	}
	return f
}

func (r *LocalRelease) fitOf(f *localFits, row int) query.Fit {
	if b := r.Bucket[f.attribute][row]; b >= 0 {
		return f.bucket[b]
	}
	return f.cell[r.Group[row]]
}

// Estimate implements Estimator: a row matches with the product of its
// attributes' probabilities (Li, He and Sun, section 4.2: Pro(t)). A bucketed
// attribute has the share of the bucket's values that match, a generalized one
// is uniform in its cell. A bucketed value that is summed stands for the mean
// of its bucket. The bounds always hold; the paper's rounded ones are PaperSum.
// Cost: rows x restricted attributes.
func (r *LocalRelease) Estimate(q *query.Bound) query.Answer {
	if q.Sum >= 0 {
		return r.sum(q, false)
	}
	fits := r.allFits(q, -1)
	if len(fits) == 0 {
		n := float64(len(r.Group))
		return query.Answer{Estimate: n, Lower: n, Upper: n}
	}
	out := query.Answer{Upper: math.Inf(1)}
	for i := range fits {
		lower, upper := r.bounds(fits, i)
		out.Lower, out.Upper = max(out.Lower, lower), min(out.Upper, upper)
	}
	for row := range r.Group {
		out.Estimate += r.rowFit(fits, row).Share
	}
	return out
}

func (r *LocalRelease) allFits(q *query.Bound, but int) []localFits {
	var out []localFits
	for i := range q.Preds {
		if q.Preds[i].Attribute != but {
			out = append(out, r.fits(&q.Preds[i]))
		}
	}
	return out
}

func (r *LocalRelease) rowFit(fits []localFits, row int) query.Fit {
	f := query.Certain
	for i := range fits {
		if f = f.And(r.fitOf(&fits[i], row)); !f.Can {
			return query.Fit{}
		}
	}
	return f
}

// bounds bounds the count through the buckets of one restricted attribute: in a
// bucket of n rows exactly m have a matching value there, so that at least
// others-must + m - n and at most m rows match.
func (r *LocalRelease) bounds(fits []localFits, at int) (lower, upper float64) {
	f := &fits[at]
	others := append(slices.Clone(fits[:at]), fits[at+1:]...)
	must, can := make([]int, len(f.bucket)), make([]int, len(f.bucket))
	for row := range r.Group {
		o := r.rowFit(others, row)
		b := r.Bucket[f.attribute][row]
		if b < 0 {
			a := o.And(f.cell[r.Group[row]]).Times(1)
			lower, upper = lower+a.Lower, upper+a.Upper
			continue
		}
		least, most := o.Count(1)
		must[b], can[b] = must[b]+least, can[b]+most
	}
	for b, m := range f.hits {
		lower += float64(max(0, must[b]+m-len(r.Values[f.attribute][b])))
		upper += float64(min(can[b], m))
	}
	return lower, upper
}

package estimate

import (
	"math"
	"slices"

	"anond/equivclass/query"
)

// PaperSum answers a sum with the bounds of Li, He and Sun (section 4.2): in
// each local bucket of the summed attribute, the sum of the rows' probabilities
// of matching is rounded down and up; the lower bound adds that many of the
// smallest values, the upper bound of the largest (their "help table").
//
// These bounds are narrow but need not hold the true sum: a bucket expected to
// have 1.5 hits may have none (TestLGBPaperBoundsMayFail). Estimate's do.
// Rows whose summed value is generalized count as in Estimate.
func (r *LocalRelease) PaperSum(q *query.Bound) query.Answer { return r.sum(q, true) }

// summedBucket is what the rows of a bucket of the summed attribute ask of it.
type summedBucket struct {
	expected  float64 // rows that match the other predicates
	must, can int
}

func (r *LocalRelease) sum(q *query.Bound, rounded bool) query.Answer {
	spans := query.AllNumbers
	for _, p := range q.Preds {
		if p.Attribute == q.Sum {
			spans = p.Spans
		}
	}
	others := r.allFits(q, q.Sum)
	buckets := make([]summedBucket, len(r.Values[q.Sum]))
	var out query.Answer
	for row, g := range r.Group {
		f, b := r.rowFit(others, row), r.Bucket[q.Sum][row]
		if b < 0 {
			x := query.FitNumber(spans, r.Cells[g][q.Sum], query.GrainOf(r.Grain, q.Sum))
			out = out.Plus(x.Sum(f, 1))
			continue
		}
		least, most := f.Count(1)
		buckets[b].expected += f.Share
		buckets[b].must, buckets[b].can = buckets[b].must+least, buckets[b].can+most
	}
	for b, s := range buckets {
		values := r.matchingNumbers(q.Sum, b, spans)
		if rounded {
			out = out.Plus(s.rounded(values, len(r.Values[q.Sum][b])))
		} else {
			n := len(r.Values[q.Sum][b])
			out = out.Plus(query.SumAnswer(values, n, s.expected/float64(n), s.must, s.can))
		}
	}
	return out
}

func (r *LocalRelease) matchingNumbers(attribute, bucket int, spans []query.Span) []float64 {
	var out []float64
	for _, c := range r.Values[attribute][bucket] {
		if v := r.Dicts[attribute].Number(c); query.SpansHold(spans, v) {
			out = append(out, v)
		}
	}
	return out
}

// rounded is the answer of a bucket of n rows with the paper's bounds.
func (s summedBucket) rounded(values []float64, n int) query.Answer {
	slices.Sort(values)
	var sum float64
	for _, v := range values {
		sum += v
	}
	hits := s.expected * float64(len(values)) / float64(n)
	least, most := int(math.Floor(hits+1e-9)), min(len(values), int(math.Ceil(hits-1e-9)))
	a := query.Answer{Estimate: sum * s.expected / float64(n)}
	for i := range least {
		a.Lower += values[i]
	}
	for i := range most {
		a.Upper += values[len(values)-1-i]
	}
	return a
}

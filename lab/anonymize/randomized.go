package anonymize

import (
	"slices"

	"anond/equivclass/query"
	"anond/snapshot/readback"
)

// randomized answers from exact rows whose sensitive value was kept with the
// retention probability p and else drawn from the m different values of the
// group. Of n rows that satisfy the other conditions, with c true hits, of s
// values asked for among the m, the release is expected to show
//
//	p c + (1-p) n s/m,
//
// which is solved for c. m is the number of values that the group shows, or l if
// that is more: the draw may have left no row with a value, and then any other is
// as likely to be the one. The estimate is unbiased where m and s are right. The
// bounds are what the exact conditions alone tell.
type randomized struct {
	r         *readback.Release
	retention float64
}

// Estimate implements query.Estimator.
func (e *randomized) Estimate(q *query.Bound) query.Answer {
	var out query.Answer
	sensitive := slices.IndexFunc(q.Preds, func(p query.Predicate) bool { return p.Attribute == len(e.r.Dicts)-1 })
	for g := range len(e.r.Start) - 1 {
		from, to := e.r.Start[g], e.r.Start[g+1]
		asked := 0.0
		if sensitive >= 0 {
			asked = e.asked(&q.Preds[sensitive], g)
		}
		for row := from; row < to; row++ {
			if !e.matches(q, row) {
				continue
			}
			x := 1.0
			if q.Sum >= 0 {
				x = e.r.Dicts[q.Sum].Number(e.r.QI[q.Sum][row])
			}
			if sensitive < 0 {
				out.Estimate, out.Lower, out.Upper = out.Estimate+x, out.Lower+x, out.Upper+x
				continue
			}
			hit := 0.0
			if q.Preds[sensitive].Match[e.r.SA[row]] {
				hit = 1
			}
			p := e.retention
			out.Estimate += x * (hit - (1-p)*asked) / p
			out.Lower, out.Upper = out.Lower+min(0, x), out.Upper+max(0, x)
		}
	}
	return out
}

// asked is the share of a group's different values that a predicate asks for.
func (e *randomized) asked(p *query.Predicate, group int) float64 {
	bag, hits, all := e.r.Bag(group), 0, 0
	for _, c := range bag.Counts {
		if p.Match[c.Code] {
			hits++
		}
	}
	for _, m := range p.Match {
		if m {
			all++
		}
	}
	shown := len(bag.Counts)
	m := max(shown, min(e.r.Manifest.Policy.L, len(p.Match)))
	unseen := 0.0
	if m > shown {
		unseen = float64(m-shown) * float64(all-hits) / float64(len(p.Match)-shown)
	}
	return (float64(hits) + unseen) / float64(m)
}

// matches tells whether a row satisfies the conditions on exact columns.
func (e *randomized) matches(q *query.Bound, row int32) bool {
	for i := range q.Preds {
		if j := q.Preds[i].Attribute; j < len(e.r.QI) && !q.Preds[i].Match[e.r.QI[j][row]] {
			return false
		}
	}
	return true
}

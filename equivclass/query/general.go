package query

import (
	"anond/equivclass"
	"anond/equivclass/cut"
)

// CellRelease is a release by generalization: each group shows one cell for each
// attribute but the sensitive one, whose values are exact.
type CellRelease struct {
	Dicts     []*equivclass.Dictionary
	Sensitive int
	Cells     [][]Cell         // by group, then attribute
	Bags      []equivclass.Bag // by group
	Grain     []float64        // by attribute, see Grains; nil: continuous
}

// NewCellRelease generalizes the groups of a table to tight cells.
func NewCellRelease(dicts []*equivclass.Dictionary, codes [][]equivclass.Code, groups [][]int32, sensitive int) *CellRelease {
	r := &CellRelease{Dicts: dicts, Sensitive: sensitive, Cells: make([][]Cell, len(groups)), Bags: make([]equivclass.Bag, len(groups))}
	for i, g := range groups {
		r.Cells[i] = make([]Cell, len(dicts))
		for j, d := range dicts {
			if j != sensitive {
				r.Cells[i][j] = CellOf(d, cut.Gather(codes[j], g))
			}
		}
		r.Bags[i] = equivclass.BagOf(codes[sensitive], g)
	}
	return r
}

func grainOf(grain []float64, j int) float64 {
	if j < len(grain) {
		return grain[j]
	}
	return 0
}

// Estimate implements Estimator, with values uniform inside cells and
// independent of each other (permutation paper, example 1). The bounds count
// the records whose cells lie in what is asked for, and those whose cells meet it.
// Cost: groups x (restricted attributes + sensitive values).
func (r *CellRelease) Estimate(q *Bound) Answer {
	var out Answer
	for g := range r.Cells {
		out = out.plus(r.group(q, g))
	}
	return out
}

func (r *CellRelease) group(q *Bound, g int) Answer {
	others, sensitive := certain, (*Predicate)(nil)
	summed := allNumbers
	for i := range q.Preds {
		p := &q.Preds[i]
		switch p.Attribute {
		case r.Sensitive:
			sensitive = p
		case q.Sum:
			summed = p.spans
		default:
			others = others.and(p.fit(r.Dicts[p.Attribute], r.Cells[g][p.Attribute], grainOf(r.Grain, p.Attribute)))
		}
	}
	hits, values := r.sensitive(q, g, sensitive)
	switch q.Sum {
	case -1:
		return others.times(float64(hits))
	case r.Sensitive:
		least, most := others.count(r.Bags[g].Total)
		return sumAnswer(values, r.Bags[g].Total, others.share, least, most)
	default:
		x := fitNumber(summed, r.Cells[g][q.Sum], grainOf(r.Grain, q.Sum))
		return x.sum(others, float64(hits))
	}
}

// sensitive counts the records of a group whose sensitive value is asked for,
// and lists their numbers if those are summed.
func (r *CellRelease) sensitive(q *Bound, g int, p *Predicate) (hits int, values []float64) {
	for _, c := range r.Bags[g].Counts {
		if p != nil && !p.Match[c.Code] {
			continue
		}
		hits += c.N
		if q.Sum == r.Sensitive {
			for range c.N {
				values = append(values, worth(r.Dicts[q.Sum], c.Code))
			}
		}
	}
	return hits, values
}

// and is the fit to two independent predicates.
func (f fit) and(o fit) fit {
	return fit{share: f.share * o.share, can: f.can && o.can, must: f.must && o.must}
}

// count bounds how many of n records match.
func (f fit) count(n int) (least, most int) {
	if f.must {
		least = n
	}
	if f.can {
		most = n
	}
	return least, most
}

// times is the answer of n records that fit so.
func (f fit) times(n float64) Answer {
	a := Answer{Estimate: f.share * n}
	if f.must {
		a.Lower = n
	}
	if f.can {
		a.Upper = n
	}
	return a
}

// sum is the sum of the numbers of n records whose summed cell fits as f and
// whose other cells fit as others.
func (f fit) sum(others fit, n float64) Answer {
	if !f.can || !others.can {
		return Answer{}
	}
	a := Answer{Estimate: f.moment * others.share * n, Lower: f.lo * n, Upper: f.hi * n}
	if !f.must || !others.must { // a record may be left out
		a.Lower, a.Upper = min(a.Lower, 0), max(a.Upper, 0)
	}
	return a
}

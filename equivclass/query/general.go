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

// GrainOf is the grain of an attribute (Grains); 0 if none are given.
func GrainOf(grain []float64, j int) float64 {
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
	if q.Mean {
		return r.Buckets().Estimate(q)
	}
	var out Answer
	for g := range r.Cells {
		out = out.Plus(r.group(q, g))
	}
	return out
}

func (r *CellRelease) group(q *Bound, g int) Answer {
	others, sensitive := Certain, (*Predicate)(nil)
	summed := AllNumbers
	for i := range q.Preds {
		p := &q.Preds[i]
		switch p.Attribute {
		case r.Sensitive:
			sensitive = p
		case q.Sum:
			summed = p.Spans
		default:
			others = others.And(p.Fit(r.Dicts[p.Attribute], r.Cells[g][p.Attribute], GrainOf(r.Grain, p.Attribute)))
		}
	}
	hits, values := r.sensitive(q, g, sensitive)
	switch q.Sum {
	case -1:
		return others.Times(float64(hits))
	case r.Sensitive:
		least, most := others.Count(r.Bags[g].Total)
		return sumSaid(values, r.Bags[g].Total, others.Share, least, most).Answer
	default:
		x := FitNumber(summed, r.Cells[g][q.Sum], GrainOf(r.Grain, q.Sum))
		return x.Sum(others, float64(hits))
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
				values = append(values, Worth(r.Dicts[q.Sum], c.Code))
			}
		}
	}
	return hits, values
}

// And is the fit to two independent predicates.
func (f Fit) And(o Fit) Fit {
	return Fit{Share: f.Share * o.Share, Can: f.Can && o.Can, Must: f.Must && o.Must}
}

// Count bounds how many of n records match.
func (f Fit) Count(n int) (least, most int) {
	if f.Must {
		least = n
	}
	if f.Can {
		most = n
	}
	return least, most
}

// Times is the answer of n records that fit so.
func (f Fit) Times(n float64) Answer {
	a := Answer{Estimate: f.Share * n}
	if f.Must {
		a.Lower = n
	}
	if f.Can {
		a.Upper = n
	}
	return a
}

// Sum is the sum of the numbers of n records whose summed cell fits as f and
// whose other cells fit as others.
func (f Fit) Sum(others Fit, n float64) Answer {
	if !f.Can || !others.Can {
		return Answer{}
	}
	a := Answer{Estimate: f.moment * others.Share * n, Lower: f.lo * n, Upper: f.hi * n}
	if !f.Must || !others.Must { // a record may be left out
		a.Lower, a.Upper = min(a.Lower, 0), max(a.Upper, 0)
	}
	return a
}

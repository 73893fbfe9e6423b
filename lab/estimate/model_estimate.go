package estimate

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// Estimate answers a query by the model. It has no bounds of its own: those of the
// release's estimator hold.
//
// The number that a sum adds for a record depends on the query, but not on the
// sensitive value, given the cell.
// Cost: different cells, and classes that can match x values of their bucket x
// features.
func (m *model) Estimate(q *query.Bound) (sum float64) {
	if q.Mean {
		all, people := *q, *q
		all.Mean, people.Mean, people.Sum = false, false, -1
		return m.Estimate(&all) / m.Estimate(&people)
	}
	a := m.ask(q)
	for b := range m.r.Bags {
		sum += a.bucket(b)
	}
	return sum
}

// modelAsk is a query with how it fits each different cell.
type modelAsk struct {
	*model
	worth     []float64 // by sensitive value: what a record with it adds; nil: 1
	parts     []askedColumn
	means     []float64 // by different cell of a summed quasi-identifier: its mean
	meansOf   []int32
	row, tilt []float64
}

// askedColumn is how the different cells of one attribute fit a query.
type askedColumn struct {
	of     []int32
	shares []float64  // of the cell that is asked for
	cell   []features // of the whole cell
	part   []features // of what is asked for, where that is neither nothing nor all
}

func (m *model) ask(q *query.Bound) *modelAsk {
	a := &modelAsk{model: m}
	asked := map[int]*askedValues{}
	for i := range q.Preds {
		p := &q.Preds[i]
		if p.Attribute == m.r.Sensitive {
			a.worth = make([]float64, len(p.Match))
			for v, match := range p.Match {
				if match {
					a.worth[v] = 1
				}
			}
			continue
		}
		asked[p.Attribute] = m.axes[p.Attribute].askedBy(p)
		a.parts = append(a.parts, m.column(p.Attribute, asked[p.Attribute]))
	}
	switch {
	case q.Sum == m.r.Sensitive:
		a.sumSensitive()
	case q.Sum >= 0:
		a.meansOf = m.r.Columns[q.Sum].Of
		for _, p := range m.pieces[q.Sum] {
			if asked[q.Sum] != nil {
				p = p.asked(asked[q.Sum])
			}
			a.means = append(a.means, p.mean())
		}
	}
	return a
}

// sumSensitive makes each record that is asked for count its number.
func (a *modelAsk) sumSensitive() {
	d := a.r.Dicts[a.r.Sensitive]
	if a.worth == nil {
		a.worth = slices.Repeat([]float64{1}, d.Len())
	}
	for v := range a.worth {
		a.worth[v] *= query.Worth(d, equivclass.Code(v))
	}
}

func (m *model) column(j int, asked *askedValues) askedColumn {
	x, n := m.axes[j], len(m.pieces[j])
	out := askedColumn{of: m.r.Columns[j].Of, shares: make([]float64, n), cell: m.bins[j], part: make([]features, n)}
	dense := make([]float64, x.bins)
	for i := range m.pieces[j] {
		part := m.pieces[j][i].asked(asked)
		clear(dense)
		share := x.addBins(&part, dense)
		if share > 1-1e-9 {
			share = 1
		}
		if out.shares[i] = share; share > 0 && share < 1 {
			out.part[i] = x.sparse(dense, 1/share)
		}
	}
	return out
}

func (a *modelAsk) bucket(b int) (sum float64) {
	counts := a.r.Bags[b].Counts
	a.row = slices.Grow(a.row[:0], len(counts))[:len(counts)]
	a.tilt = slices.Grow(a.tilt[:0], len(counts))[:len(counts)]
	for _, i := range a.classes[a.start[b]:a.start[b+1]] {
		matching := float64(a.r.Size[i])
		for k := range a.parts {
			matching *= a.parts[k].shares[a.parts[k].of[i]]
		}
		if matching == 0 {
			continue
		}
		if a.means != nil {
			matching *= a.means[a.meansOf[i]]
		}
		sum += matching * a.each(b, i)
	}
	return sum
}

// each is what a record of a class that matches the query on the
// quasi-identifiers adds on average.
func (a *modelAsk) each(b int, class int32) float64 {
	if a.worth == nil {
		return 1
	}
	counts := a.r.Bags[b].Counts
	a.predict(class, counts, a.row)
	if a.tilted(class, counts) {
		a.clip(counts, a.tilt)
		copy(a.row, a.tilt)
	}
	all, sum := 0.0, 0.0
	for v, scale := range a.scales(b) {
		w := a.row[v] * scale
		all += w
		sum += w * a.worth[counts[v].Code]
	}
	return sum / all
}

// tilted tells whether the query asks for a part of a cell, and predicts the
// shares of values there. The share of a value in the class changes by the ratio of
// the two predictions, so the factors of the fitting apply to the new one.
func (a *modelAsk) tilted(class int32, counts []equivclass.Count) (so bool) {
	for k := range a.parts {
		p := &a.parts[k]
		cell := p.of[class]
		if p.shares[cell] == 1 {
			continue
		}
		if !so {
			copy(a.tilt, a.row)
			so = true
		}
		a.addEffect(&p.part[cell], 1, counts, a.tilt)
		a.addEffect(&p.cell[cell], -1, counts, a.tilt)
	}
	return so
}

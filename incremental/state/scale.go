package state

import "anond/equivclass"

// Distances and loss of numbers are measured by a scale: the range that the schema declares, or one of the
// quasi-identifiers of the first load. It is fixed with the first pool, at level L1 with release 1. So one
// placeholder makes nobody else's cells wider, and figures of different releases compare.
//
// Rule B (buckets): a scale is a function of the quasi-identifiers of all who had arrived when the first pool was
// fixed, which is before any value of them is looked at; TestScaleIsBlind plays all worlds. Rule V (values): what a release shows of
// it is a rounded width, which is nobody's value (equivclass.ScalesOf). Somebody who is forgotten later has left no more in it.

// Measured are the columns of the quasi-identifiers.
func (c *Records) Measured() (dicts []*equivclass.Dictionary, columns []equivclass.Column) {
	for j := range c.Schema.D() {
		dicts, columns = append(dicts, c.QiDict(j)), append(columns, *c.Qi(j))
	}
	return dicts, columns
}

// measure finds the scale of the records that are there, until one is fixed.
func (m *State) MeasureScale() {
	if m.Head.Scale != nil {
		return
	}
	dicts, columns := m.Records.Measured()
	m.Records.Scale = equivclass.ScalesOf(dicts, columns, int(m.Records.Len()))
}

// FixScale keeps the scale by which the first classes are planned.
func (m *State) FixScale() {
	if m.Head.Scale == nil {
		m.Head.Scale, m.Head.Changed = m.Records.Scale, true
	}
}

package state

import (
	"slices"

	"anond/equivclass"
)

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

// MeasureScale finds the scale of the records that are there, until one is fixed: of a quasi-identifier that later settings have
// added, of the records that have it.
func (m *State) MeasureScale() {
	fixed := len(m.Head.Scale)
	if fixed == m.Schema.D() {
		return
	}
	dicts, columns := m.Records.Measured()
	m.Records.Scale = slices.Clone(m.Head.Scale)
	for j, attribute := range m.Schema.Quasi()[fixed:] {
		have := make([]RecordID, 0, m.Records.Len()-m.Records.Begins[attribute])
		for r := m.Records.Begins[attribute]; r < m.Records.Len(); r++ {
			have = append(have, r)
		}
		j += fixed
		column := columns[j]
		if len(have) < column.Len() {
			column = equivclass.Pick(&column, have)
		}
		m.Records.Scale = append(m.Records.Scale, equivclass.ScalesOf(dicts[j:j+1], []equivclass.Column{column}, len(have))...)
	}
}

// FixScale keeps the scale by which the first classes are planned.
func (m *State) FixScale() {
	if len(m.Head.Scale) < len(m.Records.Scale) {
		m.Head.Scale, m.Head.Changed = m.Records.Scale, true
	}
}

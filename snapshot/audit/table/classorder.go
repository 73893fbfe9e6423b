package table

import "slices"
import (
	"anond/snapshot/audit/format"
)

// classOrder compares neighbouring classes of a table canonically: by their
// cells, then by their bags as lists sorted by bytes.
//
// Of exact rows the cell of a class is what they span, the way generalization
// would print it. It is found only where a comparison gets to it: mostly the
// first attribute tells two classes apart.
type classOrder struct {
	s       *format.Schema
	t       *Table
	x, y    []uint32    // bags
	spans   [2][]uint32 // of exact rows: the cells of a class found so far, of even and of odd classes
	class   [2]int      // whose they are
	scratch format.TightScratch
	values  []uint32
}

func newClassOrder(s *format.Schema, t *Table) *classOrder {
	return &classOrder{s: s, t: t, class: [2]int{-1, -1}, scratch: format.TightScratch{Exact: true}}
}

// compare compares class p with class c, the one after it.
func (o *classOrder) compare(p, c int) int {
	for a, attr := range o.s.Qi {
		x, y := o.cell(p, a), o.cell(c, a)
		if x == format.NoCell || y == format.NoCell {
			return 0
		}
		if order := attr.Compare(x, y); order != 0 {
			return order
		}
	}
	if !o.t.OwnBags() {
		return 0
	}
	values := o.s.Sa
	o.x = append(o.x[:0], o.t.Bag(p)...)
	o.y = append(o.y[:0], o.t.Bag(c)...)
	slices.SortFunc(o.x, values.Compare)
	slices.SortFunc(o.y, values.Compare)
	return slices.CompareFunc(o.x, o.y, values.Compare)
}

// cell is the cell of attribute a of a class. Those of the attributes before it
// were asked for already.
func (o *classOrder) cell(c, a int) uint32 {
	if o.t.Box != nil {
		return o.t.Box[c*o.t.D+a]
	}
	side := c % 2
	if o.class[side] != c {
		o.class[side], o.spans[side] = c, o.spans[side][:0]
	}
	for len(o.spans[side]) <= a {
		o.spans[side] = append(o.spans[side], o.span(c, len(o.spans[side])))
	}
	return o.spans[side][a]
}

// span is the tightest cell over the exact rows of a class.
func (o *classOrder) span(c, a int) uint32 {
	o.values = o.values[:0]
	rows := o.t.RowsQI(c)
	for i := a; i < len(rows); i += o.t.D {
		o.values = append(o.values, rows[i])
	}
	return o.s.Qi[a].Tight(o.values, &o.scratch)
}

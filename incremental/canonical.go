package incremental

import (
	"cmp"
	"slices"

	"anond/equivclass"
)

// canonical orders records and classes by their content, so that nothing published
// depends on the order of arrival (rule F, forbidden operations). Records of equal
// content are told apart by their class; classes of equal content may be exchanged
// without a change to any file.
type canonical struct {
	c       *columns
	columns []*equivclass.Column
	ranks   [][]int32 // by column: rank of each code
}

func newCanonical(c *columns) *canonical {
	o := &canonical{c: c}
	for _, i := range slices.Concat(c.schema.Quasi(), c.schema.Semi(), []int{c.schema.SensitiveIndex()}) {
		o.columns, o.ranks = append(o.columns, &c.Columns[i]), append(o.ranks, equivclass.CanonicalOrder(c.Dicts[i]))
	}
	return o
}

// compare compares two records by quasi-identifiers, semi-sensitive values,
// sensitive value, flags and subject.
func (o *canonical) compare(a, b RecordID) int {
	for k, column := range o.columns {
		if d := cmp.Compare(o.ranks[k][column.At(int(a))], o.ranks[k][column.At(int(b))]); d != 0 {
			return d
		}
	}
	if d := cmp.Compare(o.c.flagged(a), o.c.flagged(b)); d != 0 || o.c.firsts == nil {
		return d
	}
	return cmp.Compare(o.c.subject[a], o.c.subject[b])
}

// order returns the classes in canonical order, each with its members in
// canonical order.
func (o *canonical) order(classes [][]RecordID) [][]RecordID {
	out := make([][]RecordID, len(classes))
	for i, members := range classes {
		out[i] = slices.Clone(members)
		slices.SortStableFunc(out[i], o.compare)
	}
	slices.SortStableFunc(out, func(a, b []RecordID) int { return slices.CompareFunc(a, b, o.compare) })
	return out
}

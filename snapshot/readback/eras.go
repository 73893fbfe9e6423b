package readback

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// AskedOf is what a query asks of an era: without the conditions on columns that its parts do not have, whose people may have any value
// there (open), and with the values below a label where only the hierarchy of another era has that label.
func (r *Release) AskedOf(q query.Query, all []*Release) (asked query.Query, open bool) {
	asked = q
	asked.Where = nil
	for _, c := range q.Where {
		of := r.attribute(c.Attribute)
		if of == nil && slices.ContainsFunc(all, func(o *Release) bool { return o.attribute(c.Attribute) != nil }) {
			open = true
			continue
		}
		if of != nil {
			c.Values = slices.Clone(c.Values)
			for i := 0; i < len(c.Values); i++ {
				if below := elsewhere(of, c.Values[i], all); below != nil {
					c.Values = slices.Replace(c.Values, i, i+1, below...)
				}
			}
		}
		asked.Where = append(asked.Where, c)
	}
	return asked, open
}

// Publishes reports that the parts have a column.
func (r *Release) Publishes(name string) bool { return r.attribute(name) != nil }

// attribute is a published one; nil: there is none of the name.
func (r *Release) attribute(name string) *equivclass.Attribute {
	for _, i := range slices.Concat(r.Schema.Quasi(), r.Schema.Sensitive()) {
		if a := &r.Schema.Attributes()[i]; a.Name == name {
			return a
		}
	}
	return nil
}

// elsewhere are the values below a label that the attribute of another era has and this one's does not.
func elsewhere(a *equivclass.Attribute, label string, all []*Release) (below []string) {
	if a.Hierarchy != nil && len(valuesBelow(a.Hierarchy, label)) > 0 {
		return nil
	}
	for _, o := range all {
		if other := o.attribute(a.Name); other != nil && other.Hierarchy != nil {
			if below = valuesBelow(other.Hierarchy, label); len(below) > 0 && !slices.Equal(below, []string{label}) {
				return below
			}
		}
	}
	return nil
}

// valuesBelow are the leaves below a label; nil: the hierarchy does not have it.
func valuesBelow(h *equivclass.Hierarchy, label string) (out []string) {
	leaves := make([]string, h.Leaves())
	for node := range h.Nodes() {
		if lo, hi := h.Span(node); lo == hi {
			if _, is := h.Leaf([]byte(h.Label(node))); is {
				leaves[lo] = h.Label(node)
			}
		}
	}
	for node := range h.Nodes() {
		if lo, hi := h.Span(node); h.Label(node) == label {
			return leaves[lo : hi+1]
		}
	}
	return nil
}

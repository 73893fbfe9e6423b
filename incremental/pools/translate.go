package pools

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
)

// merging is what Merge sees of a pool: bags whose values are numbered by their
// canonical bytes, and the promises and the requirement in these numbers. A dictionary's codes follow
// first appearance, which tells who has which value, so they end here (rule B,
// buckets).
type merging struct {
	attributes promise.Attributes
	order      merge.Order
	want       merge.Requirement
}

// numbered numbers the values of a dictionary, and has no requirement yet.
func numbered(values *equivclass.Dictionary, of *promise.Promise) merging {
	texts := make([]string, values.Len())
	for code := range texts {
		texts[code] = values.Text(equivclass.Code(code))
	}
	m := merging{order: merge.NewOrder(texts)}
	slices.Sort(texts)
	m.attributes = promise.Attributes{{Name: values.Attribute().Name, Promise: of, Values: slices.Compact(texts),
		Missing: equivclass.MissingText}}
	return m
}

// newMerging translates what is asked of the buckets of a pool with a bag. References of t-closeness must be there.
func newMerging(values *equivclass.Dictionary, of *promise.Promise, extra []equivclass.Principle, bag equivclass.Bag) merging {
	m := numbered(values, of)
	m.want.Caps = m.attributes.Caps(m.bag(bag), bag.Total)
	for _, p := range extra {
		m.add(p, values.Len())
	}
	return m
}

func (m *merging) add(p equivclass.Principle, values int) {
	switch p := p.(type) {
	case equivclass.FrequencyL:
		// It is in the promise (Policy.PromiseOf).
	case equivclass.DistinctL:
		m.want.Extra = append(m.want.Extra, merge.Distinct(p.L))
	case equivclass.EntropyL:
		m.want.Extra = append(m.want.Extra, merge.NewEntropy(p.L))
	case equivclass.RecursiveL:
		m.want.Extra = append(m.want.Extra, merge.NewRecursive(p.C, p.L))
	case equivclass.TClose:
		m.want.Extra = append(m.want.Extra, merge.NewClose(p.T, m.bag(p.Reference), m.ground(p.Ground, values)))
	default:
		panic("incremental: buckets know no " + p.Name())
	}
}

// bag returns a bag in the numbering of Merge.
func (m *merging) bag(b equivclass.Bag) merge.Bag {
	out := make(merge.Bag, len(b.Counts))
	for i, c := range b.Counts {
		out[i] = merge.Count{Value: m.order.Rank(int(c.Code)), N: uint32(c.N)}
	}
	slices.SortFunc(out, func(a, b merge.Count) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

// ground returns a ground distance over the places of values in the canonical order.
func (m *merging) ground(g equivclass.Ground, values int) merge.Ground {
	switch g := g.(type) {
	case equivclass.OrderedGround:
		at := make([]int32, values)
		for code := range at {
			at[m.order.Rank(code)] = int32(code)
			if g.Rank != nil {
				at[m.order.Rank(code)] = int32(g.Rank[code])
			}
		}
		return merge.Ordered{Positions: at}
	case equivclass.TreeGround:
		return m.tree(g.Tree)
	default:
		return nil
	}
}

// tree numbers the nodes of a hierarchy anew, children before parents: there, inner
// nodes stand behind the leaves, parents first.
func (m *merging) tree(h *equivclass.Hierarchy) merge.Tree {
	n, leaves := h.Nodes(), h.Leaves()
	number := func(node int) int32 {
		if node < leaves {
			return int32(node)
		}
		return int32(leaves + n - 1 - node)
	}
	t := merge.Tree{Parents: make([]int32, n), Leaves: make([]int32, leaves)}
	for node := range n {
		parent := int32(-1)
		if p := h.Parent(node); p >= 0 {
			parent = number(p)
		}
		t.Parents[number(node)] = parent
	}
	for leaf := range leaves {
		t.Leaves[m.order.Rank(leaf)] = int32(leaf)
	}
	return t
}

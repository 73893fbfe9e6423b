package pools

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/state"
)

// merging is what Merge sees of people: bags in which the values of each sensitive attribute are numbered by their
// canonical bytes, behind those of the attributes before, and the promises and the requirement in these numbers. A dictionary's codes
// follow first appearance, which tells who has which value, so they end here (rule B, buckets).
//
// Of an exact number Merge and the promises see the interval: whatever the numbers are, they decide nothing (Theorem T).
//
// Of a person with a history they see which values it has anywhere, each once ("ever"): a bag says of each value how many people have ever
// had it, so its counts come to more than there are people. Rule U (units): by Theorem DS what is promised is a linear requirement on
// histories, people who ever had v <= cap * people, for each v; it is a function of the bag of histories, closed under union, and Merge
// goes on to look at functions of single bags alone. Where all histories have one value nothing changes.
type merging struct {
	attributes promise.Attributes
	orders     []merge.Order        // by sensitive attribute: of its values
	ever       [][][]uint32         // likewise, then by code: the values of a history; nil: the attribute's codes are values
	columns    []*equivclass.Column // likewise
	want       merge.Requirement
}

// numbered numbers the values of all sensitive attributes, and has no requirement yet. Cost: the dictionaries.
func numbered(c *state.Records, policy *state.Policy) *merging {
	m, next := &merging{}, uint32(0)
	for _, attribute := range c.Schema.Sensitive() {
		values := c.Dicts[attribute]
		texts := make([]string, values.Len())
		for code := range texts {
			texts[code] = values.Label(equivclass.Code(code))
		}
		var ever [][]uint32
		if values.Records() > 0 {
			texts, ever = m.histories(texts, next)
		}
		m.orders, m.columns = append(m.orders, merge.NewOrder(texts).After(next)), append(m.columns, &c.Columns[attribute])
		m.ever = append(m.ever, ever)
		slices.Sort(texts)
		texts = slices.Compact(texts)
		next += uint32(len(texts))
		m.attributes = append(m.attributes, promise.Attribute{Name: values.Attribute().Name, Promise: policy.PromiseOf(attribute),
			Values: texts, Missing: equivclass.MissingText})
	}
	return m
}

// histories are the values that some histories have anywhere, numbered from a number on by their canonical bytes, and those of each one.
func (m *merging) histories(texts []string, from uint32) (values []string, ever [][]uint32) {
	for _, text := range texts {
		values = append(values, equivclass.Ever(text)...)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for _, text := range texts {
		var of []uint32
		for _, value := range equivclass.Ever(text) {
			at, _ := slices.BinarySearch(values, value)
			of = append(of, from+uint32(at))
		}
		ever = append(ever, of)
	}
	return values, ever
}

// someOf is the bag of what some people, by place, have of an attribute, whose codes are in a column.
func someOf[R ~int32 | ~uint32](m *merging, i int, column []equivclass.Code, people []R) merge.Bag {
	if m.ever[i] == nil {
		return merge.BagOf(m.orders[i], column, people)
	}
	var all []uint32
	for _, r := range people {
		all = append(all, m.ever[i][column[r]]...)
	}
	return merge.NewBag(all)
}

// newMerging translates what is asked of the buckets of a pool. References of t-closeness must be there.
func newMerging(c *state.Records, policy *state.Policy, extra []equivclass.Principle, pool []state.RecordID) (m *merging, bag merge.Bag) {
	m = numbered(c, policy)
	bag = m.bagOf(pool)
	m.want.Caps = m.attributes.Caps(bag, len(pool))
	for _, p := range extra {
		m.add(p, m.orders[0].Len())
	}
	return m, bag
}

// bagOf is the bag of some people. Cost: of few people, theirs; of many, they and all values. There may be far more values than
// people in a bucket.
func (m *merging) bagOf(people []state.RecordID) (bag merge.Bag) {
	values := 0
	for _, a := range m.attributes {
		values += len(a.Values)
	}
	if len(people) < values {
		codes, all := make([]equivclass.Code, len(people)), make([]int32, len(people))
		for i, column := range m.columns {
			for j, r := range people {
				codes[j], all[j] = column.At(int(r)), int32(j)
			}
			bag = append(bag, someOf(m, i, codes, all)...)
		}
		return bag
	}
	counts := make([][]int, len(m.columns))
	for i, column := range m.columns {
		counts[i] = make([]int, m.codes(i))
		equivclass.Tally(column, people, counts[i])
	}
	return m.counted(counts)
}

// codes is how many codes an attribute has.
func (m *merging) codes(i int) int {
	if m.ever[i] == nil {
		return m.orders[i].Len()
	}
	return len(m.ever[i])
}

// counted is the bag of people who are counted by attribute and code.
func (m *merging) counted(codes [][]int) (out merge.Bag) {
	next := uint32(0)
	for i, a := range m.attributes {
		counts := make([]uint32, len(a.Values))
		for code, n := range codes[i] {
			if m.ever[i] == nil {
				counts[m.orders[i].Rank(code)-next] += uint32(n)
				continue
			}
			for _, value := range m.ever[i][code] {
				counts[value-next] += uint32(n)
			}
		}
		for rank, n := range counts {
			if n > 0 {
				out = append(out, merge.Count{Value: next + uint32(rank), N: n})
			}
		}
		next += uint32(len(counts))
	}
	return out
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

// bag returns a bag of the first attribute in the numbering of Merge.
func (m *merging) bag(b equivclass.Bag) merge.Bag {
	out := make(merge.Bag, len(b.Counts))
	for i, c := range b.Counts {
		out[i] = merge.Count{Value: m.orders[0].Rank(int(c.Code)), N: uint32(c.N)}
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
			at[m.orders[0].Rank(code)] = int32(code)
			if g.Rank != nil {
				at[m.orders[0].Rank(code)] = int32(g.Rank[code])
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
		t.Leaves[m.orders[0].Rank(leaf)] = int32(leaf)
	}
	return t
}

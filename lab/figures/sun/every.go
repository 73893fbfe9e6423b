package sun

import (
	"slices"

	"anond/equivclass"
)

// everyName is a full-domain search without any pruning: timed only, because
// what it finds is what Org(p,k) finds.
const everyName = "Org(p,k), every combination (ours)"

// everyCombination generalizes the table by every combination of depths and
// counts those whose classes have k records and p different values.
func (w setting) everyCombination(t *equivclass.Table) (held int) {
	var levels [][][]int32
	for _, j := range w.quasi() {
		levels = append(levels, levelsOf(t.Dicts[j]))
	}
	depth := make([]int, len(levels))
	for {
		if w.heldBy(t, levels, depth) {
			held++
		}
		if !next(depth, levels) {
			return held
		}
	}
}

// next steps through the combinations as a counter does.
func next(depth []int, levels [][][]int32) bool {
	for j := range depth {
		if depth[j]++; depth[j] < len(levels[j]) {
			return true
		}
		depth[j] = 0
	}
	return false
}

// levelsOf are the generalized values of each code by depth: exact, and then
// each level of the hierarchy or each width, up to the whole domain.
func levelsOf(d *equivclass.Dictionary) [][]int32 {
	exact := make([]int32, d.Len())
	for c := range exact {
		exact[c] = int32(c)
	}
	out := [][]int32{exact}
	if d.Kind() != equivclass.Tree {
		for _, width := range d.Attribute().Steps {
			out = append(out, mapped(exact, func(c int32) int32 {
				return int32(equivclass.FloorTo(d.Units(equivclass.Code(c)), width))
			}))
		}
		return append(out, make([]int32, d.Len()))
	}
	h := d.Attribute().Hierarchy
	nodes := mapped(exact, func(c int32) int32 { return int32(h.LCA(equivclass.Code(c), equivclass.Code(c))) })
	for slices.ContainsFunc(nodes, func(n int32) bool { return h.Parent(int(n)) >= 0 }) {
		nodes = mapped(nodes, func(n int32) int32 { return int32(max(h.Parent(int(n)), 0)) })
		out = append(out, nodes)
	}
	return out
}

func mapped(in []int32, f func(int32) int32) []int32 {
	out := make([]int32, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

// heldBy judges one combination.
func (w setting) heldBy(t *equivclass.Table, levels [][][]int32, depth []int) bool {
	type class struct {
		n      int
		values uint64 // at most 64 sensitive values
	}
	classes := map[[7]int32]*class{}
	sensitive := t.Codes[len(t.Codes)-1]
	for row, value := range sensitive {
		var key [7]int32
		for j, at := range levels {
			key[j] = at[depth[j]][t.Codes[j][row]]
		}
		c := classes[key]
		if c == nil {
			c = &class{}
			classes[key] = c
		}
		c.n++
		c.values |= 1 << (value % 64)
	}
	for _, c := range classes {
		different := 0
		for v := c.values; v != 0; v &= v - 1 {
			different++
		}
		if c.n < w.k || different < w.p {
			return false
		}
	}
	return true
}

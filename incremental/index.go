package incremental

import "anond/equivclass"

// index is a static spatial index over the boxes of the published classes: a
// packed R-tree, built by median cuts of the boxes' centres along the widest
// dimension. It is built anew at every release and is a function of the boxes
// and their order alone, so that a restart finds what an uninterrupted run
// finds. Searches visit at most a fixed number of leaves: they are exact where
// the tree prunes well and near-exact beyond, at a cost that grows with the
// depth of the tree only.
type index struct {
	d     int
	boxes []float32 // of slot s: lo in [2ds, 2ds+d), hi in [2ds+d, 2ds+2d)
	order []int32   // slots, leaf by leaf
	leafy []float32 // boxes in that order: what a search reads lies together
	nodes []indexNode
	bound []float32 // boxes of the nodes, laid out like boxes
	core  []float32 // boxes around the centres of the nodes' boxes, likewise
	leaf  []int32   // by slot: number of its leaf
	queue []reached // of the search that runs; the index has one user
	near  []float32
}

type indexNode struct {
	from, to int32 // slots order[from:to]
	left     int32 // the right child is left+1; 0: a leaf
	leaf     int32
}

// leafSize is the number of classes in a leaf; a search compares all of them.
const leafSize = 8

// buildIndex indexes the boxes of len(boxes)/2d slots. Cost: m log m.
func buildIndex(d int, boxes []float32) *index {
	m := len(boxes) / (2 * d)
	x := &index{d: d, boxes: boxes, order: make([]int32, m), leaf: make([]int32, m)}
	for i := range x.order {
		x.order[i] = int32(i)
	}
	if m == 0 {
		return x
	}
	x.nodes = append(x.nodes, indexNode{to: int32(m)})
	x.bound = append(x.bound, make([]float32, 2*d)...)
	x.core = append(x.core, make([]float32, 2*d)...)
	centres := x.centres()
	leaves := int32(0)
	for n := 0; n < len(x.nodes); n++ {
		x.surround(n, centres)
		node := &x.nodes[n]
		if node.to-node.from <= leafSize {
			node.leaf = leaves
			for _, s := range x.order[node.from:node.to] {
				x.leaf[s] = leaves
			}
			leaves++
			continue
		}
		x.cut(n, centres)
	}
	for n := len(x.nodes) - 1; n >= 0; n-- {
		x.measure(n)
	}
	x.leafy = make([]float32, 0, len(boxes))
	for _, s := range x.order {
		x.leafy = append(x.leafy, boxes[2*d*int(s):2*d*int(s+1)]...)
	}
	return x
}

// centres are those of all boxes, d a slot.
func (x *index) centres() []float32 {
	out := make([]float32, 0, len(x.boxes)/2)
	for s := range x.order {
		for j := range x.d {
			out = append(out, x.centre(int32(s), j))
		}
	}
	return out
}

// surround sets the core of a node to the box around the centres of its slots.
func (x *index) surround(n int, centres []float32) {
	d, node := x.d, x.nodes[n]
	core := boxAt(x.core, d, int32(n))
	first := d * int(x.order[node.from])
	copy(core.Lo, centres[first:first+d])
	copy(core.Hi, core.Lo)
	for _, s := range x.order[node.from+1 : node.to] {
		core.Extend(centres[d*int(s) : d*int(s+1)])
	}
}

// measure sets the bound of a node to the union of its slots' boxes: of its
// children's bounds, which come after it.
func (x *index) measure(n int) {
	d, node := x.d, x.nodes[n]
	b := boxAt(x.bound, d, int32(n))
	union := func(i int, other equivclass.Box) {
		if i == 0 {
			copy(b.Lo, other.Lo)
			copy(b.Hi, other.Hi)
			return
		}
		b.Extend(other.Lo)
		b.Extend(other.Hi)
	}
	if node.left != 0 {
		union(0, boxAt(x.bound, d, node.left))
		union(1, boxAt(x.bound, d, node.left+1))
		return
	}
	for i, s := range x.order[node.from:node.to] {
		union(i, x.box(s))
	}
}

// cut gives a node two children of equal size, cut along the dimension in which
// the centres of its boxes lie widest apart.
func (x *index) cut(n int, centres []float32) {
	node := x.nodes[n]
	slots := x.order[node.from:node.to]
	j := x.widest(n)
	half := len(slots) / 2
	equivclass.Select(slots, half, func(a, b int32) bool {
		ca, cb := centres[x.d*int(a)+j], centres[x.d*int(b)+j]
		return ca < cb || ca == cb && a < b
	})
	left := int32(len(x.nodes))
	x.nodes[n].left = left
	mid := node.from + int32(half)
	x.nodes = append(x.nodes, indexNode{from: node.from, to: mid}, indexNode{from: mid, to: node.to})
	x.bound = append(x.bound, make([]float32, 4*x.d)...)
	x.core = append(x.core, make([]float32, 4*x.d)...)
}

// widest is the dimension in which the core of a node is.
func (x *index) widest(n int) int {
	core := boxAt(x.core, x.d, int32(n))
	best, width := 0, float32(-1)
	for j := range x.d {
		if w := core.Hi[j] - core.Lo[j]; w > width {
			best, width = j, w
		}
	}
	return best
}

func (x *index) box(slot int32) equivclass.Box { return boxAt(x.boxes, x.d, slot) }

// boxAt is the i-th box of a flat array of boxes, sharing its memory.
func boxAt(boxes []float32, d int, i int32) equivclass.Box {
	b := boxes[2*d*int(i) : 2*d*int(i+1)]
	return equivclass.Box{Lo: b[:d:d], Hi: b[d:]}
}

func (x *index) centre(slot int32, j int) float32 {
	b := 2 * x.d * int(slot)
	return (x.boxes[b+j] + x.boxes[b+x.d+j]) / 2
}

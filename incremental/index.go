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
	leaves := int32(0)
	for n := 0; n < len(x.nodes); n++ {
		x.measure(n)
		node := &x.nodes[n]
		if node.to-node.from <= leafSize {
			node.leaf = leaves
			for _, s := range x.order[node.from:node.to] {
				x.leaf[s] = leaves
			}
			leaves++
			continue
		}
		x.cut(n)
	}
	x.leafy = make([]float32, 0, len(boxes))
	for _, s := range x.order {
		x.leafy = append(x.leafy, boxes[2*d*int(s):2*d*int(s+1)]...)
	}
	return x
}

// measure sets the bound of a node to the union of its slots' boxes, and its
// core to the box around their centres.
func (x *index) measure(n int) {
	d, node := x.d, x.nodes[n]
	b, core := boxAt(x.bound, d, int32(n)), boxAt(x.core, d, int32(n))
	first := x.box(x.order[node.from])
	copy(b.Lo, first.Lo)
	copy(b.Hi, first.Hi)
	for j := range d {
		core.Lo[j] = x.centre(x.order[node.from], j)
		core.Hi[j] = core.Lo[j]
	}
	for _, s := range x.order[node.from+1 : node.to] {
		other := x.box(s)
		b.Extend(other.Lo)
		b.Extend(other.Hi)
		for j := range d {
			c := x.centre(s, j)
			core.Lo[j], core.Hi[j] = min(core.Lo[j], c), max(core.Hi[j], c)
		}
	}
}

// cut gives a node two children of equal size, cut along the dimension in which
// the centres of its boxes lie widest apart.
func (x *index) cut(n int) {
	node := x.nodes[n]
	slots := x.order[node.from:node.to]
	j := x.widest(slots)
	half := len(slots) / 2
	equivclass.Select(slots, half, func(a, b int32) bool {
		ca, cb := x.centre(a, j), x.centre(b, j)
		return ca < cb || ca == cb && a < b
	})
	left := int32(len(x.nodes))
	x.nodes[n].left = left
	mid := node.from + int32(half)
	x.nodes = append(x.nodes, indexNode{from: node.from, to: mid}, indexNode{from: mid, to: node.to})
	x.bound = append(x.bound, make([]float32, 4*x.d)...)
	x.core = append(x.core, make([]float32, 4*x.d)...)
}

func (x *index) widest(slots []int32) int {
	best, width := 0, float32(-1)
	for j := range x.d {
		lo, hi := x.centre(slots[0], j), x.centre(slots[0], j)
		for _, s := range slots[1:] {
			c := x.centre(s, j)
			lo, hi = min(lo, c), max(hi, c)
		}
		if hi-lo > width {
			best, width = j, hi-lo
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

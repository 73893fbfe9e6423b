package nearest

import "math"

// Index holds boxes by number. Searches may run concurrently with each other, but not
// with changes.
type Index struct {
	d      int
	scale  []float64
	lay    layout
	metric metric
	halves metric  // of doubled coordinates
	lo, hi []int64 // the coordinates that were ever seen
	seen   bool

	root  int32
	nodes []node
	free  []int32 // nodes that are in no tree
	cores int     // so many have been given out
	boxes int

	// by entry: node*fan + place
	bounds []uint64 // the words of the lower end, then those of the upper end
	ref    []int32  // the child, in a leaf the number of the box
	least  []int32  // the smallest number below
	cored  []uint64 // by entry of an inner node: the box around the centres below, doubled
	home   []int32  // by box: its leaf, -1 if there is no such box

	centre, child []uint64 // scratch
}

// fan is how many entries a node may have; filled is how many a built leaf gets.
const (
	fan    = 16
	filled = 12
)

type node struct {
	parent int32 // -1: the root
	n      int32
	leaf   bool
	core   int32 // its place in the arrays of inner nodes; -1: it never was one
}

// New returns an index without boxes. One step of dimension j counts scale[j].
func New(scale []float64) *Index {
	x := &Index{d: len(scale), lo: make([]int64, len(scale)), hi: make([]int64, len(scale))}
	x.lay = newLayout(x.lo, x.hi)
	x.Rescale(scale)
	x.reset()
	return x
}

// Rescale changes what a step of each dimension counts. The tree stays.
func (x *Index) Rescale(scale []float64) {
	x.scale = append(x.scale[:0], scale...)
	x.metric, x.halves = newMetric(&x.lay, x.scale, 1), newMetric(&x.lay, x.scale, 2)
	x.centre, x.child = make([]uint64, 2*x.words()), make([]uint64, 2*x.words())
}

// Len returns the number of boxes.
func (x *Index) Len() int { return x.boxes }

// reset empties the tree.
func (x *Index) reset() {
	x.nodes, x.free, x.cores, x.boxes = x.nodes[:0], x.free[:0], 0, 0
	x.bounds, x.cored, x.ref, x.least = x.bounds[:0], x.cored[:0], x.ref[:0], x.least[:0]
	for i := range x.home {
		x.home[i] = -1
	}
	x.root = x.add(true)
}

func (x *Index) words() int { return len(x.lay.guards) }

// add returns a new node without entries.
func (x *Index) add(leaf bool) int32 {
	w := x.words()
	var n int32
	if last := len(x.free) - 1; last >= 0 {
		n, x.free = x.free[last], x.free[:last]
	} else {
		n = int32(len(x.nodes))
		x.nodes = append(x.nodes, node{core: -1})
		x.bounds = append(x.bounds, make([]uint64, 2*fan*w)...)
		x.ref, x.least = append(x.ref, make([]int32, fan)...), append(x.least, make([]int32, fan)...)
	}
	core := x.nodes[n].core
	if !leaf && core < 0 {
		core = int32(x.cores)
		x.cores++
		x.cored = append(x.cored, make([]uint64, 2*fan*w)...)
	}
	x.nodes[n] = node{parent: -1, leaf: leaf, core: core}
	return n
}

// box returns the words of an entry, core those of the box around its centres.
func (x *Index) box(n, i int32) []uint64 {
	w, e := 2*x.words(), int(n)*fan+int(i)
	return x.bounds[e*w : e*w+w]
}

func (x *Index) core(n, i int32) []uint64 {
	w, e := 2*x.words(), int(x.nodes[n].core)*fan+int(i)
	return x.cored[e*w : e*w+w]
}

// append puts an entry behind those of a node that has room.
func (x *Index) append(n int32, box []uint64, ref, least int32) (place int32) {
	place = x.nodes[n].n
	x.nodes[n].n++
	copy(x.box(n, place), box)
	x.ref[int(n)*fan+int(place)], x.least[int(n)*fan+int(place)] = ref, least
	return place
}

// adopt makes a node the child at the end of a parent that has room.
func (x *Index) adopt(parent, child int32) {
	x.nodes[child].parent = parent
	place := x.append(parent, nil, child, 0)
	x.tighten(parent, place)
}

// tighten makes an entry of an inner node the smallest that covers its child.
func (x *Index) tighten(n, place int32) {
	child := x.ref[int(n)*fan+int(place)]
	box, core, least := x.box(n, place), x.core(n, place), int32(math.MaxInt32)
	for i := range x.nodes[child].n {
		b, c := x.box(child, i), x.child
		if x.nodes[child].leaf {
			double(b, c)
		} else {
			c = x.core(child, i)
		}
		if i == 0 {
			copy(box, b)
			copy(core, c)
		}
		x.lay.extend(box, b)
		x.lay.extend(core, c)
		least = min(least, x.least[int(child)*fan+int(i)])
	}
	x.least[int(n)*fan+int(place)] = least
}

// place returns where in its parent a node stands.
func (x *Index) place(n int32) int32 {
	from := int(x.nodes[n].parent) * fan
	for i := range x.nodes[x.nodes[n].parent].n {
		if x.ref[from+int(i)] == n {
			return i
		}
	}
	panic("nearest: a node is not among the children of its parent")
}

// double writes the doubled centre of a box, as both ends of a box: lanes have a bit for it.
func double(box, into []uint64) {
	w := len(box) / 2
	for i := range w {
		into[i] = box[i] + box[w+i]
		into[w+i] = into[i]
	}
}

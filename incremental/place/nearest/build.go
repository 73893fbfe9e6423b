package nearest

import (
	"cmp"
	"slices"

	"anond/equivclass"
)

// split gives half of a full node's entries to a new sibling.
func (x *Index) split(n int32) {
	p := x.nodes[n].parent
	if p < 0 {
		p = x.add(false)
		x.root = p
		x.adopt(p, n)
	} else if x.nodes[p].n == fan {
		x.split(p)
		p = x.nodes[n].parent
	}
	m := x.add(x.nodes[n].leaf)
	order := x.along(n)
	for _, i := range order[len(order)/2:] {
		x.nodes[m].n++
		x.move(n, i, m, x.nodes[m].n-1)
	}
	gone := slices.Clone(order[len(order)/2:])
	slices.Sort(gone)
	for _, i := range slices.Backward(gone) {
		x.drop(n, i)
	}
	x.tighten(p, x.place(n))
	x.adopt(p, m)
}

// along returns the entries of a node in order of their centres in the dimension in which
// these lie widest apart.
func (x *Index) along(n int32) []int32 {
	w := x.words()
	centres, order := make([]uint64, fan*w), make([]int32, x.nodes[n].n)
	for i := range order {
		order[i] = int32(i)
		if x.nodes[n].leaf {
			double(x.box(n, int32(i)), x.child)
			copy(centres[i*w:i*w+w], x.child)
		} else {
			x.middle(x.core(n, int32(i)), centres[i*w:i*w+w])
		}
	}
	a := x.widest(order, centres)
	slices.SortFunc(order, func(i, k int32) int {
		return cmp.Or(cmp.Compare(a.value(centres[int(i)*w+a.word]), a.value(centres[int(k)*w+a.word])), cmp.Compare(i, k))
	})
	return order
}

// middle writes the middle of a box of doubled centres, rounded down: lanes have no room for
// the sum of its ends.
func (x *Index) middle(core, into []uint64) {
	clear(into)
	for j := range x.lay.lanes {
		a := &x.lay.lanes[j]
		into[a.word] |= (a.value(core[a.word]) + a.value(core[len(into)+a.word])) / 2 << a.shift
	}
}

// widest returns the lane in which centres lie widest apart, of equals the first.
func (x *Index) widest(rows []int32, centres []uint64) *lane {
	w := x.words()
	best, width := 0, -1.0
	for j := range x.lay.lanes {
		a := &x.lay.lanes[j]
		lo, hi := ^uint64(0), uint64(0)
		for _, r := range rows {
			v := a.value(centres[int(r)*w+a.word])
			lo, hi = min(lo, v), max(hi, v)
		}
		if wide := float64(int64(hi-lo)) * x.scale[j]; wide > width {
			best, width = j, wide
		}
	}
	return &x.lay.lanes[best]
}

// rebuild makes a tree of the boxes that are there and new ones, by median cuts from the
// top.
func (x *Index) rebuild(numbers []int32, packed []uint64) {
	w := x.words()
	numbers, packed = slices.Clone(numbers), slices.Clip(packed)
	for n := range x.nodes {
		if !x.nodes[n].leaf {
			continue
		}
		for e := n * fan; e < n*fan+int(x.nodes[n].n); e++ {
			numbers = append(numbers, x.ref[e])
			packed = append(packed, x.bounds[2*e*w:2*e*w+2*w]...)
		}
	}
	x.reset()
	if len(numbers) == 0 {
		return
	}
	b := build{x: x, numbers: numbers, packed: packed, centres: make([]uint64, w*len(numbers))}
	rows := make([]int32, len(numbers))
	for i := range rows {
		rows[i] = int32(i)
		double(packed[2*i*w:2*i*w+2*w], x.child)
		copy(b.centres[i*w:i*w+w], x.child)
	}
	x.free = append(x.free, x.root)
	x.root = b.tree(rows)
	x.boxes = len(numbers)
}

// build is what a tree is built of.
type build struct {
	x       *Index
	numbers []int32
	packed  []uint64 // low and high of each box
	centres []uint64 // doubled
}

// tree makes a node of rows: a leaf, or one with eight children of equal size.
func (b *build) tree(rows []int32) int32 {
	x, w := b.x, b.x.words()
	if len(rows) <= filled {
		n := x.add(true)
		for _, r := range rows {
			at := 2 * int(r) * w
			x.append(n, b.packed[at:at+2*w], b.numbers[r], b.numbers[r])
			x.home[b.numbers[r]] = n
		}
		return n
	}
	parts := [][]int32{rows}
	for range 3 {
		var next [][]int32
		for _, p := range parts {
			if len(p) <= filled {
				next = append(next, p)
				continue
			}
			half := b.cut(p)
			next = append(next, p[:half], p[half:])
		}
		parts = next
	}
	n := x.add(false)
	for _, p := range parts {
		x.adopt(n, b.tree(p))
	}
	return n
}

// cut moves the rows with smaller centres to the front, and returns how many these are.
func (b *build) cut(rows []int32) int {
	w, a := b.x.words(), b.x.widest(rows, b.centres)
	half := len(rows) / 2
	equivclass.Select(rows, half, func(r, s int32) bool {
		u, v := a.value(b.centres[int(r)*w+a.word]), a.value(b.centres[int(s)*w+a.word])
		return u < v || u == v && b.numbers[r] < b.numbers[s]
	})
	return half
}

package extract

import (
	"sync"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// nearby is a row, or a class, at a distance.
type nearby struct {
	dist float32
	id   int32
}

// neighbours finds the points nearest to each of some points: the Manhattan distance
// decides, equals in the order in which they were given.
//
// Most pairs are excluded by their first eight dimensions, seven bits each, which one
// word holds. Claim: no pair is excluded that the distance would not exclude. Proof. Let
// q(v) be floor(127 v), v being moved into [0,1] before, which brings no two values
// farther apart. Then |q(a)-q(b)| < 127 |a-b| + 1, and the sum over at most eight
// dimensions is below 127 dist + 8. far(limit) is at least 127 limit + 9, so a pair
// whose sum reaches it has dist > limit + 1/127, which is more than rounding can add to
// a sum of float32 of this size.  QED
//
// The points are visited leaf by leaf of a tree of medians, beginning with their own, so
// that limits are soon narrow; a leaf is excluded by its box, in the same way.
type neighbours struct {
	d      int
	coords []float32 // of the points, in the order of the tree
	words  []uint64  // the same in seven bits
	place  []int32   // in the given order
	leaves []leaf
}

type leaf struct {
	begin, end int32
	lo, hi     uint64
}

const (
	leafPoints = 16
	highBits   = 0x8080808080808080 // unused in words
)

// newNeighbours takes the points with the given numbers.
func newNeighbours(coords []float32, d int, ids []int32) *neighbours {
	v := &neighbours{d: d, coords: make([]float32, 0, len(ids)*d), words: make([]uint64, 0, len(ids)), place: make([]int32, 0, len(ids))}
	given := make([]float32, 0, len(ids)*d)
	for _, id := range ids {
		given = append(given, coords[int(id)*d:int(id+1)*d]...)
	}
	for _, part := range kdSplit(given, d, cut.Identity(len(ids)), leafPoints, 0, 1) {
		l := leaf{begin: int32(len(v.place)), end: int32(len(v.place) + len(part))}
		for i, p := range part {
			at := given[int(p)*d : int(p+1)*d]
			w := sevenBits(at)
			v.coords, v.words, v.place = append(v.coords, at...), append(v.words, w), append(v.place, p)
			if i == 0 {
				l.lo, l.hi = w, w
			}
			l.lo, l.hi = l.lo-above(l.lo, w), l.hi+above(w, l.hi)
		}
		v.leaves = append(v.leaves, l)
	}
	return v
}

// sevenBits packs the first eight coordinates.
func sevenBits(at []float32) (w uint64) {
	for j, v := range at[:min(8, len(at))] {
		w |= uint64(127*min(1, max(0, v))) << (8 * j)
	}
	return w
}

// above is a-b in each byte where a is above b, else 0.
func above(a, b uint64) uint64 {
	diff := (a | highBits) - b
	over := diff & highBits
	return diff & (over - over>>7)
}

// sumOf adds the bytes of a word.
func sumOf(w uint64) uint64 {
	const even = 0x00FF00FF00FF00FF
	return (w&even + w>>8&even) * 0x0001000100010001 >> 48
}

// far is a sum from which on a point is farther than the limit.
func far(limit float32) uint64 {
	return uint64(min(127*float64(limit), 8*127)) + 10
}

// each calls do for every point, by its place in the given order, with the near points
// nearest to it, ascending; they are places, too, and valid during the call. So many
// goroutines share the leaves: the calls must not touch what others use.
func (v *neighbours) each(near, workers int, do func(place int32, list []nearby)) {
	if workers = min(workers, len(v.leaves)); workers < 2 {
		v.some(0, len(v.leaves), near, do)
		return
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { v.some(w*len(v.leaves)/workers, (w+1)*len(v.leaves)/workers, near, do) })
	}
	all.Wait()
}

// some is each for the points of some leaves.
func (v *neighbours) some(from, to, near int, do func(place int32, list []nearby)) {
	list := make([]nearby, 0, near+1)
	for own := from; own < to; own++ {
		for i := v.leaves[own].begin; i < v.leaves[own].end; i++ {
			list = list[:0]
			limit := far(maxSpan)
			for step := range 2 * len(v.leaves) { // own, own+1, own-1, own+2, ...
				at := own - (step+1)/2
				if step%2 == 1 {
					at = own + (step+1)/2
				}
				if at < 0 || at >= len(v.leaves) {
					continue
				}
				o := &v.leaves[at]
				if w := v.words[i]; sumOf(above(o.lo, w)+above(w, o.hi)) < limit {
					list, limit = v.scan(i, o, list, near, limit)
				}
			}
			do(v.place[i], list)
		}
	}
}

// scan looks at the points of a leaf and returns the list and the new limit.
func (v *neighbours) scan(i int32, o *leaf, list []nearby, near int, limit uint64) ([]nearby, uint64) {
	d, own := int32(v.d), v.words[i]
	at := v.coords[i*d : (i+1)*d]
	for j, w := range v.words[o.begin:o.end] {
		other := o.begin + int32(j)
		if sumOf(above(own, w)+above(w, own)) >= limit || other == i {
			continue
		}
		c := nearby{manhattan(at, v.coords[other*d:(other+1)*d]), v.place[other]}
		if len(list) == near {
			if last := list[near-1]; !before(c, last) {
				continue
			}
		}
		list = insert(list, near, c)
		if len(list) == near {
			limit = far(list[near-1].dist)
		}
	}
	return list, limit
}

// before is the order of distances, equals by number.
func before(a, b nearby) bool { return a.dist < b.dist || a.dist == b.dist && a.id < b.id }

// insert puts c into list, the up to room first in order.
func insert(list []nearby, room int, c nearby) []nearby {
	if len(list) == room {
		list = list[:room-1]
	}
	i := len(list)
	list = append(list, c)
	for ; i > 0 && before(c, list[i-1]); i-- {
		list[i] = list[i-1]
	}
	list[i] = c
	return list
}

// Near puts classes into blocks of equal size whose classes lie near each other, for a
// decision that treats each block apart. The classes, of at least two rows each, must be a
// multiple of blocks. It returns the classes in an order in which class i is in block i
// modulo blocks. Like Classes it is given points, so no block depends on a value. Work that
// was stopped returns the classes as they were.
//
// Method: Blind on the centres of the classes' cells. Cost: that of Classes for so many
// records, with the classes of a block for k.
func (m Blind) Near(p equivclass.Points, classes [][]int32, blocks int) [][]int32 {
	each := len(classes) / max(1, blocks)
	if blocks < 2 || each < 2 {
		return classes
	}
	centres := equivclass.Points{Space: p.Space, X: make([]float32, 0, len(classes)*len(p.Space.Dims))}
	for _, c := range classes {
		centres.X = appendCentre(centres.X, p, c)
	}
	groups, rest := m.Classes(centres, each)
	if len(groups) != blocks || len(rest) > 0 {
		return classes // stopped
	}
	out := make([][]int32, len(classes))
	for b, g := range groups {
		for i, c := range g {
			out[i*blocks+b] = classes[c]
		}
	}
	return out
}

// appendCentre appends the centre of the cell of some rows.
func appendCentre(x []float32, p equivclass.Points, rows []int32) []float32 {
	for j, d := 0, len(p.Space.Dims); j < d; j++ {
		lo := p.X[int(rows[0])*d+j]
		hi := lo
		for _, r := range rows[1:] {
			at := p.X[int(r)*d+j]
			lo, hi = min(lo, at), max(hi, at)
		}
		x = append(x, (lo+hi)/2)
	}
	return x
}

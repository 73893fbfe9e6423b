package nearest

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// chunk is how many points a worker takes at a time.
const chunk = 8192

// Nearest returns, for each of n points, the number of the nearest box; -1 if there is no
// box. at writes the coordinates of a point and is called by several workers at once, for
// different points. Workers, at least one, have no influence on the answers.
func (x *Index) Nearest(n int, at func(i int, into []int64), workers int) []int32 {
	out := make([]int32, n)
	if x.boxes == 0 {
		for i := range out {
			out[i] = -1
		}
		return out
	}
	packed := make([]uint64, n*x.words())
	for {
		var missed sync.Mutex
		var outside []int64
		each(n, workers, func(from, to int) {
			if point := x.packAll(packed, at, from, to); point != nil {
				missed.Lock()
				defer missed.Unlock()
				outside = append(outside, point...)
			}
		})
		if outside == nil {
			break
		}
		for i := 0; i < len(outside); i += 2 * x.d {
			x.reach(outside[i:i+x.d], outside[i+x.d:i+2*x.d])
		}
		packed = make([]uint64, n*x.words())
	}
	each(n, workers, func(from, to int) { x.searchAll(packed, from, to, out) })
	return out
}

// packAll packs points and returns the smallest and largest coordinates of those that do
// not fit, nil if all do.
func (x *Index) packAll(packed []uint64, at func(int, []int64), from, to int) (outside []int64) {
	w, point := x.words(), make([]int64, x.d)
	for i := from; i < to; i++ {
		at(i, point)
		if x.lay.pack(point, packed[i*w:i*w+w]) {
			continue
		}
		if outside == nil {
			outside = slices.Concat(point, point)
		}
		for j, v := range point {
			outside[j], outside[x.d+j] = min(outside[j], v), max(outside[x.d+j], v)
		}
	}
	return outside
}

// searchAll answers the points of a chunk in an order in which neighbours follow each
// other. A search begins with the answer of the point before.
func (x *Index) searchAll(packed []uint64, from, to int, out []int32) {
	w := x.words()
	order := make([]keyed, to-from)
	for i := range order {
		p := from + i
		order[i] = keyed{x.key(packed[p*w : p*w+w]), int32(p)}
	}
	slices.SortFunc(order, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	s := walk{x: x, best: -1}
	for _, o := range order {
		at := packed[int(o.row)*w : int(o.row)*w+w]
		if s.best >= 0 && slices.Equal(at, s.at) {
			out[o.row] = s.best
			continue
		}
		s.at = at
		s.find()
		out[o.row] = s.best
	}
}

type keyed struct {
	key uint64
	row int32
}

// key orders points along a curve that stays in one region for a while: the bits of the
// coordinates, the highest of each first.
func (x *Index) key(at []uint64) (key uint64) {
	lanes := x.lay.lanes[:min(16, x.d)]
	for b := range max(1, 48/len(lanes)) {
		for j := range lanes {
			a := &lanes[j]
			bit := uint64(0)
			if v := a.value(at[a.word]); int(a.bits) > b {
				bit = v >> (a.bits - 1 - uint(b)) & 1
			}
			key = key<<1 | bit
		}
	}
	return key
}

// each divides n points among workers, chunk by chunk.
func each(n, workers int, do func(from, to int)) {
	var next atomic.Int64
	run := func() {
		for {
			from := int(next.Add(chunk)) - chunk
			if from >= n {
				return
			}
			do(from, min(n, from+chunk))
		}
	}
	var all sync.WaitGroup
	for range min(workers, (n+chunk-1)/chunk) - 1 {
		all.Go(run)
	}
	run()
	all.Wait()
}

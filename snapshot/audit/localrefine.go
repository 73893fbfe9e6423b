package audit

import (
	"encoding/binary"
	"maps"
	"slices"
)

// refineBudget bounds the rows that one refinement looks at. Beyond it a
// matching is not found although one may exist: the release is refused, which
// is the safe side.
const refineBudget = 50_000_000

// refine looks for a matching of the buckets when neither content, nor classes,
// nor the order of numbers tells them apart: colour refinement, buckets by the
// colours of their rows and rows by those of their buckets, on both releases at
// once; then one bucket of a colour is tied to each candidate in turn. It works
// on the groups of classes that are connected with those that disagree, each by
// itself: buckets of different groups have different classes.
//
// Guarantee: true only if the matching left in m.to satisfies every class.
func (m *localMatch) refine(wrong []int) bool {
	budget := refineBudget
	for _, part := range m.parts(wrong) {
		r := &refinement{m: m, q: len(m.s.local), budget: budget, classes: part}
		r.first()
		if !r.search() {
			return false
		}
		budget = r.budget
	}
	return true
}

// parts lists the matched classes that some path of shared buckets joins with
// the given ones, connected classes in one list.
func (m *localMatch) parts(wrong []int) (out [][]int) {
	d := newDisjoint(m.after.m)
	for j := range m.s.local {
		b := &m.after.local.attrs[j]
		first := make([]uint32, b.m)
		for c := range m.after.m {
			for _, r := range b.rows(m.after, c) {
				switch {
				case r == 0:
				case first[r-1] == 0:
					first[r-1] = uint32(c) + 1
				default:
					d.union(first[r-1]-1, uint32(c))
				}
			}
		}
	}
	at := map[uint32]int{} // root -> place in out
	for _, c := range wrong {
		if root := d.find(uint32(c)); !hasKey(at, root) {
			at[root] = len(out)
			out = append(out, nil)
		}
	}
	for c := range m.after.m {
		if i, ok := at[d.find(uint32(c))]; ok && m.was[c] > 0 {
			out[i] = append(out[i], c)
		}
	}
	return out
}

func hasKey[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// refinement holds the colours of the buckets of both releases, keyed by
// attribute and bucket. Equal colours mean: not told apart so far.
type refinement struct {
	m       *localMatch
	q       int
	classes []int
	budget  int
	names   map[string]uint32
	colour  [2]map[localBucket]uint32 // before, after
}

type localBucket struct {
	attr   int
	number uint32
}

const sideBefore, sideAfter = 0, 1

// side gives a class's table and its number there.
func (r *refinement) side(side, c int) (*table, int) {
	if side == sideBefore {
		return r.m.before, int(r.m.was[c]) - 1
	}
	return r.m.after, c
}

// first colours buckets by attribute and content.
func (r *refinement) first() {
	r.names = map[string]uint32{}
	for side := range r.colour {
		r.colour[side] = map[localBucket]uint32{}
		for _, c := range r.classes {
			t, at := r.side(side, c)
			for j := range r.q {
				b := &t.local.attrs[j]
				for _, n := range b.rows(t, at) {
					if n > 0 {
						r.colour[side][localBucket{j, n - 1}] = r.name([]uint32{uint32(j), b.bags()[n-1]})
					}
				}
			}
		}
	}
}

func (r *refinement) name(parts []uint32) uint32 {
	var buf []byte
	for _, p := range parts {
		buf = binary.LittleEndian.AppendUint32(buf, p)
	}
	id, ok := r.names[string(buf)]
	if !ok {
		id = uint32(len(r.names))
		r.names[string(buf)] = id
	}
	return id
}

// stable refines until no round tells more buckets apart. It reports whether the
// two releases still look alike.
func (r *refinement) stable() bool {
	for distinct := -1; ; {
		r.names = map[string]uint32{}
		r.round(sideBefore)
		r.round(sideAfter)
		before, after := histogramOf(r.colour[sideBefore]), histogramOf(r.colour[sideAfter])
		if !maps.Equal(before, after) {
			return false
		}
		if len(after) == distinct || r.budget < 0 {
			return r.budget >= 0
		}
		distinct = len(after)
	}
}

func (r *refinement) round(side int) {
	rows := map[localBucket][]uint32{}
	row := make([]uint32, r.q+1)
	for _, c := range r.classes {
		t, at := r.side(side, c)
		r.budget -= t.size(at)
		for i := range t.size(at) {
			row[0] = uint32(c)
			for j := range r.q {
				row[j+1] = 0
				if n := t.local.attrs[j].rows(t, at)[i]; n > 0 {
					row[j+1] = r.colour[side][localBucket{j, n - 1}] + 1
				}
			}
			id := r.name(append(row, 0)) // a name of a row
			for j := range r.q {
				if n := t.local.attrs[j].rows(t, at)[i]; n > 0 {
					b := localBucket{j, n - 1}
					rows[b] = append(rows[b], id)
				}
			}
		}
	}
	next := make(map[localBucket]uint32, len(rows))
	for _, b := range sortedBuckets(rows) {
		ids := rows[b]
		slices.Sort(ids)
		next[b] = r.name(append([]uint32{uint32(b.attr), r.colour[side][b]}, append(ids, 1)...)) // a name of a bucket
	}
	r.colour[side] = next
}

func sortedBuckets[V any](m map[localBucket]V) []localBucket {
	return slices.SortedFunc(maps.Keys(m), func(x, y localBucket) int {
		if x.attr != y.attr {
			return x.attr - y.attr
		}
		return int(x.number) - int(y.number)
	})
}

func histogramOf(colour map[localBucket]uint32) map[uint32]int {
	h := map[uint32]int{}
	for _, c := range colour {
		h[c]++
	}
	return h
}

// search pairs buckets of equal colour in order of number, and if the rows do
// not agree ties one pair and tries again.
func (r *refinement) search() bool {
	if !r.stable() {
		return false
	}
	of := [2]map[uint32][]localBucket{{}, {}}
	for side, colour := range r.colour {
		for _, b := range sortedBuckets(colour) {
			of[side][colour[b]] = append(of[side][colour[b]], b)
		}
	}
	tied := uint32(0)
	several := false
	for _, c := range slices.Sorted(maps.Keys(of[sideAfter])) {
		for i, b := range of[sideBefore][c] {
			r.m.to[b.attr][b.number] = of[sideAfter][c][i].number + 1
		}
		if !several && len(of[sideAfter][c]) > 1 {
			tied, several = c, true
		}
	}
	if len(r.m.disagreeing(r.classes)) == 0 {
		return true
	}
	if !several {
		return false
	}
	saved := r.colour
	x := of[sideBefore][tied][0]
	for _, y := range of[sideAfter][tied] {
		r.colour = [2]map[localBucket]uint32{maps.Clone(saved[0]), maps.Clone(saved[1])}
		r.colour[sideBefore][x], r.colour[sideAfter][y] = 1<<31, 1<<31 // no name is that high
		if r.search() {
			return true
		}
		if r.budget < 0 {
			return false
		}
	}
	return false
}

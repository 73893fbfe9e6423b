package bucketize

import (
	"cmp"
	"container/heap"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// PermutationNear forms the groups of permutation anonymization from near
// records. It is ours, an alternative to the faithful Permutation: Algorithm 1
// of the paper assigns the records that Algorithm 2 could not divide without
// regard to the quasi-identifiers. Where one value has nearly 1/l of the
// records, that is nearly all records (Adult at l=4), and shuffling each column
// then loses what anatomy keeps.
//
// Guarantee: that of Partitioner. With l alone, groups have l records or a few
// more and no value twice.
//
// Method: sort the records as the leaves of a k-d tree. Repeatedly take the
// first record left, and of the records that follow it the nearest ones with
// other values, until the group has l. A value with so many records left that
// the rest would not be l-eligible without it is taken first (as in
// UniqueBuckets: such values have equal counts, and taking one of each leaves
// the rest eligible). A group that is too small for k, or that fails another
// principle, is joined with the next one.
//
// Cost: n log n x D for the order, n/l x nearWindow x D for the groups.
type PermutationNear struct{}

// nearWindow is how many of the records that follow are considered.
const nearWindow = 128

// Name returns permutation-near.
func (PermutationNear) Name() string { return "permutation-near" }

// Partition implements Partitioner.
func (PermutationNear) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		kdOrder(p, rows)
		g := newNearGrouper(p, rows, max(want.L, 1))
		var out [][]int32
		for g.left > 0 {
			out = append(out, g.group())
		}
		return joinUntilHolds(p, want, out)
	})
}

// kdOrder sorts rows as the leaves of a k-d tree that halves the widest
// dimension. Cost: n log n x D.
func kdOrder(p *equivclass.Pool, rows []int32) {
	keys := make([]uint64, len(rows))
	var halve func(rows []int32, keys []uint64)
	halve = func(rows []int32, keys []uint64) {
		if len(rows) < 3 {
			return
		}
		j, d := cut.Widest(p, rows), p.D()
		for i, r := range rows {
			keys[i] = split.OrderedBits(p.X[int(r)*d+j])<<32 | uint64(uint32(r))
		}
		half := len(rows) / 2
		cut.Nth(keys, half)
		for i, k := range keys {
			rows[i] = int32(uint32(k))
		}
		halve(rows[:half], keys[:half])
		halve(rows[half:], keys[half:])
	}
	halve(rows, keys)
}

// nearGrouper holds the records that are in no group yet.
type nearGrouper struct {
	p       *equivclass.Pool
	rows    []int32   // in k-d order
	next    []int32   // next place that may be free, by place; path-halved
	value   []int32   // dense number of the value, by place
	lists   [][]int32 // free places of each value, ascending; taken places at the front are skipped
	taken   []bool    // by place
	count   []int     // free places of each value
	l, left int
	most    countQueue // values by count; entries may be stale
	must    []int32    // values that every further group needs
	isMust  []bool
	inGroup []int32 // by value: the last group that has it
	groups  int32
	near    []nearPlace
}

type nearPlace struct {
	place int32
	loss  float32
}

// countQueue is a heap of values, the greatest count first.
type countQueue []countEntry

type countEntry struct {
	value int32
	count int
}

func (q countQueue) Len() int      { return len(q) }
func (q countQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q countQueue) Less(i, j int) bool {
	return q[i].count > q[j].count || q[i].count == q[j].count && q[i].value < q[j].value
}
func (q *countQueue) Push(x any) { *q = append(*q, x.(countEntry)) }
func (q *countQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newNearGrouper(p *equivclass.Pool, rows []int32, l int) *nearGrouper {
	codes := make([]equivclass.Code, len(rows))
	for i, r := range rows {
		codes[i] = p.SA[r]
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	g := &nearGrouper{p: p, rows: rows, l: l, left: len(rows), next: make([]int32, len(rows)+1), value: make([]int32, len(rows)),
		taken: make([]bool, len(rows)+1), lists: make([][]int32, len(codes)), count: make([]int, len(codes)), isMust: make([]bool, len(codes)),
		inGroup: make([]int32, len(codes))}
	for i, r := range rows {
		v, _ := slices.BinarySearch(codes, p.SA[r])
		g.value[i], g.next[i] = int32(v), int32(i)+1
		g.lists[v] = append(g.lists[v], int32(i))
		g.count[v]++
	}
	for v, n := range g.count {
		g.most = append(g.most, countEntry{int32(v), n})
	}
	heap.Init(&g.most)
	return g
}

// free returns the first free place from i on, len(rows) if there is none.
func (g *nearGrouper) free(i int32) int32 {
	for int(i) < len(g.rows) && g.taken[i] {
		if n := g.next[i]; int(n) < len(g.rows) && g.taken[n] {
			g.next[i] = g.next[n]
		}
		i = g.next[i]
	}
	return i
}

// group takes the records of one group out.
func (g *nearGrouper) group() []int32 {
	g.groups++
	g.findMust()
	seed := g.free(0)
	group := make([]int32, 0, max(g.l, len(g.must)))
	for _, v := range g.must {
		group = g.take(group, g.nearest(v, seed))
	}
	if len(group) < g.l && !g.has(seed) {
		group = g.take(group, seed)
	}
	g.weigh(seed)
	for _, c := range g.near {
		if len(group) >= g.l {
			break
		}
		if !g.has(c.place) {
			group = g.take(group, c.place)
		}
	}
	return g.fill(group, seed)
}

func (g *nearGrouper) has(place int32) bool { return g.inGroup[g.value[place]] == g.groups }

func (g *nearGrouper) take(group []int32, place int32) []int32 {
	v := g.value[place]
	g.taken[place], g.inGroup[v] = true, g.groups
	g.count[v]--
	g.left--
	return append(group, g.rows[place])
}

// findMust adds the values v with l count(v) > left - l. Once every further
// group must have such a value, this stays so until the value has no records
// left.
func (g *nearGrouper) findMust() {
	g.must = slices.DeleteFunc(g.must, func(v int32) bool { return g.count[v] == 0 })
	for len(g.most) > 0 {
		top := g.most[0]
		switch now := g.count[top.value]; {
		case g.isMust[top.value] || now == 0:
			heap.Pop(&g.most)
		case now != top.count:
			g.most[0].count = now
			heap.Fix(&g.most, 0)
		case now*g.l > g.left-g.l:
			g.isMust[top.value] = true
			g.must = append(g.must, top.value)
			heap.Pop(&g.most)
		default:
			return
		}
	}
}

// weigh lists the free places that follow the seed, the nearest first.
func (g *nearGrouper) weigh(seed int32) {
	g.near = g.near[:0]
	for i := g.free(seed); int(i) < len(g.rows) && len(g.near) < nearWindow; i = g.free(i + 1) {
		g.near = append(g.near, nearPlace{i, split.PairLoss(g.p, g.rows[seed], g.rows[i])})
	}
	slices.SortFunc(g.near, func(a, b nearPlace) int {
		return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.place, b.place))
	})
}

// nearest returns the place of value v nearest to the seed, of the first few
// free ones, which in k-d order are those that follow it first.
func (g *nearGrouper) nearest(v, seed int32) int32 {
	list := g.lists[v]
	for g.taken[list[0]] {
		list = list[1:]
	}
	g.lists[v] = list
	best, least, seen := list[0], float32(-1), 0
	for _, place := range list {
		if g.taken[place] {
			continue
		}
		if loss := split.PairLoss(g.p, g.rows[seed], g.rows[place]); least < 0 || loss < least {
			best, least = place, loss
		}
		if seen++; seen == nearWindow/4 {
			break
		}
	}
	return best
}

// fill completes a group whose window had too few values, from the most
// frequent ones that it lacks.
func (g *nearGrouper) fill(group []int32, seed int32) []int32 {
	var back []countEntry
	for len(group) < g.l {
		top := g.most[0]
		switch now := g.count[top.value]; {
		case now == 0 || g.isMust[top.value]:
			heap.Pop(&g.most)
			continue
		case now != top.count:
			g.most[0].count = now
			heap.Fix(&g.most, 0)
			continue
		}
		back = append(back, heap.Pop(&g.most).(countEntry))
		if g.inGroup[top.value] != g.groups {
			group = g.take(group, g.nearest(top.value, seed))
		}
	}
	for _, e := range back {
		heap.Push(&g.most, e)
	}
	return group
}

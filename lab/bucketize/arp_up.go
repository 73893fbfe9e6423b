package bucketize

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// ARPUp is our improvement of ARP: it forms sub-blocks from the bottom up.
//
// Reason: Algorithm 1 requires every block of the initial partition to satisfy
// frequency l on its own and never cuts a merged block again. On Adult at l = 5
// the women (26 % in one occupation) do not satisfy it, so women and men are
// merged at the first attribute, and everything after that is anatomy over the
// whole table. But a block need not be eligible: it is enough that the rest of
// the *table* is.
//
// Guarantee: that of ARP. If all records together satisfy the requirement,
// nobody is left out, and at most n mod L classes have more than L records if K
// <= L and there is no extra principle.
//
// Method: the records, sorted as in ARP, form a tree with one level for each
// attribute. From the leaves (equal quasi-identifiers) upwards, each node forms
// groups of L different values, those with most records left in the node first,
// as long as no value of the whole table comes to exceed 1/L of what is left.
// Records that a node cannot place are passed to its parent. The root places
// the rest as anatomy does.
//
// Cost: n log n x D, and the number of different sensitive values of a node, at
// most D times, and of the table, for each group.
type ARPUp struct {
	Bins int // intervals of a discretized number; 0: ten
}

// Name returns arp-up.
func (ARPUp) Name() string { return "arp-up" }

// Partition implements Partitioner.
func (a ARPUp) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	lex := newLexicographic(p, a.Bins, false)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		u := newUpward(lex, want.L, rows)
		lex.sort(rows)
		left := u.node(rows, 0)
		assigned, over := u.assign(left)
		for _, r := range over {
			at := 0
			for !u.lacks(assigned[at], r) {
				at++
			}
			assigned[at] = append(assigned[at], r)
		}
		return joinUntilHolds(p, want, append(u.out, assigned...))
	})
}

// upward is the state of one run of ARPUp.
type upward struct {
	*valueAssigner
	lex   *lexicographic
	count []int32 // by value: records of the table not yet assigned
	total int
	must  *split.Tally // values that the next group has to contain
	out   [][]int32
}

func newUpward(lex *lexicographic, l int, rows []int32) *upward {
	u := &upward{valueAssigner: newValueAssigner(lex.sa, l, nil), lex: lex, count: make([]int32, lex.sa.Size), total: len(rows),
		must: split.NewTally(lex.sa.Size)}
	for _, r := range rows {
		u.count[lex.sa.Codes[r]]++
	}
	return u
}

// node assigns from rows, which agree in the first i dimensions, and returns
// what is left of them, in order.
func (u *upward) node(rows []int32, i int) []int32 {
	if i == len(u.lex.by) {
		return u.assignSafely(rows)
	}
	codes := u.lex.by[i].Codes
	var left []int32
	parts := 0
	for lo := 0; lo < len(rows); parts++ {
		hi := lo
		for hi < len(rows) && codes[rows[hi]] == codes[rows[lo]] {
			hi++
		}
		left = append(left, u.node(rows[lo:hi], i+1)...)
		lo = hi
	}
	if parts == 1 {
		return left // nothing has come together
	}
	return u.assignSafely(left)
}

// assignSafely forms groups as long as the table stays eligible. A group takes
// L records and so lowers the bound floor(total/L) by one: it must contain
// every value that is at the bound.
func (u *upward) assignSafely(rows []int32) []int32 {
	if len(rows) < u.l {
		return rows
	}
	u.collect(rows)
	for {
		chosen, ok := u.choose()
		if !ok {
			break
		}
		group := make([]int32, 0, u.l)
		for _, i := range chosen {
			u.count[u.lists[i].value]--
			group = append(group, u.draw(i))
		}
		u.total -= u.l
		u.out = append(u.out, group)
	}
	return u.unassigned(rows)
}

// choose returns L lists, of those with records left the longest, that include
// every value that must be assigned now.
func (u *upward) choose() (chosen []int, ok bool) {
	bound, needed := int32(u.total/u.l), 0
	u.must.Clear()
	for v, n := range u.count {
		if n == bound && n > 0 {
			u.must.Add(int32(v))
			needed++
		}
	}
	for i, h := range u.lists {
		if u.must.N[h.value] > 0 && len(h.rows) > 0 {
			chosen = append(chosen, i)
		}
	}
	if needed > u.l || len(chosen) < needed {
		return nil, false
	}
	for len(chosen) < u.l {
		best := -1
		for i, h := range u.lists {
			if u.must.N[h.value] == 0 && len(h.rows) > 0 && (best < 0 || len(h.rows) > len(u.lists[best].rows)) {
				best = i
			}
		}
		if best < 0 {
			return nil, false
		}
		u.must.Add(u.lists[best].value)
		chosen = append(chosen, best)
	}
	return chosen, true
}

// unassigned returns those of rows that are in no group yet, in order.
func (u *upward) unassigned(rows []int32) []int32 {
	for _, h := range u.lists {
		u.tally.N[h.value] = -int32(len(h.rows))
	}
	left := make([]int32, 0, len(rows))
	// records are taken from the front of a list, so that what is left of a value is its last rows
	for i := len(rows) - 1; i >= 0; i-- {
		if n := &u.tally.N[u.sa.Codes[rows[i]]]; *n < 0 {
			*n++
			left = append(left, rows[i])
		}
	}
	slices.Reverse(left)
	return left
}

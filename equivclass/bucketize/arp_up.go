package bucketize

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/internal/cut"
)

// ARPUp is our improvement on ARP: it deals sub-blocks out from the bottom up.
//
// Why: Algorithm 1 asks every block of the initial partition to satisfy
// frequency l on its own and never cuts a merged block again. On Adult at l = 5
// the women (26 % in one occupation) do not, so women and men are merged at the
// first attribute and all that follows is anatomy over the whole table. But a
// block need not be eligible: it is enough that what is left of the *table* is.
//
// Guarantee: that of ARP; if all records together satisfy the requirement,
// nobody is left out, and n mod L classes at most have more than L records if
// K <= L and no principle is extra.
// Method: the records sorted as in ARP are a tree, a level an attribute. From
// the leaves (equal quasi-identifiers) up, each node deals out groups of L
// different values, those with most records left in the node first, as long as
// no value of the whole table comes to exceed 1/L of what is left; what a node
// cannot deal its parent tries again. The root deals out the rest as anatomy
// does.
// Cost: n log n x D, and the different sensitive values of a node, D times at
// most, and of the table for each group.
type ARPUp struct {
	Bins int // intervals of a discretized number; 0: ten
}

// Name returns arp-up.
func (ARPUp) Name() string { return "arp-up" }

// Partition implements Partitioner.
func (a ARPUp) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	lex := newLexicographic(p, a.Bins)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		u := newUpward(lex, want.L, rows)
		lex.sort(rows)
		left := u.node(rows, 0)
		dealt, over := u.deal(left)
		for _, r := range over {
			at := 0
			for !u.lacks(dealt[at], r) {
				at++
			}
			dealt[at] = append(dealt[at], r)
		}
		return joinUntilHolds(p, want, append(u.out, dealt...))
	})
}

// upward is the state of one run of ARPUp.
type upward struct {
	*saDealer
	lex   *lexicographic
	count []int32 // by value: records of the table not yet dealt
	total int
	must  *cut.Tally // values that the next group has to contain
	out   [][]int32
}

func newUpward(lex *lexicographic, l int, rows []int32) *upward {
	u := &upward{saDealer: newSADealer(lex.sa, l, nil), lex: lex, count: make([]int32, lex.sa.Size), total: len(rows), must: cut.NewTally(lex.sa.Size)}
	for _, r := range rows {
		u.count[lex.sa.Codes[r]]++
	}
	return u
}

// node deals from rows, which agree in the first i dimensions, and returns
// what is left of them, in order.
func (u *upward) node(rows []int32, i int) []int32 {
	if i == len(u.lex.by) {
		return u.dealSafely(rows)
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
	return u.dealSafely(left)
}

// dealSafely deals groups as long as the table stays eligible. A group takes L
// records and so lowers the bound floor(total/L) by one: it must contain every
// value that is at the bound.
func (u *upward) dealSafely(rows []int32) []int32 {
	if len(rows) < u.l {
		return rows
	}
	u.pickUp(rows)
	for {
		chosen, ok := u.choose()
		if !ok {
			break
		}
		group := make([]int32, 0, u.l)
		for _, i := range chosen {
			u.count[u.hands[i].value]--
			group = append(group, u.draw(i))
		}
		u.total -= u.l
		u.out = append(u.out, group)
	}
	return u.undealt(rows)
}

// choose returns L hands, of those with records left the fullest, that include
// every value that must be dealt now.
func (u *upward) choose() (chosen []int, ok bool) {
	bound, needed := int32(u.total/u.l), 0
	u.must.Clear()
	for v, n := range u.count {
		if n == bound && n > 0 {
			u.must.Add(int32(v))
			needed++
		}
	}
	for i, h := range u.hands {
		if u.must.N[h.value] > 0 && len(h.rows) > 0 {
			chosen = append(chosen, i)
		}
	}
	if needed > u.l || len(chosen) < needed {
		return nil, false
	}
	for len(chosen) < u.l {
		best := -1
		for i, h := range u.hands {
			if u.must.N[h.value] == 0 && len(h.rows) > 0 && (best < 0 || len(h.rows) > len(u.hands[best].rows)) {
				best = i
			}
		}
		if best < 0 {
			return nil, false
		}
		u.must.Add(u.hands[best].value)
		chosen = append(chosen, best)
	}
	return chosen, true
}

// undealt keeps of rows those still in hand, in order.
func (u *upward) undealt(rows []int32) []int32 {
	for _, h := range u.hands {
		u.tally.N[h.value] = -int32(len(h.rows))
	}
	left := make([]int32, 0, len(rows))
	// hands deal from the front, so that what is left of a value is its last rows
	for i := len(rows) - 1; i >= 0; i-- {
		if n := &u.tally.N[u.sa.Codes[rows[i]]]; *n < 0 {
			*n++
			left = append(left, rows[i])
		}
	}
	slices.Reverse(left)
	return left
}

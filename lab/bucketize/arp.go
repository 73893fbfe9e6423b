package bucketize

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// ARP is anonymization on the refining partition: Algorithm 2 of Zhu, Tian, Du
// and Xie (ComSIS 2015).
//
// Guarantee: that of Partitioner. With K <= L and no extra principle no class
// has a sensitive value twice, so that every record is linked to its value with
// probability 1/|class|, and nearly every class has exactly L records.
//
// Method: the records of each block of the initial partition (AIP) are assigned
// to sub-blocks of L different values, always taking the L values with most
// records left. What remains of the blocks is collected, and whenever L
// different values have come together they become a sub-block. A record that
// remains at the end joins a sub-block of its own block that lacks its value. A
// sub-block that is too small for K, or that fails an extra principle, is
// joined with the next one.
//
// Difference from the paper: Seed fixes the random draws of lines 8 and 14.
// Line 14 asks for records of neighbouring blocks; we take, of the collected
// values with most records, the record collected last. Drawing the records of a
// value in their lexicographic order instead of at random did not lower GLP on
// Adult; assigning records from the bottom up does (ARPUp).
//
// Values is for a requirement that asks for different values by a principle, as
// one may read the paper: L bounds no share then, so that a block may have a
// record left whose value all of its sub-blocks have. Property 4 fails, and the
// record joins the smallest of them.
//
// Cost: n log n x D.
type ARP struct {
	Seed      uint64
	Bins      int  // intervals of a discretized number; 0: ten
	Ascending bool // as in AIP
	Values    int  // different values of a sub-block; 0: the requirement's L
}

// Name returns arp.
func (ARP) Name() string { return "arp" }

// WithSeed implements Drawing.
func (a ARP) WithSeed(seed uint64) equivclass.Partitioner { a.Seed = seed; return a }

// Partition implements Partitioner.
func (a ARP) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	random, lex := rand.New(rand.NewPCG(a.Seed, 3)), newLexicographic(p, a.Bins, a.Ascending)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		r := newRefinement(lex, cmp.Or(a.Values, want.L), random)
		for _, b := range newInitialPartition(lex, want, a.Seed).blocks(rows) {
			r.block(b)
		}
		r.insert()
		return joinUntilHolds(p, want, r.subs)
	})
}

// refinement is the state of Algorithm 2: the sub-blocks and R_B.
type refinement struct {
	*valueAssigner
	subs    [][]int32   // Sub_B
	waiting []valueList // R_B by sensitive value, each in the order of arrival
	values  int         // of them not empty
	owner   []owned     // by waiting row, where it came from
	fresh   []int32     // values that the last block added to
}

// owned is a row of R_B with its block's own sub-blocks, subs[from:to].
type owned struct {
	row      int32
	from, to int
}

func newRefinement(lex *lexicographic, l int, random *rand.Rand) *refinement {
	r := &refinement{valueAssigner: newValueAssigner(lex.sa, l, random), waiting: make([]valueList, lex.sa.Size)}
	for v := range r.waiting {
		r.waiting[v].value = int32(v)
	}
	return r
}

// block is lines 3 to 15 for one block of the initial partition.
func (r *refinement) block(rows []int32) {
	from := len(r.subs)
	assigned, left := r.assign(rows)
	r.subs = append(r.subs, assigned...)
	for _, row := range left {
		r.owner = append(r.owner, owned{row, from, len(r.subs)})
		w := &r.waiting[r.sa.Codes[row]]
		if len(w.rows) == 0 {
			r.values++
		}
		w.rows = append(w.rows, row)
	}
	for r.values >= r.l {
		r.subs = append(r.subs, r.gather())
	}
}

// gather is line 14. Cost: the number of different sensitive values, once for
// every L records that blocks leave.
func (r *refinement) gather() []int32 {
	r.fresh = r.fresh[:0]
	for v := range r.waiting {
		if len(r.waiting[v].rows) > 0 {
			r.fresh = append(r.fresh, int32(v))
		}
	}
	slices.SortStableFunc(r.fresh, func(a, b int32) int { return len(r.waiting[b].rows) - len(r.waiting[a].rows) })
	sub := make([]int32, 0, r.l)
	for _, v := range r.fresh[:r.l] {
		w := &r.waiting[v]
		sub = append(sub, w.rows[len(w.rows)-1])
		w.rows = w.rows[:len(w.rows)-1]
		if len(w.rows) == 0 {
			r.values--
		}
	}
	return sub
}

// insert is lines 17 to 22: each record still waiting joins the smallest
// sub-block of its own block that lacks its value (property 4: there is one, as
// long as the requirement bounds shares), or else the smallest.
func (r *refinement) insert() {
	still := map[int32]bool{}
	for _, w := range r.waiting {
		for _, row := range w.rows {
			still[row] = true
		}
	}
	for _, o := range r.owner {
		if !still[o.row] {
			continue
		}
		best := r.smallest(o, func(sub []int32) bool { return r.lacks(sub, o.row) })
		if best < 0 {
			best = r.smallest(o, func([]int32) bool { return true })
		}
		r.subs[best] = append(r.subs[best], o.row)
	}
}

// smallest is the first of the smallest sub-blocks of a row's block that suit,
// or -1.
func (r *refinement) smallest(o owned, suits func(sub []int32) bool) int {
	best := -1
	for i := o.from; i < o.to; i++ {
		if (best < 0 || len(r.subs[i]) < len(r.subs[best])) && suits(r.subs[i]) {
			best = i
		}
	}
	return best
}

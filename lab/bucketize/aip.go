package bucketize

import (
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// AIP is anonymization on the initial partition: Algorithm 1 of Zhu, Tian, Du
// and Xie, "Anonymization on Refining Partition: Same Privacy, More Utility"
// (ComSIS 2015).
//
// Guarantee: that of Partitioner; if all records together satisfy the
// requirement, nobody is left out.
//
// Method: the dimensions are ordered by their correlation phi^2 with the
// sensitive attribute, highest first. Records with the same value of the first
// dimension are a block. A block that breaks the requirement is merged with the
// block before or behind it, chosen at random, until no block breaks it. A
// block whose records agree in the dimension is cut by the next dimension. A
// merged block is final.
//
// Difference from the paper: the random choice is pseudo-random and fixed by
// Seed, because the result of a Partitioner depends on the pool alone. Section
// 5.3 and property 7 sort the attributes by correlation in ascending order,
// section 4.1 in descending order; we follow section 4.1, which gives the
// reason, and Ascending follows the others.
//
// Cost: n log n x D, and for each merge the number of different sensitive
// values.
type AIP struct {
	Seed      uint64
	Bins      int  // intervals of a discretized number; 0: ten
	Ascending bool // the attributes in ascending order of correlation
}

// Name returns aip.
func (AIP) Name() string { return "aip" }

// WithSeed implements Drawing.
func (a AIP) WithSeed(seed uint64) equivclass.Partitioner { a.Seed = seed; return a }

// Partition implements Partitioner.
func (a AIP) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	lex := newLexicographic(p, a.Bins, a.Ascending)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		return newInitialPartition(lex, want, a.Seed).blocks(rows), nil
	})
}

// lexicographic is the order in which Zhu et al. sort the records: dimension by
// dimension, the one most correlated with the sensitive attribute first, or,
// ascending, last.
type lexicographic struct {
	p     *equivclass.Pool
	order []int          // dimensions
	by    []split.Column // by position in order
	sa    split.Column
}

func newLexicographic(p *equivclass.Pool, bins int, ascending bool) *lexicographic {
	l := &lexicographic{p: p, sa: split.Sensitive(p)}
	l.order, _ = Phi2Order(p, bins)
	if ascending {
		slices.Reverse(l.order)
	}
	for _, j := range l.order {
		l.by = append(l.by, split.Dimension(p, j))
	}
	return l
}

// sort orders rows in place by counting, last dimension first; rows that agree
// in all keep their order. Cost: D (rows + values).
func (l *lexicographic) sort(rows []int32) {
	other := make([]int32, len(rows))
	for i := len(l.by) - 1; i >= 0; i-- {
		start := make([]int32, l.by[i].Size+1)
		for _, r := range rows {
			start[l.by[i].Codes[r]+1]++
		}
		for v := 1; v < len(start); v++ {
			start[v] += start[v-1]
		}
		for _, r := range rows {
			c := l.by[i].Codes[r]
			other[start[c]] = r
			start[c]++
		}
		copy(rows, other)
	}
}

// initialPartition runs Algorithm 1.
type initialPartition struct {
	*lexicographic
	want   equivclass.Requirement
	random *rand.Rand
	codes  []equivclass.Code // sensitive code by dense number
	tally  *split.Tally
	out    [][]int32
}

func newInitialPartition(l *lexicographic, want equivclass.Requirement, seed uint64) *initialPartition {
	ip := &initialPartition{lexicographic: l, want: want, random: rand.New(rand.NewPCG(seed, 1)), codes: make([]equivclass.Code, l.sa.Size),
		tally: split.NewTally(l.sa.Size)}
	for i, c := range l.sa.Codes {
		ip.codes[c] = l.p.SA[i]
	}
	return ip
}

// blocks sorts rows and cuts them; the blocks are pieces of rows, in order.
func (ip *initialPartition) blocks(rows []int32) [][]int32 {
	ip.sort(rows)
	ip.cut(rows, 0)
	return ip.out
}

// cut is Partitioning(B, l, A_i) with i the position in the order.
func (ip *initialPartition) cut(rows []int32, i int) {
	if i == len(ip.by) {
		ip.out = append(ip.out, rows[:len(rows):len(rows)])
		return
	}
	runs := ip.runs(rows, i)
	ip.merge(runs)
	for k := 0; k < len(runs); k = runs[k].next {
		part := rows[runs[k].lo:runs[k].hi]
		if runs[k].merged {
			ip.out = append(ip.out, part[:len(part):len(part)])
		} else {
			ip.cut(part, i+1)
		}
	}
}

// run is a piece of sorted rows that is or becomes a block.
type run struct {
	lo, hi     int
	prev, next int // neighbouring runs; -1 and len(runs) at the ends
	merged     bool
	bag        equivclass.Bag
}

// runs returns the pieces of rows that agree in the i-th dimension.
func (ip *initialPartition) runs(rows []int32, i int) []run {
	var out []run
	codes := ip.by[i].Codes
	for lo := 0; lo < len(rows); {
		hi := lo
		for hi < len(rows) && codes[rows[hi]] == codes[rows[lo]] {
			hi++
		}
		out = append(out, run{lo: lo, hi: hi, prev: len(out) - 1, next: len(out) + 1, bag: ip.bagOf(rows[lo:hi])})
		lo = hi
	}
	return out
}

func (ip *initialPartition) bagOf(rows []int32) equivclass.Bag {
	for _, r := range rows {
		ip.tally.Add(ip.sa.Codes[r])
	}
	slices.Sort(ip.tally.Seen)
	b := equivclass.Bag{Total: len(rows), Counts: make([]equivclass.Count, len(ip.tally.Seen))}
	for i, c := range ip.tally.Seen {
		b.Counts[i] = equivclass.Count{Code: ip.codes[c], N: int(ip.tally.N[c])}
	}
	ip.tally.Clear()
	return b
}

// merge is lines 2 to 5 of Algorithm 1. A merge may leave a block that still
// breaks the requirement, which is then merged again; at worst all are one. The
// first run always stays in the list.
func (ip *initialPartition) merge(runs []run) {
	for k := 0; k < len(runs); k = runs[k].next {
		for !ip.want.Holds(runs[k].bag) && (runs[k].prev >= 0 || runs[k].next < len(runs)) {
			back := runs[k].next == len(runs) || runs[k].prev >= 0 && ip.random.IntN(2) == 0
			if back {
				k = runs[k].prev
			}
			joinNext(runs, k)
		}
	}
}

// joinNext merges run k with the next one.
func joinNext(runs []run, k int) {
	n := runs[k].next
	runs[k].hi, runs[k].next, runs[k].merged = runs[n].hi, runs[n].next, true
	if runs[n].next < len(runs) {
		runs[runs[n].next].prev = k
	}
	runs[k].bag = runs[k].bag.Plus(runs[n].bag)
}

package bucketize

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// Ring is the non-homogeneous generalization of Wong, Mamoulis and Cheung
// (SIGMOD 2010) as Zhu et al. describe it and compare with it (NG): the records
// of each block of the initial partition are put into a ring in which any L
// neighbours have different sensitive values, and each published row covers the
// quasi-identifiers of L neighbours.
//
// Guarantee: that of Partitioner, and each group comes in ring order: any L
// consecutive records, the end joined to the start, have different values.
// Published by RingShift, a record has each of L values with probability 1/L
// for an adversary who knows that a shift was drawn.
//
// The daemon does not offer it. Read with all assignments equally likely (level
// L0), a ring does not keep 1/L: for L >= 3 the middle one of the L neighbours
// is more likely (0.4 and more for L = 3: TestRingIsNotUniformAtL0), and one
// known value reveals all values of the ring (rule E, equality patterns).
//
// Method: the values in descending order of frequency are placed in q =
// floor(|B|/L) columns, row after row; read column by column this is the ring.
//
// Difference from the papers: they do not say how to find the ring. Extra
// principles hold for a ring as a whole, not for its L neighbours.
//
// Cost: that of AIP.
type Ring struct {
	Seed      uint64
	Bins      int
	Ascending bool // as in AIP
	Values    int  // as in ARP: neighbours may then have the same value where shares are not bounded
}

// Name returns ng.
func (Ring) Name() string { return "ng" }

// WithSeed implements Drawing.
func (n Ring) WithSeed(seed uint64) equivclass.Partitioner { n.Seed = seed; return n }

// Partition implements Partitioner.
func (n Ring) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	lex := newLexicographic(p, n.Bins, n.Ascending)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		d := newValueAssigner(lex.sa, cmp.Or(n.Values, want.L), nil)
		var out [][]int32
		for _, b := range newInitialPartition(lex, want, n.Seed).blocks(rows) {
			out = append(out, d.ring(b))
		}
		return out, nil
	})
}

// ring orders rows of which no value has more than floor(len(rows)/l).
//
// Proof that any l neighbours have different values. Take q columns of at least
// l rows each. Two rows of one value are in different columns, because a value
// has at most q rows. Going row after row, the next row of a value is at the
// same depth of the next column, a whole column of at least l places away; from
// the last column to the first it is one place more. Only the way from the last
// row of a value round to its first could be shorter, by one place. A value of
// q rows starts in the first column, because the values before it, which have
// as many, fill whole lines, and it ends in the last column; so its way round
// is that of its line. A value of fewer rows skips a column.
func (d *valueAssigner) ring(rows []int32) []int32 {
	q := len(rows) / d.l
	if q == 0 {
		return rows
	}
	d.collect(rows)
	columns := make([][]int32, q)
	at := 0
	for _, h := range d.lists {
		for _, r := range h.rows {
			columns[at%q] = append(columns[at%q], r)
			at++
		}
	}
	return slices.Concat(columns...)
}

// RingWindows returns, for each place of a ring, the l rows that the published
// row of the place covers: those of the place and of the l-1 places behind it.
// l is at most the length of the ring.
func RingWindows(ring []int32, l int) [][]int32 {
	twice := append(slices.Clone(ring), ring...)
	out := make([][]int32, len(ring))
	for i := range ring {
		out[i] = twice[i : i+l : i+l]
	}
	return out
}

// RingLoss is NCP of non-homogeneous generalization: a record costs the loss of
// the l neighbours that its row covers, a suppressed record costs 1. Cost: n x
// l x D.
func RingLoss(p *equivclass.Pool, rings [][]int32, l, suppressed int) float64 {
	sum, n := float64(suppressed), suppressed
	for _, ring := range rings {
		for _, w := range RingWindows(ring, max(1, min(l, len(ring)))) {
			sum += p.Loss(w)
		}
		n += len(ring)
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

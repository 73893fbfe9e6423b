package bucketize

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/internal/cut"
)

// Ring is the non-homogeneous generalization of Wong, Mamoulis and Cheung
// (SIGMOD 2010) as Zhu et al. describe and compare it (NG): the records of each
// block of the initial partition are put into a ring in which any L neighbours
// have different sensitive values, and each published row covers the
// quasi-identifiers of L neighbours.
//
// Guarantee: that of Partitioner, and each group comes in ring order: any L
// records that follow each other in it, its end joined to its start, have
// different values. Published by RingShift, a record has each of L values with
// probability 1/L for who knows that a shift was drawn.
//
// It carries no promise in the daemon: a ring read as "all assignments are
// equally likely" (level L0) does not give 1/L. For L >= 3 the middle of the L
// neighbours is likelier (0.4 and more for L = 3: TestRingIsNotUniformAtL0), and
// one known value opens the whole ring (rule E).
//
// Method: values in descending order of frequency are laid out over q =
// floor(|B|/L) columns, row after row; read column by column this is the ring.
// Cost: that of AIP.
//
// Where we differ: the sources do not say how to find the ring. Extra
// principles hold for a ring as a whole, not for its L neighbours.
type Ring struct {
	Seed uint64
	Bins int
}

// Name returns ng.
func (Ring) Name() string { return "ng" }

// WithSeed implements Drawing.
func (n Ring) WithSeed(seed uint64) equivclass.Partitioner { n.Seed = seed; return n }

// Partition implements Partitioner.
func (n Ring) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	lex := newLexicographic(p, n.Bins)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		d := newSADealer(lex.sa, want.L, nil)
		var out [][]int32
		for _, b := range newInitialPartition(lex, want, n.Seed).blocks(rows) {
			out = append(out, d.ring(b))
		}
		return out, nil
	})
}

// ring orders rows of which no value has more than floor(len(rows)/l).
//
// Why it is one: with q columns of at least l rows each, two rows of one value
// lie in different columns, as it has at most q of them. Row after row, a
// value's next row is one column on at the same depth, a whole column of at
// least l places away; from the last column to the first it is one place more.
// Only the way round from a value's last row to its first could be shorter, by
// one: a value of q rows starts in the first column, for the larger ones before
// it fill whole lines, and ends in the last, so its way round is that of the
// line; a value of fewer rows skips a column.
func (d *saDealer) ring(rows []int32) []int32 {
	q := len(rows) / d.l
	if q == 0 {
		return rows
	}
	d.pickUp(rows)
	columns := make([][]int32, q)
	at := 0
	for _, h := range d.hands {
		for _, r := range h.rows {
			columns[at%q] = append(columns[at%q], r)
			at++
		}
	}
	return slices.Concat(columns...)
}

// RingWindows returns, for each place of a ring, the l rows that the published
// row of the place covers: the place and the l-1 behind it. l is at most the
// length of the ring.
func RingWindows(ring []int32, l int) [][]int32 {
	twice := append(slices.Clone(ring), ring...)
	out := make([][]int32, len(ring))
	for i := range ring {
		out[i] = twice[i : i+l : i+l]
	}
	return out
}

// RingLoss is NCP of non-homogeneous generalization: a record costs the loss of
// the l neighbours that its row covers, a suppressed one costs 1.
// Cost: n x l x D.
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

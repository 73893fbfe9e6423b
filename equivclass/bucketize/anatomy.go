package bucketize

import (
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/internal/cut"
)

// Anatomy is the bucketization of Xiao and Tao, "Anatomy: Simple and Effective
// Privacy Preservation" (VLDB 2006), the AT that Zhu et al. and Sun et al.
// compare with: groups by sensitive value alone, blind to the quasi-identifiers.
//
// Guarantee: that of Partitioner. With K <= L and no extra principle every
// group holds at least L records, with different values each, and its
// reconstruction error is within a factor of 1 + 1/n of the lower bound.
// Method: as long as L values have records left, take one record at random of
// each of the L values with most; a record that is left joins a random group
// without its value. Groups too small for K, or that fail an extra principle,
// are joined with the next.
// Cost: n + (n/L) log(values). Deterministic: the draws are fixed by Seed.
type Anatomy struct{ Seed uint64 }

// Name returns anatomy.
func (Anatomy) Name() string { return "anatomy" }

// WithSeed implements Drawing.
func (a Anatomy) WithSeed(seed uint64) equivclass.Partitioner { a.Seed = seed; return a }

// Partition implements Partitioner.
func (a Anatomy) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	coin := rand.New(rand.NewPCG(a.Seed, 2))
	d := newSADealer(cut.Sensitive(p), want.L, coin)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		dealt, left := d.deal(rows)
		d.scatter(dealt, left)
		return joinUntilHolds(p, want, dealt)
	})
}

// scatter adds each row to the first group without its value from a random one
// on. There is one, by property 3 of deal.
func (d *saDealer) scatter(groups [][]int32, left []int32) {
	for _, r := range left {
		at := d.coin.IntN(len(groups))
		for !d.lacks(groups[at], r) {
			at = (at + 1) % len(groups)
		}
		groups[at] = append(groups[at], r)
	}
}

// joinUntilHolds joins groups, in order, until each satisfies the requirement;
// what is left at the end joins the last one. For K and frequency l this never
// fails if all groups together hold; for other principles what cannot be made
// to hold is rest. The groups come out sorted. Cost: n log n.
func joinUntilHolds(p *equivclass.Pool, want equivclass.Requirement, groups [][]int32) (out [][]int32, rest []int32) {
	var open []int32
	for _, g := range groups {
		if open == nil {
			open = g
		} else {
			open = append(open, g...)
		}
		if want.Holds(p.Bag(open)) {
			out, open = append(out, open), nil
		}
	}
	for len(open) > 0 && len(out) > 0 {
		open = append(open, out[len(out)-1]...)
		out = out[:len(out)-1]
		if want.Holds(p.Bag(open)) {
			out, open = append(out, open), nil
		}
	}
	for _, g := range out {
		slices.Sort(g)
	}
	return out, open
}

package bucketize

import (
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// Anatomy is the bucketization of Xiao and Tao, "Anatomy: Simple and Effective
// Privacy Preservation" (VLDB 2006), the AT that Zhu et al. and Sun et al.
// compare with: groups are formed by sensitive value alone, without regard to
// the quasi-identifiers.
//
// Guarantee: that of Partitioner. With K <= L and no extra principle every
// group has at least L records, all with different values, and the
// reconstruction error is within a factor of 1 + 1/n of the lower bound.
//
// Method: as long as L values have records left, take one random record of each
// of the L values with most records left; a record that remains at the end
// joins a random group without its value. A group that is too small for K, or
// that fails an extra principle, is joined with the next one.
//
// Cost: n + (n/L) log(values). Deterministic: Seed fixes the random draws.
type Anatomy struct{ Seed uint64 }

// Name returns anatomy.
func (Anatomy) Name() string { return "anatomy" }

// WithSeed implements Drawing.
func (a Anatomy) WithSeed(seed uint64) equivclass.Partitioner { a.Seed = seed; return a }

// Partition implements Partitioner.
func (a Anatomy) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	random := rand.New(rand.NewPCG(a.Seed, 2))
	d := newValueAssigner(split.Sensitive(p), want.L, random)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !want.Holds(p.Bag(rows)) {
			return nil, rows
		}
		assigned, left := d.assign(rows)
		d.scatter(assigned, left)
		return joinUntilHolds(p, want, assigned)
	})
}

// scatter adds each row to the first group without its value, searching from a
// random group on. There is one, by property 3 of assign.
func (d *valueAssigner) scatter(groups [][]int32, left []int32) {
	for _, r := range left {
		at := d.random.IntN(len(groups))
		for !d.lacks(groups[at], r) {
			at = (at + 1) % len(groups)
		}
		groups[at] = append(groups[at], r)
	}
}

// joinUntilHolds joins groups, in order, until each satisfies the requirement;
// what remains at the end joins the last one. For K and frequency l this always
// succeeds if all groups together satisfy it. Under other principles the
// records of groups that cannot satisfy them are returned as rest. The groups
// are returned sorted. Cost: n log n.
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

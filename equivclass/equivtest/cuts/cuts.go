// Package cuts has two simple partitioners for tests: what reads, stores or publishes classes is
// tested on other classes than those of extraction alone.
//
// Guarantee: that of equivclass.Partitioner.
package cuts

import (
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// Median cuts at the median of the dimension in which the records span the widest part of the
// domain, as long as both sides keep the requirement. It draws nothing.
type Median struct{}

// Name implements equivclass.Partitioner.
func (Median) Name() string { return "median" }

// Partition implements equivclass.Partitioner.
func (Median) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	m := cut.NewMedianCutter(p, want)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) { return cut.TopDown(rows, m.Judge, m.Strict) })
}

// Drawn makes a class of the next records of a random order as soon as they keep the requirement. The last class
// takes those who are left.
type Drawn struct{ Seed uint64 }

// Name implements equivclass.Partitioner.
func (Drawn) Name() string { return "drawn" }

// WithSeed implements equivclass.Drawing.
func (d Drawn) WithSeed(seed uint64) equivclass.Partitioner { return Drawn{seed} }

// Partition implements equivclass.Partitioner.
func (d Drawn) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	judge, rng := cut.NewJudge(p, want), rand.New(rand.NewPCG(d.Seed, d.Seed))
	return cut.BySubject(p, func(rows []int32) (groups [][]int32, rest []int32) {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for from, to := 0, 1; to <= len(rows); to++ {
			if judge.Holds(rows[from:to]) {
				groups, from = append(groups, rows[from:to:to]), to
			}
			rest = rows[from:]
		}
		if n := len(groups) - 1; n >= 0 && judge.Holds(append(groups[n], rest...)) {
			groups[n], rest = append(groups[n], rest...), nil
		}
		return groups, rest
	})
}

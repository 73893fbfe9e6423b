package topdown

import (
	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// NCPSplit is the top-down local recoding of Xu et al. ("Utility-Based
// Anonymization Using Local Recoding", KDD 2006) as Li, He and Sun use it for
// lgb-ncp (Algorithm 4).
//
// Guarantee: that of Partitioner.
//
// Method: find two seeds that lie far apart in NCP: from the first row the
// farthest, from that one the farthest, three times. Assign the other rows in
// random order, each to the seed whose group's NCP it raises less, and continue
// with both groups. A set of fewer than 2k rows, or one of whose parts would
// break the requirement, is a class.
//
// This stop leaves large classes where rows lie unevenly (the paper's figure 5
// shows its C_DM far above that of lgb-mdp). Fixed, which is ours, then cuts
// such a set as strict Mondrian would: few large classes become more and
// smaller ones (TestLGBFigures5And6).
//
// Cost: n D for each level; there are few levels when the groups are of similar
// size, see the benchmark.
type NCPSplit struct {
	Fixed bool   // go on cutting as strict Mondrian does
	Seed  uint64 // of the order in which rows are assigned
}

// Name returns ncp-split, or ncp-split-fixed.
func (m NCPSplit) Name() string {
	if m.Fixed {
		return "ncp-split-fixed"
	}
	return "ncp-split"
}

// WithSeed implements Drawing.
func (m NCPSplit) WithSeed(seed uint64) equivclass.Partitioner { m.Seed = seed; return m }

// Partition implements Partitioner.
func (m NCPSplit) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	c := newNCPCutter(p, want)
	if m.Fixed {
		c.fixed = cut.NewMedianCutter(p, want)
	}
	random := cut.SplitMix(m.Seed)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		cut.Shuffle(rows, &random)
		return cut.TopDown(rows, c.judge, c.cut)
	})
}

// seedRounds is how often the farther seed is looked for (Xu et al. find that
// three rounds are within 3 % of the farthest pair).
const seedRounds = 3

type ncpCutter struct {
	p     *equivclass.Pool
	judge *cut.Judge
	split *split.BoxSplitter
	fixed *cut.MedianCutter
}

func newNCPCutter(p *equivclass.Pool, want equivclass.Requirement) *ncpCutter {
	return &ncpCutter{p: p, judge: cut.NewJudge(p, want), split: split.NewBoxSplitter(p)}
}

func (c *ncpCutter) cut(rows []int32) int {
	u, v := c.seeds(rows)
	if u != v {
		left := c.split.Divide(rows, c.p.At(u), c.p.At(v))
		if c.judge.Holds(rows[:left]) && c.judge.Holds(rows[left:]) {
			return left
		}
	}
	if c.fixed != nil {
		return c.fixed.Strict(rows)
	}
	return 0
}

// seeds returns two rows far apart; equal ones if all rows are one point.
func (c *ncpCutter) seeds(rows []int32) (u, v int32) {
	u = rows[0]
	for range seedRounds {
		v, u = u, c.farthest(rows, u)
	}
	if split.PairLoss(c.p, u, v) == 0 {
		return u, u
	}
	return u, v
}

// farthest returns the row of greatest NCP with u, the first of equals.
func (c *ncpCutter) farthest(rows []int32, u int32) int32 {
	best, most := u, float32(-1)
	for _, r := range rows {
		if l := split.PairLoss(c.p, u, r); l > most {
			best, most = r, l
		}
	}
	return best
}

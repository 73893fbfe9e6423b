package wang

import (
	"context"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/equivclass/measure"
	"anond/lab/figures"
	"anond/lab/literal"
)

// growth is a table of which the last fifth comes in batches.
type growth struct {
	rows  []literal.Row
	space *equivclass.Space
}

// newGrowth puts the records in an order that the seed fixes.
func newGrowth(p *equivclass.Pool, seed uint64) growth {
	g := growth{space: p.Space}
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(p.Len()) {
		g.rows = append(g.rows, literal.Row{X: p.At(int32(i)), SA: p.SA[i]})
	}
	return g
}

// newShare is the part of the table that is new, in permille.
const newShare = 200

// base is how many records are not new.
func (g growth) base() int { return len(g.rows) * (1000 - newShare) / 1000 }

// permille is a batch as a share of the table; newShare is all that is new.
func (g growth) permille(share int) int {
	if share == newShare {
		return len(g.rows) - g.base()
	}
	return max(1, len(g.rows)*share/1000)
}

// growing is what the updates of a run cost, and the classes they end with.
type growing struct {
	cavg, seconds float64
	records       int // given to the partitioner
}

// allBatches has a run take in the whole last fifth.
const allBatches = 0

// run loads four fifths of the table and measures the updates of some batches
// of the rest, with a release after each.
func (g growth) run(ctx context.Context, m update, k, batch, batches int) (out growing, err error) {
	params := m.params
	params.Space, params.Threshold = g.space, -1
	u := literal.New(m.method, m.by, equivclass.Requirement{K: k, L: 1}, params)
	u.Insert(g.rows[:g.base()]...)
	u.Release()
	fresh := g.rows[g.base():]
	if batches != allBatches {
		fresh = fresh[:min(len(fresh), batches*batch)]
	}
	out.records = -u.Repartitioned()
	out.seconds = figures.Seconds(func() {
		for part := range slices.Chunk(fresh, batch) {
			if ctx.Err() != nil {
				return
			}
			u.Insert(part...)
			u.Release()
		}
		u.Flush()
	})
	out.records += u.Repartitioned()
	out.cavg = measure.CAVG(measure.Sizes(u.Flush()), k)
	return out, ctx.Err()
}

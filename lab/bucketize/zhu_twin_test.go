package bucketize

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// Phi2Preserved, record by record: in a class every record may have the value of
// every other, each with 1/|class|.
func TestZhuPreservedTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for range 100 {
		p := equivtest.Correlated(rng, 10+rng.IntN(60), 2, 1+rng.IntN(4), 2+rng.IntN(4))
		groups, rest := AIP{}.Partition(p, equivclass.Requirement{K: 3, L: 2})
		if len(rest) > 0 {
			continue
		}
		table := newCrossTable(8, 8)
		for _, g := range groups {
			for _, r := range g {
				for _, q := range g {
					table.add(int32(p.At(r)[1]*7), int32(p.SA[q]), 1/float64(len(g)))
				}
			}
		}
		// the plain definition on the table's shares
		var sum float64
		for i, row := range table.rows {
			for j, col := range table.cols {
				fi, fj, fij := row/table.total, col/table.total, table.cells[i*8+j]/table.total
				if fi > 0 && fj > 0 {
					sum += (fij - fi*fj) * (fij - fi*fj) / (fi * fj)
				}
			}
		}
		if d := min(occupied(table.rows), occupied(table.cols)); d > 1 {
			require.InDelta(t, sum/float64(d-1), Phi2Preserved(p, groups, 1, 8), 1e-9)
		}
	}
}

// RingGLP and RingLoss, place by place.
func TestZhuRingTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for range 100 {
		l := 2 + rng.IntN(3)
		p := equivtest.Correlated(rng, 20+rng.IntN(60), 2, 2, l+3)
		p.SA = eligibleValues(rng, p.Len(), l+3, l)
		rings, _ := Ring{}.Partition(p, equivclass.Requirement{K: l, L: l})
		var penalty, loss float64
		for _, ring := range rings {
			for i, r := range ring {
				var before, behind []int32
				for d := range l {
					before = append(before, ring[(i-d+len(ring))%len(ring)])
					behind = append(behind, ring[(i+d)%len(ring)])
				}
				penalty += zhuTwinNLP(p, r, before)
				loss += p.Loss(behind)
			}
		}
		n := float64(p.Len())
		require.InDelta(t, penalty/n, NewCorrespondence(p).RingGLP(rings, l, 0), 1e-9)
		require.InDelta(t, loss/n, RingLoss(p, rings, l, 0), 1e-9)
	}
	require.InDelta(t, 1.0, RingLoss(equivtest.Block(1), nil, 2, 1), 1e-15)
	require.Zero(t, RingLoss(equivtest.Block(1), nil, 2, 0))
}

func zhuTwinNLP(p *equivclass.Pool, r int32, candidates []int32) float64 {
	outside := 0.0
	for _, q := range candidates {
		in := false
		for x := range int32(p.Len()) {
			in = in || p.At(x)[0] == p.At(r)[0] && p.At(x)[1] == p.At(r)[1] && p.SA[x] == p.SA[q]
		}
		if !in {
			outside++
		}
	}
	return outside / float64(len(candidates))
}

// ARPUp keeps what is left of the table eligible after every group that it forms
// below the root: replayed group by group with a plain count.
func TestZhuUpwardKeepsTheTableEligible(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	below := 0
	for range 300 {
		l := 2 + rng.IntN(4)
		p := equivtest.Correlated(rng, 20+rng.IntN(150), 2, 2, l+3)
		p.SA = eligibleValues(rng, p.Len(), l+2, l)
		lex, rows := newLexicographic(p, 0, false), equivtest.Rows(p.Len())
		u := newUpward(lex, l, rows)
		lex.sort(rows)
		left := p.Bag(rows)
		rest := u.node(rows, 0)
		for _, g := range u.out {
			for _, r := range g {
				left.Add(p.SA[r], -1)
			}
			require.LessOrEqual(t, left.Max(), left.Total/l)
			below++
		}
		require.ElementsMatch(t, left.Counts, p.Bag(rest).Counts, "what is not assigned is left")
	}
	require.Greater(t, below, 3000)
}

package split

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// The growing box counts what Pool.Loss counts from scratch: the penalty of a record is
// the difference of the sums over all tuples and dimensions.
func TestGrowingBoxAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		p := equivtest.MixedPool(t, rng, 12)
		b := newGrowingBox(p)
		for range 2 { // a box is used again
			b.start(p.At(0))
			for i := int32(1); i < 12; i++ {
				before := p.Loss(equivtest.Rows(int(i))) * 3 * float64(i)
				after := p.Loss(equivtest.Rows(int(i)+1)) * 3 * float64(i+1)
				require.InDelta(t, after-before, b.penalty(p.At(i)), 1e-4)
				b.add(p.At(i))
			}
		}
	}
}

// divideTwin assigns rows to two seeds by NCP computed from scratch, in quadratic time.
func divideTwin(p *equivclass.Pool, rows []int32, u, v int32) (left, right []int32) {
	ncp := func(seed int32, rows []int32, more ...int32) float64 {
		all := append(append([]int32{seed}, rows...), more...)
		return p.Loss(all) * float64(p.D()*len(all))
	}
	for _, r := range rows {
		if ncp(u, left, r)-ncp(u, left) < ncp(v, right, r)-ncp(v, right)-1e-6 {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

// Equal penalties may fall either way by rounding, so a few rows in a hundred
// tables may differ; most tables must not.
func TestDivideAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	same := 0
	for range 200 {
		p := equivtest.MixedPool(t, rng, 30)
		u, v := int32(rng.IntN(30)), int32(rng.IntN(30))
		wantLeft, wantRight := divideTwin(p, equivtest.Rows(30), u, v)
		rows := equivtest.Rows(30)
		left := NewBoxSplitter(p).Divide(rows, p.At(u), p.At(v))
		equivtest.CheckCover(t, [][]int32{rows}, nil, 30)
		if slices.Equal(wantLeft, rows[:left]) && slices.Equal(wantRight, rows[left:]) {
			same++
		}
	}
	require.Greater(t, same, 180)
}

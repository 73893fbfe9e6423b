package topdown

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/lab/split"
)

// The seeds' NCP against that of the farthest of all pairs.
func TestSeedsAreFarApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		p := equivtest.MixedPool(t, rng, 25)
		c := newNCPCutter(p, equivclass.Requirement{K: 1, L: 1})
		u, v := c.seeds(equivtest.Rows(25))
		var most float32
		for i := range int32(25) {
			for j := range i {
				most = max(most, float32(p.Loss([]int32{i, j})*3))
				require.InDelta(t, p.Loss([]int32{i, j})*3, float64(split.PairLoss(p, i, j)), 1e-5)
			}
		}
		require.GreaterOrEqual(t, split.PairLoss(p, u, v), most*0.6)
	}
}

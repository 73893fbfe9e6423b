package equivclass_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

func TestSimilarityByHand(t *testing.T) {
	// x = (0.6, 0.8), y = (0.6, 0): cosine 0.36/(1 x 0.6) = 0.6, distance 0.8,
	// so with REL 0.5 the similarity is 0.5/0.8 x 0.6 = 0.375.
	require.InDelta(t, 0.375, equivclass.Similarity([]float32{0.6, 0.8}, []float32{0.6, 0}, 0.5), 1e-6)
}

func TestSimilarityEdges(t *testing.T) {
	zero, a, b := []float32{0, 0}, []float32{0.5, 0.5}, []float32{0.25, 1}
	require.Equal(t, math.Inf(1), equivclass.Similarity(a, a, 0.01), "distance 0 ranks first")
	require.Equal(t, math.Inf(1), equivclass.Similarity(zero, zero, 1), "also at the origin")
	require.Zero(t, equivclass.Similarity(zero, b, 1), "a zero vector has cosine 0")
	require.Zero(t, equivclass.Similarity(a, zero, 1))
	require.Zero(t, equivclass.Similarity(a, a, 0), "no relevance, no neighbour")
	require.Equal(t, equivclass.Similarity(a, b, 1), equivclass.Similarity(b, a, 1))
}

func TestMostSimilarTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		sims := make([]float64, rng.IntN(12))
		for i := range sims {
			sims[i] = float64(rng.IntN(4))
			if rng.IntN(5) == 0 {
				sims[i] = math.Inf(1)
			}
		}
		want := equivtest.Rows(len(sims))
		sort.SliceStable(want, func(i, j int) bool { return sims[want[i]] > sims[want[j]] })
		top := rng.IntN(6)
		got := equivclass.MostSimilar(sims, top, []int32{99})
		require.Equal(t, append([]int32{99}, want[:min(top, len(want))]...), got)
	}
}

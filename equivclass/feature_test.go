package equivclass_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// floydWarshallSums is eq. 12-14 to the letter: the adjacency matrix, m rounds
// of relaxation, the sum of the shortest path lengths from each vertex.
func floydWarshallSums(p *equivclass.Pool, rows []int32) []float64 {
	m := len(rows)
	path := make([][]float64, m)
	for i := range path {
		path[i] = make([]float64, m)
		for j := range path[i] {
			path[i][j] = equivclass.Distance(p.At(rows[i]), p.At(rows[j]))
		}
	}
	for h := range m {
		for i := range m {
			for j := range m {
				path[i][j] = min(path[i][j], path[i][h]+path[h][j])
			}
		}
	}
	sums := make([]float64, m)
	for i := range path {
		for _, v := range path[i] {
			sums[i] += v
		}
	}
	return sums
}

func TestFeaturePointIsTheFloydWarshallMinimum(t *testing.T) {
	const rounding = 1e-9 // paths along a line may undercut their edge by an ulp
	rng := rand.New(rand.NewPCG(5, 6))
	unique := 0
	for range 400 {
		m := 1 + rng.IntN(14)
		p := equivtest.Grid(rng, m, 1+rng.IntN(4), 5, 2)
		rows := equivtest.Rows(m)
		sums := floydWarshallSums(p, rows)
		least := math.Inf(1)
		for _, s := range sums {
			least = min(least, s)
		}
		near := 0
		for _, s := range sums {
			if s <= least+rounding {
				near++
			}
		}
		got := equivclass.FeaturePoint(p, rows)
		require.LessOrEqual(t, sums[got], least+rounding)
		if near == 1 && m > 2 {
			unique++
		}
	}
	require.Greater(t, unique, 100, "too few cases have one answer only")
}

func TestFeaturePointExamples(t *testing.T) {
	// On a line at 0, 0.2, 1: sums 1.2, 1.0, 1.8.
	p := equivtest.Pool([]float32{0}, []float32{0.2}, []float32{1})
	require.Equal(t, int32(1), equivclass.FeaturePoint(p, []int32{0, 1, 2}))
	require.Equal(t, int32(2), equivclass.FeaturePoint(p, []int32{2, 0}), "of equals the first in rows")
	require.Equal(t, int32(2), equivclass.FeaturePoint(p, []int32{2}))
}

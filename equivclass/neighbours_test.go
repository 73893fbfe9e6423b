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

func TestRELCountsYWithinX(t *testing.T) {
	// X spans [0,0.4] x [0,0.4]. Of Y's four records (0.2,0.2) lies in it,
	// (0.2,0.9) and (0.9,0.4) in one dimension only, (0.9,0.9) in none.
	p := equivtest.Pool([]float32{0, 0.4}, []float32{0.4, 0}, []float32{0.2, 0.2}, []float32{0.2, 0.9}, []float32{0.9, 0.4},
		[]float32{0.9, 0.9})
	x, y := p.Box([]int32{0, 1}, equivclass.NewBox(2)), []int32{2, 3, 4, 5}
	require.Equal(t, 0.25, equivclass.REL(x, p, y, 2))
	require.Equal(t, 0.75, equivclass.REL(x, p, y, 1), "the borders belong to the box")
	require.Equal(t, 1.0, equivclass.REL(x, p, y, 0))
	require.Zero(t, equivclass.REL(x, p, nil, 1))
	// Fig. 2: a class that includes Y has REL 1, one included in Y a part of it.
	require.Equal(t, 1.0, equivclass.REL(p.Box(y, equivclass.NewBox(2)), p, []int32{2, 5}, 2))
}

// relTwin compares coordinate by coordinate with the members themselves.
func relTwin(p *equivclass.Pool, x, y []int32, dims int) float64 {
	share := 0.0
	for _, q := range y {
		inside := 0
		for j := range p.D() {
			below, above := false, false
			for _, r := range x {
				below = below || p.At(r)[j] <= p.At(q)[j]
				above = above || p.At(r)[j] >= p.At(q)[j]
			}
			if below && above {
				inside++
			}
		}
		if inside >= dims {
			share++
		}
	}
	return share / float64(len(y))
}

func TestRELTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 300 {
		d := 1 + rng.IntN(5)
		p := equivtest.Grid(rng, 12, d, 6, 2)
		x, y := equivtest.Rows(12)[:5], equivtest.Rows(12)[5:]
		for dims := 0; dims <= d; dims++ {
			got := equivclass.REL(p.Box(x, equivclass.NewBox(d)), p, y, dims)
			require.Equal(t, relTwin(p, x, y, dims), got)
			if got > 0 && got < 1 {
				some++
			}
		}
	}
	require.Greater(t, some, 100, "the cases are too easy to show anything")
}

func TestBoxDistance(t *testing.T) {
	b := equivclass.Box{Lo: []float32{0.25, 0.25}, Hi: []float32{0.5, 0.5}}
	require.Zero(t, b.Distance2([]float32{0.25, 0.5}))
	require.Equal(t, float32(0.0625+0.25), b.Distance2([]float32{0, 1}))
}

func TestNeighbourFunctionsAllocateNothing(t *testing.T) {
	p := equivtest.Grid(rand.New(rand.NewPCG(3, 4)), 40, 7, 9, 3)
	rows, box := equivtest.Rows(40), equivclass.NewBox(7)
	sims, top := []float64{3, 1, 2}, make([]int32, 0, 2)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		p.Box(rows, box)
		rel := equivclass.REL(box, p, rows[5:], 6)
		sims[1] = equivclass.Similarity(p.At(equivclass.FeaturePoint(p, rows)), p.At(0), rel)
		top = equivclass.MostSimilar(sims, 2, top[:0])
	}))
}

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

package equivclass_test

import (
	"math/rand/v2"
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

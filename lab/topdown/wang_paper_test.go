package topdown

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// wangTen is a table of ten points worked by hand below:
//
//	x: 0 0 0 1 1 2 3 3 3 3   Pro 4, PPA {3, 2, 1, 4}
//	y: 0 0 0 0 0 1 1 1 1 1   Pro 2, PPA {5, 5}
func wangTen() *equivclass.Pool {
	var rows [][]float32
	for i, x := range []float32{0, 0, 0, 1, 1, 2, 3, 3, 3, 3} {
		rows = append(rows, []float32{x / 4, float32(i / 5)})
	}
	return equivtest.Pool(rows...)
}

// Equation 2 to the letter, its sum taken to n: the columns of the matrix of
// differences whose product is not zero.
func wangPro(d []float32) int {
	pro := 0
	for i := range d {
		product := 1.0
		for j := i + 1; j < len(d); j++ {
			product *= float64(d[i] - d[j])
		}
		if product != 0 {
			pro++
		}
	}
	return pro
}

func TestWangEquations2And3(t *testing.T) {
	p := wangTen()
	s := newWangSelector(p, 2)
	x, y := s.spreadOf(equivtest.Rows(10), 0), s.spreadOf(equivtest.Rows(10), 1)
	require.Equal(t, spread{pro: 4, points: 10, squares: 9 + 4 + 1 + 16}, x)
	require.Equal(t, spread{pro: 2, points: 10, squares: 50}, y)
	rng := rand.New(rand.NewPCG(31, 32))
	for range 200 {
		q := equivtest.Grid(rng, 1+rng.IntN(12), 1, 1+rng.IntN(8), 2)
		require.Equal(t, wangPro(q.X), newWangSelector(q, 2).spreadOf(equivtest.Rows(q.Len()), 0).pro)
	}
}

func TestWangSpreadLosesWhatItAdded(t *testing.T) {
	s := spread{}
	s.add(3)
	s.add(1)
	s.lose(3) // {2, 1}
	require.Equal(t, spread{pro: 2, points: 3, squares: 5}, s)
	s.lose(1) // {2}
	require.Equal(t, spread{pro: 1, points: 2, squares: 4}, s)
}

func TestWangEquations4To6(t *testing.T) {
	s := newWangSelector(wangTen(), 2)
	require.Equal(t, []int{0, 1}, s.order(equivtest.Rows(10)))
	// density: x 10/4 = 2.5, y 10/2 = 5. dispersion: x, around the mean 2.5:
	// (0.25 + 0.25 + 2.25 + 2.25)/3 = 5/3; y 0. w1 = 5, w2 = 1/5, k = 2:
	// DEP x = (5 x 2.5 + sqrt(5/3)/5)/2, DEP y = (5 x 5)/2
	require.InDelta(t, (12.5+math.Sqrt(5.0/3)/5)/2, s.dep[0], 1e-12)
	require.InDelta(t, 12.5, s.dep[1], 1e-12)
	// one value only: dispersion 0, and density = w1 = n
	one := newWangSelector(equivtest.Pool([]float32{0}, []float32{0}), 2)
	one.order([]int32{0, 1})
	require.InDelta(t, 2*2.0/2, one.dep[0], 1e-12)
}

func TestWangEquation7(t *testing.T) {
	// ten points: after the 5th, which is 1/4 (x = 1): five to each side, and
	// both of them at y = 0 and y = 1.
	p := wangTen()
	scratch := make([]int32, 10)
	rank := mapValues(p).rank[0]
	require.Equal(t, int32(1), medianRank(equivtest.Rows(10), rank, scratch))
	// nine points (without the last): the 5th again, the left part one larger
	require.Equal(t, int32(1), medianRank(equivtest.Rows(9), rank, scratch))
	groups, _ := WangMedian{}.Partition(p, equivclass.Requirement{K: 5, L: 1})
	require.Equal(t, [][]int32{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}, equivtest.Sorted(groups))
}

func TestWangEquation8(t *testing.T) {
	// k = 2, ten points > 3k-1 = 5. DA = x, y. From below 3 points suffice
	// (x = 0), from above 4 (x = 3): d_pre. Left are 7 points at x 1 1 2 3 3 3 3:
	// from below 2, from above 4: d_pre again takes x = 1. Left are 5, the last
	// step: x = 2 alone is too small and y does not divide them: a class. The
	// three at x = 0 agree in y. Classes of 3, 2 and 5.
	p := wangTen()
	groups, rest := WangCloseK{}.Partition(p, equivclass.Requirement{K: 2, L: 1})
	require.Empty(t, rest)
	require.Equal(t, [][]int32{{0, 1, 2}, {3, 4}, {5, 6, 7, 8, 9}}, equivtest.Sorted(groups))
	// d_fin: 0 0 0 0 2 3 4: from below 4 suffice, from above 2 (values 3 and 4).
	// Left are five, the last step: the point at 2 alone is too few.
	q := equivtest.Pool([]float32{0}, []float32{0}, []float32{0}, []float32{0}, []float32{0.5}, []float32{0.75}, []float32{1})
	groups, _ = WangCloseK{}.Partition(q, equivclass.Requirement{K: 2, L: 1})
	require.Equal(t, [][]int32{{0, 1, 2, 3, 4}, {5, 6}}, equivtest.Sorted(groups))
}

func TestWangEquation9(t *testing.T) {
	require.InDelta(t, 1.0, splitEntropy(4, 4), 1e-12)
	require.InDelta(t, 0.8112781244591328, splitEntropy(3, 1), 1e-12)
	// the last step, k = 3: seven points at 0 1 2 3 4 5 6 may be cut after the
	// third or the fourth, equally even; the lower one is taken
	p := equivtest.Pool([]float32{0}, []float32{0.1}, []float32{0.2}, []float32{0.3}, []float32{0.4}, []float32{0.5}, []float32{0.6})
	groups, _ := WangCloseK{}.Partition(p, equivclass.Requirement{K: 3, L: 1})
	require.Equal(t, [][]int32{{0, 1, 2}, {3, 4, 5, 6}}, equivtest.Sorted(groups))
	// k = 4 and l = 2, eleven points: after the fifth and after the sixth are
	// equally even, but {1 1 1 2 3} holds 1 too often and {1 1 1 2 3 4} does not
	var rows [][]float32
	for i := range 11 {
		rows = append(rows, []float32{float32(i) / 10})
	}
	q := equivtest.Pool(rows...)
	copy(q.SA, []equivclass.Code{1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	groups, _ = WangCloseK{}.Partition(q, equivclass.Requirement{K: 4, L: 2})
	require.Equal(t, [][]int32{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}, equivtest.Sorted(groups))
}

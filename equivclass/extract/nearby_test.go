package extract

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// TestNear: each class is there once, in blocks of equal size, and the classes of a block
// lie nearer to each other than those of the pool; the number of workers changes nothing.
func TestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dim := equivclass.Dim{Kind: equivclass.Number, Width: 1}
	p := equivclass.Points{Space: &equivclass.Space{Dims: []equivclass.Dim{dim, dim}}}
	for range 1200 {
		p.X = append(p.X, rng.Float32(), rng.Float32())
	}
	m := Blind{Workers: 1}
	classes, _ := m.Classes(p, 5)
	require.Len(t, classes, 240)
	near := m.Near(p, classes, 8)
	require.Equal(t, near, Blind{Workers: 3}.Near(p, classes, 8))
	firsts := func(classes [][]int32) (out []int32) {
		for _, c := range classes {
			out = append(out, c[0])
		}
		slices.Sort(out)
		return out
	}
	require.Equal(t, firsts(classes), firsts(near))
	for b := range 8 {
		lo, hi := [2]float32{1, 1}, [2]float32{}
		for i := b; i < len(near); i += 8 {
			for j, x := range appendCentre(nil, p, near[i]) {
				lo[j], hi[j] = min(lo[j], x), max(hi[j], x)
			}
		}
		require.Less(t, (hi[0]-lo[0])+(hi[1]-lo[1]), float32(1.2), "block %d", b)
	}
	require.Equal(t, classes, m.Near(p, classes, 1))
	require.Equal(t, classes, m.WithStop(func() bool { return true }).Near(p, classes, 8)[:len(classes)], "stopped")
}

// BenchmarkNear puts 100,000 classes of Adult into blocks of 32.
func BenchmarkNear(b *testing.B) {
	pool := equivtest.AdultPool(b, 30000, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex",
		"native-country")
	once, _ := Blind{Workers: 2}.Classes(pool.Points(), 5)
	var classes [][]int32
	for len(classes) < 100_000 {
		classes = append(classes, once...)
	}
	for b.Loop() {
		Blind{Workers: 2}.Near(pool.Points(), classes[:100_000], 3125)
	}
}

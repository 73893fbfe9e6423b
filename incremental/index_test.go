package incremental

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kdBoxes are the boxes of m classes of ten records each, made by median cuts of
// clustered points in d dimensions, as a partition makes them; points are others
// of the same law.
func kdBoxes(rng *rand.Rand, m, d int) (boxes []float32, point func() []float32) {
	centres := make([][]float32, 30)
	for i := range centres {
		centres[i] = make([]float32, d)
		for j := range centres[i] {
			centres[i][j] = rng.Float32()
		}
	}
	point = func() []float32 {
		x := make([]float32, d)
		for j, c := range centres[rng.IntN(len(centres))] {
			x[j] = max(0, min(1, c+float32(rng.NormFloat64())/12))
			if j%2 == 1 {
				x[j] = float32(int(x[j]*8)) / 8 // few values, as categories have
			}
		}
		return x
	}
	points := make([][]float32, 10*m)
	for i := range points {
		points[i] = point()
	}
	var cut func(p [][]float32, dim int)
	cut = func(p [][]float32, dim int) {
		if len(p) < 20 {
			flat := make([]float32, 2*d)
			b := boxAt(flat, d, 0)
			copy(b.Lo, p[0])
			copy(b.Hi, p[0])
			for _, x := range p {
				b.Extend(x)
			}
			boxes = append(boxes, flat...)
			return
		}
		slices.SortFunc(p, func(a, b []float32) int {
			switch {
			case a[dim] < b[dim]:
				return -1
			case a[dim] > b[dim]:
				return 1
			}
			return 0
		})
		cut(p[:len(p)/2], (dim+1)%d)
		cut(p[len(p)/2:], (dim+1)%d)
	}
	cut(points, 0)
	return boxes, point
}

// bruteNearest is the distance of a point to the nearest box, by looking at all.
func bruteNearest(x *index, at []float32) float32 {
	best := inf
	for s := range len(x.boxes) / (2 * x.d) {
		best = min(best, x.box(int32(s)).Distance2(at))
	}
	return best
}

// bruteNeighbours are the distances of the n nearest centres, by looking at all.
func bruteNeighbours(x *index, at []float32, n int) []float32 {
	var out []float32
	for s := range len(x.boxes) / (2 * x.d) {
		out = append(out, centreDistance(x.box(int32(s)), at))
	}
	slices.Sort(out)
	return out[:min(n, len(out))]
}

// TestIndexAgreesWithItsTwin: while the searches can visit every leaf they are
// exact.
func TestIndexAgreesWithItsTwin(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := 1 + rng.IntN(7)
		boxes, point := kdBoxes(rng, 1+rng.IntN(90), d)
		x := buildIndex(d, boxes)
		for range 60 {
			at := point()
			require.Equal(t, bruteNearest(x, at), x.box(x.position(at)).Distance2(at), "seed %d", seed)
			want := bruteNeighbours(x, at, 8)
			got := x.neighbours(at, 8, nil)
			require.Len(t, got, len(want))
			for i, s := range got {
				require.Equal(t, want[i], centreDistance(x.box(s), at), "seed %d", seed)
			}
		}
	}
	require.Equal(t, int32(-1), buildIndex(2, nil).position([]float32{0, 0}))
	require.Empty(t, buildIndex(2, nil).neighbours([]float32{0, 0}, 3, nil))
}

// TestIndexIsNearExact: at a size at which the searches must leave leaves out,
// a record that lies in some class is put into one, nearly always, and nearly all
// neighbours are the nearest there are.
func TestIndexIsNearExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	boxes, point := kdBoxes(rng, 8000, 7)
	x := buildIndex(7, boxes)
	contained, found, nearest, of := 0, 0, 0, 0
	for range 400 {
		at := point()
		if bruteNearest(x, at) == 0 {
			contained++
			if x.box(x.position(at)).Distance2(at) == 0 {
				found++
			}
		}
		want := bruteNeighbours(x, at, 32)
		for _, s := range x.neighbours(at, 32, nil) {
			if centreDistance(x.box(s), at) <= want[len(want)-1] {
				nearest++
			}
		}
		of += len(want)
	}
	t.Logf("%d of 400 points lie in a class, %d were found; %d of %d neighbours are the nearest", contained, found, nearest, of)
	require.Greater(t, contained, 100)
	assert.GreaterOrEqual(t, float64(found), 0.99*float64(contained))
	assert.GreaterOrEqual(t, float64(nearest), 0.8*float64(of))
}

// TestIndexIsAFunctionOfItsBoxes: built twice, it answers alike, and so does a
// feature point computed twice.
func TestIndexIsAFunctionOfItsBoxes(t *testing.T) {
	boxes, point := kdBoxes(rand.New(rand.NewPCG(4, 4)), 700, 5)
	a, b := buildIndex(5, slices.Clone(boxes)), buildIndex(5, slices.Clone(boxes))
	require.Equal(t, a, b)
	for range 200 {
		at := point()
		require.Equal(t, a.position(at), b.position(at))
		require.Equal(t, a.neighbours(at, 32, nil), b.neighbours(at, 32, nil))
	}
	seen := map[int32]bool{} // each class is in one leaf
	for _, s := range a.order {
		require.False(t, seen[s])
		seen[s] = true
	}
	require.Len(t, seen, len(boxes)/10)
}

func BenchmarkIndexPosition(b *testing.B) {
	benchIndex(b, func(x *index, at []float32) { x.position(at) })
}
func BenchmarkIndexNeighbours(b *testing.B) {
	benchIndex(b, func(x *index, at []float32) { x.neighbours(at, 32, nil) })
}

func benchIndex(b *testing.B, search func(*index, []float32)) {
	for _, m := range []int{1e3, 1e4, 1e5} {
		boxes, point := kdBoxes(rand.New(rand.NewPCG(1, 1)), m, 7)
		x := buildIndex(7, boxes)
		at := make([][]float32, 4096)
		for i := range at {
			at[i] = point()
		}
		b.Run(fmt.Sprintf("classes=%d", m), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				search(x, at[i%len(at)])
			}
		})
	}
}

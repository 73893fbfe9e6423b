package extract

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestRefinedDivisions holds the exchange of a division against plain sums over rows: it
// loses no row and doubles none, tells what its classes lose, never more than before, and
// leaves no swap that would save anything.
func TestRefinedDivisions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	saved := 0
	for range 24 {
		x := refinable(t, rng)
		for range 20 {
			rows := x.drawnRows(rng, 2+rng.IntN(4))
			before := x.lossOf(rows)
			var r refiner
			r.take(x.fixed, x.k, rows[:x.k], rows[x.k:])
			loss := r.exchange()
			require.Equal(t, x.lossOf(r.ids), loss, "what the classes lose")
			require.LessOrEqual(t, loss, before)
			if loss < before {
				saved++
			}
			require.ElementsMatch(t, rows, r.ids)
			x.requireNoSwap(t, r.ids, loss)
		}
	}
	require.Greater(t, saved, 240, "most of what is drawn can be improved")
}

// TestRefinerIsUsedAgain shows that what a division left behind does not matter to the next.
func TestRefinerIsUsedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := refinable(t, rng)
	var used refiner
	for range 50 {
		rows := x.drawnRows(rng, 2+rng.IntN(4))
		var fresh refiner
		fresh.take(x.fixed, x.k, rows[:x.k], rows[x.k:])
		used.take(x.fixed, x.k, rows[:x.k], rows[x.k:])
		require.Equal(t, fresh.exchange(), used.exchange())
		require.Equal(t, fresh.ids, used.ids)
	}
}

// refinable is a pool of numbers, steps, categories and hierarchies, in up to eleven dimensions.
func refinable(t *testing.T, rng *rand.Rand) *extraction {
	p := clusteredPool(rng, 60, 1+rng.IntN(11), 3)
	mixKinds(t, rng, p)
	x := newExtraction(p, equivclass.Requirement{K: 2 + rng.IntN(8), L: 1})
	x.fixed = newFixed(x.losses)
	return x
}

func (x *extraction) drawnRows(rng *rand.Rand, classes int) []int32 {
	var rows []int32
	for _, i := range rng.Perm(x.p.Len())[:classes*x.k] {
		rows = append(rows, int32(i))
	}
	return rows
}

// lossOf is what classes of k rows lose, in fixed point.
func (x *extraction) lossOf(rows []int32) (loss uint64) {
	for class := range slices.Chunk(rows, x.k) {
		for j := range x.d {
			lo, hi, seen := ^uint32(0), uint32(0), map[uint32]bool{}
			for _, r := range class {
				v := x.fixed.rows[j/8][r][j%8]
				lo, hi, seen[v] = min(lo, v), max(hi, v), true
			}
			switch dim := x.fixed.dims[j]; dim.kind {
			case ranged:
				loss += uint64(hi - lo)
			case listed:
				loss += uint64(len(seen)-1) * uint64(dim.weight)
			default:
				loss += uint64(x.fixed.otherLoss(j, lo, hi))
			}
		}
	}
	return loss
}

func (x *extraction) requireNoSwap(t *testing.T, rows []int32, loss uint64) {
	t.Helper()
	for i := range rows {
		for j := i + 1; j < len(rows); j++ {
			rows[i], rows[j] = rows[j], rows[i]
			other := x.lossOf(rows)
			rows[i], rows[j] = rows[j], rows[i]
			require.GreaterOrEqual(t, other, loss, "rows %d and %d of classes of %d", i, j, x.k)
		}
	}
}

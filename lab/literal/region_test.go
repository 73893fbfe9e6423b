package literal

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/lab/topdown"
)

// similarTwin follows section IV.B to IV.E in plain loops: no boxes kept, no
// nearest ones first, Floyd and Warshall for the feature point.
func similarTwin(u *Update) []int32 {
	chosen := map[int32]bool{}
	tuples := map[int][]int32{}
	for _, w := range u.waiting {
		y := twinPosition(u, w.row)
		tuples[y] = append(tuples[y], w.row)
	}
	for y, ts := range tuples {
		chosen[int32(y)] = true
		points := ts
		if u.params.ByClass {
			points = []int32{twinFeature(u, y)}
		}
		for _, t := range points {
			type scored struct {
				class int
				sim   float64
			}
			var all []scored
			for x := range u.classes {
				if rel := twinREL(u, x, append(slices.Clone(u.classes[y].rows), ts...)); x != y && rel > 0 {
					all = append(all, scored{x, twinSim(u.pool.At(twinFeature(u, x)), u.pool.At(t), rel)})
				}
			}
			slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.sim, a.sim) })
			for _, s := range all[:min(len(all), u.params.Similar)] {
				chosen[int32(s.class)] = true
			}
		}
	}
	var out []int32
	for c := range chosen {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

func twinRange(u *Update, c, j int) (lo, hi float32) {
	lo, hi = 2, -2
	for _, r := range u.classes[c].rows {
		lo, hi = min(lo, u.pool.At(r)[j]), max(hi, u.pool.At(r)[j])
	}
	return lo, hi
}

func twinPosition(u *Update, row int32) int {
	best, distance := 0, math.Inf(1)
	for c := range u.classes {
		sum := 0.0
		for j, x := range u.pool.At(row) {
			lo, hi := twinRange(u, c, j)
			sum += math.Pow(float64(max(lo-x, x-hi, 0)), 2)
		}
		if sum < distance {
			best, distance = c, sum
		}
	}
	return best
}

func twinREL(u *Update, x int, members []int32) float64 {
	within := 0
	for _, r := range members {
		inside := 0
		for j, v := range u.pool.At(r) {
			if lo, hi := twinRange(u, x, j); lo <= v && v <= hi {
				inside++
			}
		}
		if inside >= u.params.NeighbourDims {
			within++
		}
	}
	return float64(within) / float64(len(members))
}

func twinFeature(u *Update, c int) int32 {
	rows := u.classes[c].rows
	best, least := rows[0], math.Inf(1)
	for _, r := range rows {
		sum := 0.0
		for _, q := range rows {
			sum += equivclass.Distance(u.pool.At(r), u.pool.At(q))
		}
		if sum < least {
			best, least = r, sum
		}
	}
	return best
}

func twinSim(x, y []float32, rel float64) float64 {
	var dot, xx, yy, dd float64
	for j := range x {
		a, b := float64(x[j]), float64(y[j])
		dot, xx, yy, dd = dot+a*b, xx+a*a, yy+b*b, dd+(a-b)*(a-b)
	}
	if dd == 0 {
		return math.Inf(1)
	}
	if xx*yy == 0 {
		return 0
	}
	return rel / math.Sqrt(dd) * (dot / (math.Sqrt(xx) * math.Sqrt(yy)))
}

func TestSimilarSetsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	proper := 0
	for round := range 90 {
		u := New(Local, topdown.Mondrian{}, equivclass.Requirement{K: 3, L: 1},
			Params{Space: space(3), Similar: 1 + rng.IntN(3), Neighbours: []int{1000, -1}[round%2], NeighbourDims: 1 + round%3,
				ByClass: round%4 < 2, Threshold: 1000})
		u.Insert(randomRows(rng, 150, 3, 3, 0)...)
		u.Flush()
		u.Insert(randomRows(rng, 1+rng.IntN(4), 3, 3, 0)...)
		got := u.similarSets()
		require.Equal(t, similarTwin(u), got)
		if len(got) > 4 && len(got) < len(u.classes) {
			proper++
		}
	}
	require.Greater(t, proper, 20, "too few cases in which the choice matters")
}

// Three classes on a line and a record at 0.3: it lies in the middle one, both
// others are neighbours by neighbour_dims, and the nearer feature point wins.
func TestSimilarSetsByHand(t *testing.T) {
	u := New(Local, topdown.WangMedian{}, equivclass.Requirement{K: 2, L: 1}, Params{Space: space(2), Similar: 1, Threshold: 0})
	u.pool.Subject = make([]uint64, 6)
	u.pool.X = []float32{0.125, 0, 0.125, 1, 0.25, 0, 0.5, 1, 0.875, 0, 0.875, 1}
	u.pool.SA = make([]equivclass.Code, 6)
	u.replace(nil, [][]int32{{0, 1}, {2, 3}, {4, 5}})
	u.Insert(Row{X: []float32{0.25, 0.5}})
	require.Equal(t, int32(1), u.position(6))
	neighbours, rel := u.neighbourSet(1, []int32{6})
	require.ElementsMatch(t, []int32{0, 2}, neighbours)
	require.Equal(t, []float64{1, 1}, rel, "all three records lie in their range of the second dimension")
	// feature points are the first of each pair: (0.125,0) and (0.875,0). Cosine
	// with (0.25,0.5) is 1/sqrt(5) for both; the distances are 0.515 and 0.80.
	require.Equal(t, []int32{0, 1}, u.similarSets())
}

func TestNearestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	u := New(Full, topdown.Mondrian{}, equivclass.Requirement{K: 3, L: 1}, Params{Space: space(2)})
	u.Insert(randomRows(rng, 200, 2, 2, 0)...)
	u.Flush()
	to := u.classes[0].box
	want := everything(len(u.classes))
	slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(gap2(to, u.classes[a].box), gap2(to, u.classes[b].box)) })
	require.Equal(t, want[:5], u.nearest(to, 5))
	require.Equal(t, want, u.nearest(to, 10000))
}

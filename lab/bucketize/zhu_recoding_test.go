package bucketize

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

func TestSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	p := equivtest.Correlated(rng, 200, 3, 4, 8)
	p.SA = eligibleValues(rng, 200, 9, 4)
	groups, rest := ARP{}.Partition(p, equivclass.Requirement{K: 4, L: 4})
	require.Empty(t, rest)
	columns := [][]int{{0, 2}, {1}, {3}}
	s, err := slice(p, groups, columns, rand.NewPCG(7, 7))
	require.NoError(t, err)
	again, err := slice(p, groups, columns, rand.NewPCG(7, 7))
	require.NoError(t, err)
	require.Equal(t, s, again, "the source alone decides")
	at := 0
	for i, g := range groups {
		for c := range columns {
			require.ElementsMatch(t, g, s.From[c][at:at+len(g)], "a column of a class keeps its parts")
		}
		for k := range g {
			require.Equal(t, i+1, s.Class[at+k])
		}
		at += len(g)
	}
	require.False(t, slices.Equal(s.From[0], s.From[2]), "columns are mixed")
}

// Two records, two columns: each of the two pairings in half of the draws.
func TestSliceIsUniform(t *testing.T) {
	p := equivtest.Block(0, 1)
	source, same := rand.NewPCG(8, 8), 0
	for range 4000 {
		s, err := slice(p, [][]int32{{0, 1}}, [][]int{{0}, {1}}, source)
		require.NoError(t, err)
		if s.From[0][0] == s.From[1][0] {
			same++
		}
	}
	require.InDelta(t, 2000, same, 200)
}

func TestSliceRefusesColumns(t *testing.T) {
	p := equivtest.Block(0, 1)
	for _, columns := range [][][]int{{{0}}, {{0}, {0, 1}}, {{0}, {2}}, {{0}, {-1}}} {
		_, err := slice(p, [][]int32{{0, 1}}, columns, rand.NewPCG(1, 1))
		var refused *columnsError
		require.ErrorAs(t, err, &refused)
		require.NotEmpty(t, refused.Error())
	}
}

func TestRandomize(t *testing.T) {
	n := 40000
	p := equivtest.Block(make([]equivclass.Code, n)...)
	for i := range p.SA {
		p.SA[i] = equivclass.Code(i % 4)
	}
	group := [][]int32{equivtest.Rows(n)}
	require.Equal(t, p.SA, Randomize(p, group, 1, rand.NewPCG(1, 2)))
	for _, retention := range []float64{0, 0.3, 0.8} {
		out, own := Randomize(p, group, retention, rand.NewPCG(3, 4)), 0
		for i, c := range out {
			if c == p.SA[i] {
				own++
			}
		}
		require.InDelta(t, RetentionPosterior(retention, 4), float64(own)/float64(n), 0.01)
		require.InDelta(t, retention, retentionFor(RetentionPosterior(retention, 4), 4), 1e-12)
	}
	require.Zero(t, retentionFor(0.1, 4), "no retention keeps the posterior below 1/m")
	require.Zero(t, retentionFor(0.5, 1))
	small, random := equivtest.Block(5, 6, 7, 7), rand.NewPCG(5, 6)
	for range 100 {
		for i, c := range Randomize(small, [][]int32{{0, 1}, {2, 3}}, 0.1, random) {
			require.Equal(t, i < 2, c < 7, "a value of another class")
		}
	}
}

// retentionFor is the greatest retention at which RetentionPosterior stays at
// or below limit: 0 at limit = 1/m, 1 at limit = 1. Below 1/m there is none: 0.
func retentionFor(limit float64, m int) float64 {
	if m < 2 {
		return 0
	}
	floor := 1 / float64(m)
	return min(1, max(0, (limit-floor)/(1-floor)))
}

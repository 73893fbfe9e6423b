package merge

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
)

// TestStateKeepsItsBooks: what a state has noted about its groups is what their parts
// make.
func TestStateKeepsItsBooks(t *testing.T) {
	for trial := range uint64(20) {
		bags := drawn(equivtest.Rand(trial), 30, 4, 6)
		r := Requirement{L: 3, Extra: []Principle{NewEntropy(3)}}
		s := newState(bags, 4, r)
		x := s.search()
		x.anneal(func() bool { return false })
		s.check(t, bags)
		s.repair()
		s.check(t, bags)
		x.descend(never)
		s.check(t, bags)
	}
}

func (s *state) check(t *testing.T, bags []Bag) {
	t.Helper()
	used := 0
	for _, members := range s.groups() {
		g := s.group[members[0]]
		used++
		whole := sum(pick(bags, members))
		var square int64
		for _, c := range whole {
			square += int64(c.N) * int64(c.N)
		}
		require.Equal(t, int32(len(members)), s.number[g])
		require.Equal(t, square, s.square[g])
		require.Equal(t, gainOf(square, s.number[g]), s.gain[g])
		require.Equal(t, s.requirement.Holds(whole), s.lack[g] == 0)
		require.Equal(t, s.lacks(g, s.number[g]), s.lack[g])
	}
	require.Len(t, s.free, len(bags)-used)
	for _, g := range s.free {
		require.Zero(t, s.number[g])
		require.NotContains(t, s.row(g), int32(1))
	}
}

// TestNearest compares the near parts with all parts.
func TestNearest(t *testing.T) {
	bags := drawn(equivtest.Rand(1), 40, 5, 6)
	s := newState(bags, 5, Requirement{L: 3})
	near := s.nearest(s.spread())
	require.Len(t, near, 40*nearEach)
	for p := range bags {
		row := s.row(int32(p))
		worst := s.pair(row, p, int(near[(p+1)*nearEach-1]), s.spread())
		better := 0
		for q := range bags {
			if q != p && s.pair(row, p, q, s.spread()) < worst {
				better++
			}
		}
		assert.Less(t, better, nearEach, "a nearer part is missing")
		assert.NotContains(t, near[p*nearEach:(p+1)*nearEach], int32(p))
	}
}

// TestEnergyMayRiseAsItShould: the limit of an uphill step is exponential with the
// temperature as its half-life.
func TestEnergyMayRiseAsItShould(t *testing.T) {
	x := search{logs: logTable()}
	random, above := rand.NewPCG(1, 2), [4]int{}
	const n = 40000
	for range n {
		limit := x.limit(1000, random.Uint64())
		for i := range above {
			if limit >= int64(i)*1000 {
				above[i]++
			}
		}
	}
	for i, got := range above {
		assert.InDelta(t, n>>i, got, 0.02*n, "%d half-lives", i)
	}
	assert.Equal(t, int64(256), rising(0, 100))
	assert.Equal(t, int64(256+128), rising(1, 2*octaves))
	assert.Equal(t, int64(256<<3), rising(3, octaves))
}

package incremental_test

import (
	"anond/incremental/state"
	"slices"
	"strings"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
)

// likeliest returns the largest probability of a member's value for someone who
// knows the class, its bag and, for each value, before which record it was not
// valid: all arrangements of the bag that fit are counted, each once a permutation.
func likeliest(members []state.RecordID, bag []string, since func(value string) state.RecordID) float64 {
	fits, has := 0, make([]map[string]int, len(members))
	for i := range has {
		has[i] = map[string]int{}
	}
	equivtest.EachPermutation(len(members), func(perm []int) {
		for i, at := range perm {
			if since(bag[at]) > members[i] {
				return
			}
		}
		fits++
		for i, at := range perm {
			has[i][bag[at]]++
		}
	})
	most := 0
	for _, of := range has {
		for _, n := range of {
			most = max(most, n)
		}
	}
	return float64(most) / float64(fits)
}

// TestExactPosteriorsOfAGrownHierarchy: classes are frozen and disjoint, so each
// can be counted alone. Nobody who knows arrivals and the copies of the sensitive
// hierarchy infers a value with more than 1/l. The same count finds a class that puts
// a new value together with an earlier record.
func TestExactPosteriorsOfAGrownHierarchy(t *testing.T) {
	tier.NotShort(t, "it counts all worlds")
	valid := func(v string) state.RecordID { return map[string]state.RecordID{"new": 1}[v] }
	require.Equal(t, 1.0, likeliest([]state.RecordID{0, 1}, []string{"old", "new"}, valid), "a class that breaks the rule is found")

	late := 0
	for seed := range uint64(12) {
		g := newGrove(t, seed, false)
		for range 4 {
			g.people(14)
			g.cut()
			require.NoError(t, g.m.Commit())
			g.grow(1, 4)
			require.NoError(t, g.start())
		}
		g.people(20)
		g.cut()
		ill := func(r state.RecordID) string { _, v, _ := strings.Cut(g.texts[r], "/"); return v }
		versions := g.m.Hierarchies()[2]
		since := func(v string) state.RecordID {
			i := slices.IndexFunc(versions, func(h state.HierarchyVersion) bool { return int(h.Leaves) > leafNumber(v) })
			return versions[i].Records
		}
		view, err := g.m.Releases().View(g.m.Releases().Latest().Release)
		require.NoError(t, err)
		for _, c := range view.Classes {
			if len(c.Members) > 8 {
				continue // 9! and more: the rule for these is held by TestGrowingHierarchies
			}
			bag := make([]string, len(c.Members))
			for i, r := range c.Members {
				bag[i] = ill(r)
				if since(bag[i]) > 0 {
					late++
				}
			}
			assert.LessOrEqual(t, likeliest(c.Members, bag, since), 0.5+1e-9, "seed %d", seed)
		}
	}
	require.Greater(t, late, 50, "hardly a new value was published")
}

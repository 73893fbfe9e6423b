package topdown

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/measure"
)

// 30,162 rows of Adult in a second, in ten by org; and what the groups would lose
// if they were generalized: the top-down partition loses least, org most. (The
// paper's figures 8 and 9 have the top-down partition quicker than both others.
// Than org it is; multi, which looks at one dimension at a time, is quicker.)
func TestSunAdult(t *testing.T) {
	p := equivtest.AdultHierarchies(t, tier.Of(t, 5000, 10000, 30162))
	for _, c := range []struct{ p, k, l int }{{2, 20, 1}, {10, 20, 1}, {5, 10, 5}} {
		want := equivclass.Requirement{K: c.k, L: c.l}
		ncp := map[string]float64{}
		for _, m := range sunPartitioners(c.p) {
			begin := time.Now()
			groups, rest := m.Partition(p, want)
			took := time.Since(begin)
			equivtest.CheckPartition(t, p, sensitiveTo(want, c.p), groups, rest)
			require.Empty(t, rest)
			ncp[m.Name()] = equivclass.NCP(p, groups, 0)
			t.Logf("p=%d k=%d l=%d %-11s %5d classes, C_AVG %.2f, NCP %.2f %%, %v", c.p, c.k, c.l, m.Name(), len(groups),
				measure.CAVG(measure.Sizes(groups), c.k), 100*ncp[m.Name()], took.Round(time.Millisecond))
		}
		require.Less(t, ncp["p-sensitive"], ncp["org"])
		require.Less(t, ncp["multi"], ncp["org"])
		if c.l == 1 {
			require.Less(t, ncp["p-sensitive-ncp"], 0.7*ncp["p-sensitive"])
		}
	}
}

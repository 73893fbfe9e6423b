package crashtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStateOfLevelL1UnderTheDefault: under a configuration that does not say level L1 a state of it
// is left as it is, before release 1 and after, by whatever reads it; at level L1 it goes on.
func TestStateOfLevelL1UnderTheDefault(t *testing.T) {
	chosen.Demand(t)
	l1 := clinicWith(csvFile, "k: 3, l: 3", "")
	unsaid := strings.Replace(l1, ", level: L1", "", 1)
	require.NotEqual(t, l1, unsaid)
	s := newSite(t, l1)
	s.write("in.csv", skewed[:len("id,age,city,ill\n")]+"p1,30,c1,flu\n")
	for published := range 2 {
		require.Zero(t, s.run("", "run", "--once").code)
		require.Equal(t, published, s.published())
		before := s.read("state/anond.db")
		s.write("anond.yaml", unsaid)
		for _, args := range [][]string{{"run", "--once"}, {"state", "members", "--out", "members.csv"}} {
			r := s.run("", args...)
			require.Equal(t, 78, r.code, r.stderr)
			require.Contains(t, r.stderr, "the state was made at level L1, but policy.level is L2")
			require.Contains(t, r.stderr, "hint: write level: L1 under policy")
		}
		require.Equal(t, before, s.read("state/anond.db"))
		s.write("anond.yaml", l1)
		s.append("in.csv", "p2,31,c1,cold\np3,32,c1,gout\n")
	}
	r := s.run("", "audit", "-c", "anond.yaml", "--require-certified")
	require.Zero(t, r.code, r.stdout+r.stderr)
}

// TestLevelAfterAReset: while nothing is decided, a reset lets a dataset start over at
// the other level, in either direction.
func TestLevelAfterAReset(t *testing.T) {
	chosen.Demand(t)
	l1 := clinicWith(csvFile, "k: 3, l: 3", "")
	l2 := strings.Replace(l1, "level: L1", "level: L2", 1)
	s := newSite(t, l1)
	s.write("in.csv", skewed[:len("id,age,city,ill\n")]+"p1,30,c1,flu\n")
	r := s.run("", "run", "--once")
	require.Zero(t, r.code, r.stderr)
	for _, next := range []struct{ level, config string }{{"L2", l2}, {"L1", l1}} {
		s.write("anond.yaml", next.config)
		r = s.run("", "run", "--once")
		require.Equal(t, 78, r.code, r.stderr)
		require.Contains(t, r.stderr, "but policy.level is "+next.level)
		require.Contains(t, r.stderr, "while no release is decided, start over: anond state reset")
		r = s.run("", "state", "reset", "--yes")
		require.Zero(t, r.code, r.stderr)
		r = s.run("", "run", "--once")
		require.Zero(t, r.code, r.stderr)
	}
}

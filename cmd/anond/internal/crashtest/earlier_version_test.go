package crashtest

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/boltstore"
)

// madeWith turns the site's state into one of an earlier version, in which
// policy.transparent was a setting.
func (s *site) madeWith(transparent string) {
	s.t.Helper()
	store, err := boltstore.Open(s.path("state/anond.db"), boltstore.Options{})
	require.NoError(s.t, err)
	var meta incremental.Meta
	require.NoError(s.t, store.Load(incremental.Visitor{
		Meta:        func(m incremental.Meta) error { meta = m; return nil },
		Counters:    func(incremental.Counters) error { return nil },
		Dictionary:  func(int, string) error { return nil },
		Records:     func(*incremental.RecordBlock) error { return nil },
		Class:       func(*incremental.Class) error { return nil },
		Intent:      func(*incremental.Intent) error { return nil },
		Position:    func(incremental.Partition, incremental.Position) error { return nil },
		Outbox:      func(uint64, int) error { return nil },
		Quarantined: func([]incremental.RecordID) error { return nil }, Attempt: func(*incremental.Attempt) error { return nil },
	}))
	require.NotEmpty(s.t, meta.Settings)
	meta.Settings["policy.transparent"] = sha256.Sum256([]byte(transparent))
	require.NoError(s.t, store.Commit(&incremental.Delta{Meta: &meta}))
	require.NoError(s.t, store.Close())
}

// TestStateOfTheTransparentMode: a state that was made without the mode that was
// removed goes on and its chain is certified; one that was made with it is left
// as it is, whatever the command.
func TestStateOfTheTransparentMode(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic(csvFile))
	s.write("in.csv", skewed[:len("id,age,city,ill\n")]+"p1,30,c1,flu\np2,31,c1,cold\np3,32,c1,gout\n")
	require.Zero(t, s.run("", "run", "--once").code)
	require.Equal(t, 1, s.published())

	s.madeWith("false")
	s.append("in.csv", "p4,40,c2,flu\np5,41,c2,cold\np6,42,c2,gout\n")
	r := s.run("", "run", "--once")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, s.read("releases/000002/manifest.json"), `"level": "L0+L1"`)
	r = s.run("", "audit", "-c", "anond.yaml", "--require-certified")
	require.Zero(t, r.code, r.stdout+r.stderr)

	s.madeWith("true")
	before := s.read("state/anond.db")
	s.append("in.csv", "p7,50,c2,flu\np8,51,c2,cold\np9,52,c2,gout\n")
	for _, args := range [][]string{{"run", "--once"}, {"state", "members", "--out", "members.csv"}} {
		r = s.run("", args...)
		require.Equal(t, 78, r.code, r.stderr)
		require.Contains(t, r.stderr, "policy.transparent")
		require.Contains(t, r.stderr, "hint: rule B (buckets) has replaced the rule of that value: use the version that made the state")
	}
	require.Equal(t, before, s.read("state/anond.db"))
	require.Empty(t, s.read("releases/000003/manifest.json"))
}

// TestResetOfARefusedPoolOfLevelL2: an earlier version fixed a first pool that it
// refused under policy.transparent. Starting over would draw it again.
func TestResetOfARefusedPoolOfLevelL2(t *testing.T) {
	chosen.Demand(t)
	s := refused(t, csvFile, "")
	s.madeWith("true")
	r := s.run("", "state", "reset", "--yes")
	require.Equal(t, 3, r.code, r.stderr)
	require.Contains(t, r.stderr, "refused the first pool at level L2")
	s.madeWith("false")
	r = s.run("", "state", "reset", "--yes")
	require.Zero(t, r.code, r.stderr)
}

// TestRemovedKeyIsRefused: whatever its value, since it promised something.
func TestRemovedKeyIsRefused(t *testing.T) {
	chosen.Demand(t)
	for _, value := range []string{"true", "false"} {
		s := newSite(t, clinicWith(csvFile, "k: 3, l: 3, transparent: "+value, ""))
		r := s.run("", "run", "--once")
		require.Equal(t, 78, r.code, r.stderr)
		require.Contains(t, r.stderr, "policy.transparent: was removed: policy.level says whom releases are safe against; delete the key")
	}
}

// TestStateWithoutALevel: a state of a version that had no policy.level is of level L1.
// Under the default of this version it is left as it is, before release 1 and after, by
// whatever reads it; at level L1 it goes on.
func TestStateWithoutALevel(t *testing.T) {
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

// TestRenamedMethod: a method's name of an earlier version is refused, with the name of
// today, by whatever reads the configuration. The state does not hold the name of the
// method that cut the first load, so it goes on once the configuration has the new one.
func TestRenamedMethod(t *testing.T) {
	chosen.Demand(t)
	under := func(method string) string {
		return clinicWith(csvFile, "k: 3, l: 3", "initial: {partitioner: "+method+"}\n")
	}
	s := newSite(t, under("ncp-split-fixed"))
	s.write("in.csv", skewed[:len("id,age,city,ill\n")]+"p1,30,c1,flu\np2,31,c1,cold\np3,32,c1,gout\n")
	require.Zero(t, s.run("", "run", "--once").code)
	require.Equal(t, 1, s.published())
	state := s.read("state/anond.db")
	require.NotContains(t, state, "ncp-split")

	s.append("in.csv", "p4,40,c2,flu\np5,41,c2,cold\np6,42,c2,gout\n")
	for old, now := range map[string]string{"ncp-split-mended": "ncp-split-fixed", "lgb-mended": "lgb-fixed"} {
		s.write("anond.yaml", under(old))
		for _, args := range [][]string{{"run", "--once"}, {"config", "check"}, {"state", "members", "--out", "members.csv"}} {
			r := s.run("", args...)
			require.Equal(t, 78, r.code, r.stderr)
			require.Contains(t, r.stderr, `initial.partitioner: "`+old+`" was renamed: its name is `+now+"; write "+now)
		}
	}
	require.Equal(t, state, s.read("state/anond.db"))
	require.Empty(t, s.read("releases/000002/manifest.json"))

	s.write("anond.yaml", under("ncp-split-fixed"))
	r := s.run("", "run", "--once")
	require.Zero(t, r.code, r.stderr)
	r = s.run("", "audit", "-c", "anond.yaml", "--require-certified")
	require.Zero(t, r.code, r.stdout+r.stderr)
	require.NotEmpty(t, s.read("releases/000002/manifest.json"))
}

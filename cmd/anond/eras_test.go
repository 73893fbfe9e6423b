package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/upkeep"
	"anond/snapshot"
)

// TestSettingsOfLaterPools: no start changes what a dataset was made under. anond config apply does, for the pools that come, says of
// each setting what it was and from when on it is another, and the releases show both eras.
func TestSettingsOfLaterPools(t *testing.T) {
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, max_hold: 1 releases}\ninitial: {min_pool: 20}")
	grow := func(n int) {
		s.write("admissions.ndjson", ndjson(1, n))
		s.must("run --once")
	}
	manifest := func() (m snapshot.Manifest) {
		require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
		return m
	}
	grow(1600)
	before := manifest()
	require.Contains(t, s.must("config apply"), "nothing changes")

	s.edit("policy: {k: 5, l: 3,", "policy: {k: 8, l: 2,")
	s.write("admissions.ndjson", ndjson(1, 2400))
	refused := s.run("run --once")
	require.Equal(t, exitConfig, refused.code, refused.stderr)
	require.Contains(t, refused.stderr, "the state was made under another [policy.k policy.l")
	require.Contains(t, refused.stderr, "anond config apply")
	said := s.must("config apply --dry-run")
	for _, part := range []string{"policy.k: 8, was 5\n", "policy.l: 2, was 3\n", "They would hold from pool ",
		"partition 0, up to offset ", "Chosen by what is known of some who wait, it can tell their values."} {
		require.Contains(t, said, part)
	}
	require.Equal(t, exitConfig, s.run("run --once").code, "nothing was changed")
	var applied upkeep.Applied
	require.NoError(t, json.Unmarshal([]byte(s.must("config apply --json")), &applied))
	require.Equal(t, before.Release+1, applied.Release)
	require.NotEmpty(t, applied.Ends)
	require.Contains(t, s.must("config apply"), "nothing changes")

	grow(4000)
	m := manifest()
	require.Greater(t, m.Release, before.Release)
	require.Equal(t, []int{5, 8}, []int{m.Eras[0].Policy.K, m.Policy.K})
	require.Equal(t, before.Release, m.Eras[0].Until)
	require.Contains(t, s.must("state check"), "ok: ")
	s.certified(m.Release)
	require.Contains(t, s.must("audit --replay 2"), "CERTIFIED")

	s.edit("policy: {k: 8", "policy: {k: 9")
	require.Contains(t, s.must("config apply"), "policy.k: 9, was 8\n")
}

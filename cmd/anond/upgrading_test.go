package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// TestUpgradingTheOldestSite: the oldest site that is kept goes the way of docs/UPGRADING.md.
// What the new version wants written down is asked for by name, and the message is in the
// document; then the state is read, and after a release there is no way back.
func TestUpgradingTheOldestSite(t *testing.T) {
	tier.NotShort(t, "it continues a chain of releases")
	guide, err := os.ReadFile("../../docs/UPGRADING.md")
	require.NoError(t, err)
	s := format1Site(t)
	state := s.read("state/anond.db")
	configured := s.read("anond.yaml")
	for _, step := range []struct{ old, new, says string }{
		{", level: L1", "", "made at level"},
		{"policy: {", "policy: {transparent: false, ", "policy.transparent"},
		{"k: 5", "k: 6", "policy.k"},
	} {
		s.edit(step.old, step.new)
		r := s.run("run --once")
		assert.Equal(t, exitConfig, r.code, r.stderr)
		assert.Contains(t, r.stderr, step.says)
		assert.Contains(t, r.stderr, "hint: ")
		if step.says != "policy.k" {
			assert.Contains(t, string(guide), "`"+step.says+"`")
		}
		s.write("anond.yaml", configured)
		assert.Equal(t, state, s.read("state/anond.db"), "a refused start changes nothing")
	}
	s.must("state check")
	s.must("state backup", "--out", s.path("before.db"))
	s.must("state restore", "--from", s.path("before.db"))
	s.write("admissions.ndjson", ndjson(1, 1200))
	s.must("run --once")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	r := s.run("state restore", "--from", s.path("before.db"))
	assert.Equal(t, exitBehind, r.code, "there is a release since: %s", r.stderr)
}

package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/readback"
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

// TestCellsOfLaterPools: another hierarchy of a quasi-identifier with the same leaves in another order, steps and a range for numbers,
// and another recoding hold for the pools that come. No start takes such a hierarchy in.
func TestCellsOfLaterPools(t *testing.T) {
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, max_hold: 1 releases}\ninitial: {min_pool: 20}")
	grow := func(n int) {
		s.write("admissions.ndjson", ndjson(1, n))
		s.must("run --once")
	}
	grow(1600)
	lines := strings.Fields(s.read("hierarchies/postcode.csv"))
	slices.Reverse(lines)
	for i, line := range lines {
		leaf, _, _ := strings.Cut(line, ";")
		lines[i] = leaf + ";" + leaf[len(leaf)-1:] + ";*"
	}
	s.write("hierarchies/postcode.csv", strings.Join(lines, "\n")+"\n")
	refused := s.run("run --once")
	require.Equal(t, exitConfig, refused.code)
	require.Contains(t, refused.stderr, "anond config apply")
	s.edit("range: [0, 130]", "range: [0, 120], steps: [5, 10]")
	s.edit("release: {dir: ./releases", "release: {dir: ./releases, recoding: anatomy")
	said := s.must("config apply")
	for _, part := range []string{"release.recoding: \"anatomy\", was \"buckets\"\n", "schema.attributes[age].steps: [5,10], was none\n",
		"schema.attributes[age].range: [\"0\",\"120\"], was [\"0\",\"130\"]\n",
		"schema.attributes[postcode].hierarchy: \"postcode.csv (sha256 "} {
		require.Contains(t, said, part)
	}
	grow(4000)
	var m snapshot.Manifest
	require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	require.Equal(t, []string{"buckets", "anatomy"}, []string{m.Eras[0].Recoding, m.Recoding})
	require.Contains(t, s.must("state check"), "ok: ")
	s.certified(m.Release)
	require.Contains(t, s.must("audit --replay 2"), "CERTIFIED")

	s.edit("recoding: anatomy", "recoding: buckets")
	s.must("config apply")
	grow(6000)
	s.edit("range: [0, 120]", "range: [0, 95]")
	s.must("config apply")
	grow(7000)
	require.Contains(t, s.must("state check"), "ok: ")
	require.Contains(t, s.must("audit --replay 1"), "CERTIFIED")
}

// TestColumnsOfLaterPools: a quasi-identifier is not shown any more (role kept), and shown again later, from the next pool on each time.
// The state has it of everybody, so that those of the last era also show it who came while it was kept. One that is kept in all eras is
// nowhere, and who is forgotten changes no release.
func TestColumnsOfLaterPools(t *testing.T) {
	t.Parallel()
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("{name: sex, role: quasi,", "{name: sex, role: kept,")
	s.edit("release: {", "release: {views: [{name: short, columns: [age, postcode, diagnosis], cells: {postcode: level 1}}], ")
	s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, max_hold: 1 releases}\ninitial: {min_pool: 20}")
	grow := func(n int) {
		s.write("admissions.ndjson", ndjson(1, n))
		s.must("run --once")
	}
	grow(1600)
	s.edit("{name: postcode, role: quasi,", "{name: postcode, role: kept,")
	refused := s.run("run --once")
	require.Equal(t, exitConfig, refused.code)
	require.Contains(t, refused.stderr, "anond config apply")
	require.Contains(t, s.must("config apply"), `schema.attributes[postcode].role: "kept", was "quasi"`+"\n")
	grow(4000)
	s.edit("{name: postcode, role: kept,", "{name: postcode, role: quasi,")
	require.Contains(t, s.must("config apply"), `schema.attributes[postcode].role: "quasi", was "kept"`+"\n")
	grow(6000)
	s.edit("{name: age, role: quasi,", "{name: age, role: drop,")
	require.Equal(t, exitConfig, s.run("config apply").code, "the state would lose it")
	s.edit("{name: age, role: drop,", "{name: age, role: quasi,")

	var m snapshot.Manifest
	require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	var roles []string
	for _, of := range m.ByEra() {
		for _, e := range of.Schema {
			if e.Name == "postcode" {
				roles = append(roles, string(e.Role))
			}
		}
	}
	require.Equal(t, []string{"quasi", "drop", "quasi"}, roles)
	require.Contains(t, s.must("release cat"), snapshot.NotPublished)
	s.must("release report")
	eras, err := readback.OpenEras(s.path("releases"))
	require.NoError(t, err)
	var known []bool // whether an era tells how many people of a postcode have influenza
	for _, of := range eras {
		require.NoError(t, of.Load(nil))
		_, _, err := of.Ask("count where postcode = 1101 and diagnosis = influenza")
		known = append(known, err == nil)
	}
	require.Equal(t, []bool{true, false, true}, known)
	require.Contains(t, s.must("state check"), "ok: ")
	s.certified(m.Release)
	header, _, _ := strings.Cut(s.read("records.csv"), "\n")
	require.Equal(t, "record,arrived_in_release,arrived_in_era,patient,age,postcode,admission,diagnosis", header)
	s.must("audit --replay 1 --require-certified")
	require.Contains(t, s.must("release cat --dir "+s.path("releases-short")), snapshot.NotPublished)

	for _, line := range []int{1, 300, 900} {
		var row struct{ Patient string }
		require.NoError(t, json.Unmarshal([]byte(strings.Split(s.read("admissions.ndjson"), "\n")[line]), &row))
		s.must("forget", row.Patient)
	}
	grow(7000)
	s.must("release verify")
	require.Contains(t, s.must("state check"), "ok: ")
	require.NoError(t, os.Remove(s.path("members.csv")))
	require.NoError(t, os.Rename(s.path("records.csv"), s.path("before.csv")))
	s.certified(m.Release)
	require.NotEqual(t, s.read("before.csv"), s.read("records.csv"))
}

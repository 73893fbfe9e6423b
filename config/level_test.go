package config_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// loadAt loads the plain file at a level with one more change.
func loadAt(t *testing.T, level, from, to string) (*config.Config, []string) {
	t.Helper()
	tail := plainFile[strings.Index(plainFile, "schema:"):strings.Index(plainFile, "state:")]
	require.Contains(t, tail, from)
	return loadChanged(t, tail, strings.Replace(strings.Replace(tail, from, to, 1), "level: L1", "level: "+level, 1))
}

// TestDefaultsFollowTheLevel: what is not written fits the level, and what fits
// may be written out.
func TestDefaultsFollowTheLevel(t *testing.T) {
	for _, c := range []struct {
		level         string
		republication config.Republication
		recoding      config.Recoding
		regroups      int
	}{
		{"L1", config.Regroup, config.Generalization, 2},
		{"L2", config.Append, config.Buckets, 0},
	} {
		got, said := loadAt(t, c.level, "", "")
		require.Empty(t, said)
		assert.Equal(t, config.Level(c.level), got.Policy.Level)
		assert.Equal(t, c.republication, got.Policy.Republication)
		assert.Equal(t, c.recoding, got.Release.Recoding)
		assert.Equal(t, c.regroups, got.Policy.MaxRegroups)

		out, said := loadAt(t, c.level, "{dir: out}", "{dir: out, recoding: "+string(c.recoding)+"}")
		require.Empty(t, said)
		assert.Equal(t, got.Digests(), out.Digests())
		out, said = loadAt(t, c.level, "l: 5", "l: 5, republication: "+string(c.republication))
		require.Empty(t, said)
		assert.Equal(t, got.Digests(), out.Digests())
	}
}

// TestEachRuleOfALevelAlone: what does not belong to the level is refused by a
// single message.
func TestEachRuleOfALevelAlone(t *testing.T) {
	const l2, l1 = ", but policy.level is L2: ", ", but policy.level is L1"
	for _, c := range []struct{ level, from, to, want string }{
		{"L2", "l: 5", "l: 5, republication: regroup", "policy.republication: is regroup" + l2 + "its classes and buckets never change"},
		{"L2", "{dir: out}", "{dir: out, recoding: generalization}",
			"release.recoding: is generalization" + l2 + "values are published per bucket of whole classes"},
		{"L2", "{max_records: 0}", "{min_records: 100}", "initial.min_records: belongs to level L1" + l2 +
			"there initial.min_pool is the least number of people of the first pool"},
		{"L2", "{max_records: 0}", "{min_pool: 49}", "initial.min_pool: is 49, below k*l = 50: fewer people may have no value in more than " +
			"1/l of them and still form no bucket"},
		{"L2", "{max_records: 0}", "{min_pool: 0}", `initial.min_pool: "0" is below 1`},
		{"L2", "{max_records: 0}", "{min_pool: 70, max_records: 69}", "initial.max_records: is 69, below the 70 people that the first pool " +
			"needs: initial.min_pool, policy.min_pool, and at least k times l"},
		{"L2", "l: 5", "l: 5, max_pool: 999", "policy.max_pool: is 999, below the 1000 people that the first pool needs: initial.min_pool, " +
			"policy.min_pool, and at least k times l"},
		{"L1", "l: 5", "l: 5, max_pool: 999", "policy.max_pool: belongs to level L2" + l1},
		{"L1", "{max_records: 0}", "{min_pool: 70}", "initial.min_pool: belongs to level L2" + l1},
		{"L2", "{max_records: 0}", "{min_pool: 50, max_records: 49}",
			"initial.max_records: is 49, below the 50 people that the first pool needs: initial.min_pool, policy.min_pool, and at least k times l"},
		{"L2", "l: 5}\ninitial: {max_records: 0}", "l: 5, min_pool: 100}\ninitial: {min_pool: 50, max_records: 99}",
			"initial.max_records: is 99, below the 100 people that the first pool needs: initial.min_pool, policy.min_pool, and at least k times l"},
		{"L1", "l: 5", "l: 5, max_wait: 1h", "policy.max_wait: belongs to level L2" + l1},
		{"L2", "l: 5", "l: 5, max_wait: 15m", "policy.max_wait: is 15m, not longer than policy.max_hold = 15m, for which a person may wait " +
			"for a better class"},
		{"L2", "l: 5", "l: 5, max_wait: 3 releases", "policy.max_wait: is 3 releases, but policy.max_hold is 15m: one of them is a number of " +
			"releases"},
		{"L2", "l: 5", "l: 5, max_hold: 3 releases, max_wait: 3 releases", "policy.max_wait: is 3 releases, not longer than policy.max_hold = " +
			"3 releases, for which a person may wait for a better class"},
		{"L2", "l: 5", "l: 5, max_regroups: 2", "warning: policy.max_regroups: is not used, because policy.level is L2"},
		{"L2", "l: 5", "l: 5, republication: append, max_regroups: 2",
			"warning: policy.max_regroups: is not used, because policy.level is L2"},
		{"L2", "{dir: out}", "{dir: out, recoding: anatomy}", "warning: release.recoding: is anatomy: quasi-identifiers are published " +
			"exactly, which reveals who is in the data, but not their sensitive values"},
		{"L2", "name: city", "name: bucket", `schema.attributes[2].name: "bucket" is a column of every release`},
		{"L2", "name: diagnosis", "name: bucket", `schema.attributes[3].name: "bucket" is a column of every release`},
		{"L1", "l: 5", "l: 5, min_pool: 0", "policy.min_pool: belongs to level L2" + l1},
		{"L1", "{max_records: 0}", "{on_refusal: stop}",
			"initial.on_refusal: belongs to level L2" + l1 + ": there a refused first load takes in the records that follow"},
		{"L1", "{dir: out}", "{dir: out, recoding: buckets}",
			"release.recoding: is buckets" + l1 + ": buckets of whole classes belong to level L2"},
		{"L3", "l: 5", "l: 5, min_pool: 0", `policy.level: "L3" is not one of the known values`},
		{"L3", "{dir: out}", "{dir: out, recoding: generalization}", `policy.level: "L3" is not one of the known values`},
		{"L0", "{dir: out}", "{dir: out, recoding: buckets}", `policy.level: "L0" is not one of the known values`},
	} {
		t.Run(c.level+" "+c.to, func(t *testing.T) {
			_, said := loadAt(t, c.level, c.from, c.to)
			assert.Equal(t, []string{c.want}, said)
		})
	}
}

// TestNobodyLapsesWithoutSubject: nobody would know whose later records are beyond.
func TestNobodyLapsesWithoutSubject(t *testing.T) {
	tail := plainFile[strings.Index(plainFile, "    - {name: patient"):strings.Index(plainFile, "initial:")]
	to := strings.NewReplacer("role: subject", "role: drop", "subject: {repeat: first}\n", "", "level: L1", "level: L2",
		"l: 5", "l: 5, max_wait: 1h")
	_, said := loadChanged(t, tail, to.Replace(tail))
	assert.Contains(t, said, "policy.max_wait: needs an attribute with role subject: later records of people who have lapsed are not "+
		"published, and without one nobody knows whose they are")
}

// TestJustAllowedAtLevel2: what lies on the good side of each bound passes silently.
func TestJustAllowedAtLevel2(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"l: 5", "l: 5, republication: append, min_pool: 1000, threshold: 3"},
		{"l: 5", "l: 5, max_wait: 16m"},
		{"l: 5", "l: 5, max_hold: 1 release, max_wait: 2 releases"},
		{"{max_records: 0}", "{min_pool: 50, max_records: 50, on_refusal: quarantine}"},
		{"l: 5}\ninitial: {max_records: 0}", "l: 5, min_pool: 100, max_pool: 100}\ninitial: {min_pool: 60, max_records: 100, on_refusal: grow}"},
		{"{dir: out}", "{dir: out, recoding: permutation}"},
		{"{dir: out}", "{dir: out, trigger: {on: update}}"},
		{"name: city", "name: count"},
		{"name: diagnosis", "name: count"},
		{"name: patient", "name: bucket"},
	} {
		t.Run(c.to, func(t *testing.T) {
			got, said := loadAt(t, "L2", c.from, c.to)
			assert.Empty(t, said)
			require.NotNil(t, got)
		})
	}
}

// TestDigestsOfLevels: states of level L1 were made by versions that had no other
// level, so its settings have no key of it. An unused key is no setting, and what
// becomes of a refused first pool may change after it was refused.
func TestDigestsOfLevels(t *testing.T) {
	one, said := loadAt(t, "L1", "", "")
	require.Empty(t, said)
	two, said := loadAt(t, "L2", "", "")
	require.Empty(t, said)
	assert.NotContains(t, one.Digests(), "policy.level")
	assert.Contains(t, two.Digests(), "policy.level")
	assert.Equal(t, []string{"initial.min_pool", "policy.level", "policy.max_pool", "policy.max_regroups", "policy.min_pool",
		"policy.republication", "release.recoding", "release.window"},
		changed(one.Digests(), two.Digests()))
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"l: 5", "l: 5, min_pool: 0", nil},
		{"l: 5", "l: 5, min_pool: 1000", []string{"policy.min_pool"}},
		{"l: 5", "l: 5, max_regroups: 3", nil},
		{"{max_records: 0}", "{on_refusal: grow}", nil},
		{"{max_records: 0}", "{min_pool: 1000}", nil},
		{"{max_records: 0}", "{min_pool: 50}", []string{"initial.min_pool", "policy.max_pool"}},
		{"l: 5", "l: 5, max_pool: 20000", nil},
		{"l: 5", "l: 5, max_pool: 0", nil},
	} {
		other, _ := loadAt(t, "L2", c.from, c.to)
		require.NotNil(t, other)
		assert.Equal(t, c.want, changed(two.Digests(), other.Digests()), c.to)
	}
}

// TestDigestsCoverPolicy: no key of the policy can be forgotten.
func TestDigestsCoverPolicy(t *testing.T) {
	c, _ := loadAt(t, "L2", "", "")
	covered := slices.Collect(maps.Keys(c.Digests()))
	for _, k := range config.Reference() {
		if strings.HasPrefix(k.Key, "policy.") && !strings.Contains(k.Key, "[]") {
			assert.Contains(t, covered, k.Key)
		}
	}
}

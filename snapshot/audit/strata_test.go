package audit

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// strataL2 is the standard chain of people who are observed before they are published.
func strataL2(recoding string) *l2Plan {
	p := standardL2(recoding)
	inStrata(p)
	return p
}

// TestStrata: the auditor certifies a chain each of whose pools has people of one stratum, and finds a pool of which the exports do not say
// what the files say.
func TestStrata(t *testing.T) {
	for _, recoding := range []string{"buckets", "anatomy"} {
		p := strataL2(recoding)
		p.edit = func(r *testParts) { // by which the source knows a record; no release shows it
			r.man["schema"] = append(r.man["schema"].([]map[string]any), map[string]any{"name": "visit", "role": "record", "type": "categorical"})
		}
		r, err := Dir(p.write(t))
		require.NoError(t, err)
		require.Empty(t, r.Violations)
		require.Equal(t, VerdictCertified, r.Verdict)
		require.Contains(t, strings.Join(r.NotPromised, "\n"), "how often, in which order and when a record is corrected")
		require.Contains(t, strings.Join(r.NotChecked, "\n"), "observed for the same time")
	}
	for _, p := range []*l2Plan{strataL2("buckets"), standardL2("buckets")} { // those who settle are pending, and in no export
		p.edit = since(1, func(r *testParts) { r.man["pending"] = r.man["pending"].(int) + 7 })
		r, err := Dir(p.write(t))
		require.NoError(t, err)
		require.Equal(t, p.strata != nil, len(r.Violations) == 0, "%v", r.Violations)
	}
	p := strataL2("buckets")
	p.edit = early(2, func(r *testParts) { set(r.parts[1], 3, "plain") })
	r, err := Dir(p.write(t))
	require.NoError(t, err)
	require.Equal(t, []string{format.KindStratumMismatch}, kinds(r.Violations)[:1])
}

// set writes a column of all lines of buckets.csv.
func set(p *testPart, column int, text string) {
	for _, row := range p.tables["buckets.csv"][1:] {
		row[column] = text
	}
}

// TestStrataThatCannotBeRead: what is no stratum, and a time of observation that is none, are told.
func TestStrataThatCannotBeRead(t *testing.T) {
	for want, edit := range map[string]func(r *testParts){
		"stratum is none":              since(1, func(r *testParts) { set(part1(r), 3, "updated+fault") }),
		"privacy.settle or privacy.up": since(1, func(r *testParts) { privacy(r)["settle"] = "soon" }),
		"privacy.settle or privacy.u":  since(1, func(r *testParts) { privacy(r)["updates"] = "" }),
		"privacy.settle or privacy.":   since(1, func(r *testParts) { privacy(r)["settle"] = "010 records" }),
	} {
		p := strataL2("buckets")
		p.edit = edit
		_, err := Dir(p.write(t))
		require.ErrorContains(t, err, want)
	}
	o := strataL2("buckets").write(t)
	text, err := os.ReadFile(o.Records)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(o.Records, []byte(strings.Replace(string(text), "stratum", "layer", 1)), 0o600))
	_, err = Dir(o)
	require.ErrorContains(t, err, "header lacks the stratum")
}

// TestUnionOfOtherTimesOfObservation: a union whose shards observe people for another time than it says, or publish
// other histories, is found.
func TestUnionOfOtherTimesOfObservation(t *testing.T) {
	shard, f := &format.Manifest{}, &format.Faults{}
	shard.Privacy.Settle, shard.Privacy.Updates = "90d", "apply"
	of := &unionRelease{number: 1, man: &format.Manifest{}, shards: map[int]*shardManifest{0: {man: shard}}}
	said := func(fields ...string) bool {
		*f = format.Faults{}
		checkUnionClaims(of, f)
		return slices.ContainsFunc(f.List, func(v format.Violation) bool {
			return v.Attribute == append(fields, "privacy.settle")[0]
		})
	}
	require.True(t, said())
	of.man.Privacy.Settle, of.man.Privacy.Updates = "90d", "refuse"
	require.True(t, said())
	of.man.Privacy.Updates = "apply"
	require.False(t, said())
	shard.Privacy.MaxRecords = 3
	require.True(t, said("privacy.max_records"))
	of.man.Privacy.MaxRecords = 3
	require.False(t, said("privacy.max_records"))
}

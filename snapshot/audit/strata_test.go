package audit

import (
	"os"
	"regexp"
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
		require.NotContains(t, strings.Join(r.NotChecked, "\n"), "observed for the same time")
		public, err := Dir(Options{Releases: p.write(t).Releases})
		require.NoError(t, err)
		require.Contains(t, strings.Join(public.NotChecked, "\n"), "observed for the same time")
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

// TestObservedAlike: with the exports the audit finds somebody who was observed for another time than others, a record from outside the
// time, a history in another order, and somebody who was taken in before others whose time had ended.
func TestObservedAlike(t *testing.T) {
	const day = 86_400_000
	for name, x := range map[string]struct {
		attribute string
		people    int
		do        func(person int, until *int64, came []int64)
	}{
		"nothing":              {"", 0, func(int, *int64, []int64) {}},
		"nothing is known":     {"", 0, nil},
		"longer":               {"observed_until", 1, func(person int, until *int64, _ []int64) { *until += ifIs(person == 5, 1) }},
		"closed by the cut":    {"observed_until", 4, func(person int, until *int64, _ []int64) { *until += ifIs(person < 4, day) }},
		"begins before":        {"observed_until", 1, func(person int, _ *int64, came []int64) { came[0] += ifIs(person == 5, 1) }},
		"a record came before": {"came", 1, func(person int, _ *int64, came []int64) { came[0] -= ifIs(person == 13, 2) }},
		"a record came later": {"came", 1, func(person int, until *int64, came []int64) {
			if person == 25 {
				came[2] = *until
			}
		}},
		"another order": {"came", 1, func(person int, _ *int64, came []int64) {
			if person == 13 {
				came[0], came[1] = came[1], came[0]
			}
		}},
		"taken in earlier": {"record", 1, func(person int, until *int64, came []int64) {
			*until += ifIs(person == 5, 9000)
			came[0] += ifIs(person == 5, 9000)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := historiesL2()
			p.strata[1] = "2+older"
			p.observed = x.do
			o := p.write(t)
			if x.do == nil { // of people whose source had ended, or who were forgotten
				text, err := os.ReadFile(o.Records)
				require.NoError(t, err)
				text = regexp.MustCompile(`(?m),1[0-9]{12}(,1[0-9]{12}|,)(,1[0-9]{12}|,)(,1[0-9]{12}|,)`).ReplaceAll(text, []byte(",,,,"))
				require.NoError(t, os.WriteFile(o.Records, text, 0o600))
			}
			r, err := Dir(o)
			require.NoError(t, err)
			if x.people == 0 {
				require.Empty(t, r.Violations)
				return
			}
			require.Contains(t, kinds(r.Violations), format.KindObservation)
			require.True(t, slices.ContainsFunc(r.Violations, func(v format.Violation) bool {
				return v.Rule == "U" && v.Kind == format.KindObservation && v.Attribute == x.attribute && v.Count == x.people
			}), "%v", r.Violations)
		})
	}
	for from, to := range map[string]string{",plain,17": ",plain,CANARY", ",1700000000000,": ",,", "observed_until": "until"} {
		o := historiesL2().write(t)
		text, err := os.ReadFile(o.Records)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(o.Records, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
		_, err = Dir(o)
		require.ErrorContains(t, err, "observed")
		require.NotContains(t, err.Error(), "CANARY")
	}
}

// ifIs is n if something holds, and 0 otherwise.
func ifIs(is bool, n int64) int64 {
	if is {
		return n
	}
	return 0
}

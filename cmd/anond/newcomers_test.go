package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/upkeep"
	"anond/snapshot"
)

// stays are the records of people from one number to another, of whom every fiftieth has a stay that is implausible at first.
func stays(from, to int) (out string) {
	for n := from; n < to; n++ {
		days := n * 7 % 30
		if n%50 == 0 {
			days = 40
		}
		age := fmt.Sprint(20 + n*13%60)
		if n%70 == 3 {
			age = `"unknown"`
		}
		out += fmt.Sprintf(`{"id": %d, "age": %s, "rooms": %d, "dx": "d%d", "ward": "w%d", "days": %d}`+"\n", n, age, n%6, n*n%7, n*3%5, days)
	}
	return out
}

// TestSettingsOfPeopleWhoComeLater: further attributes and values that become valid are those of people who come after anond config apply.
// Nobody who came before is in a release with them, also with a sound record now; the releases of both eras are certified, and a replay
// makes the same decisions.
func TestSettingsOfPeopleWhoComeLater(t *testing.T) {
	t.Parallel()
	s := bareSite(t, strings.Replace(fmt.Sprintf(numbersConfig, "    - {name: age, role: quasi, type: integer}", "L2", "min_pool", "buckets"),
		"    - {name: dx, role: sensitive, type: categorical}\n", "    - {name: dx, role: sensitive, type: categorical}\n"+
			"    - {name: days, role: sensitive, type: integer, buckets: [0, 10, 20], range: [0, 30]}\n", 1), stays(0, 600))
	s.must("run --once")
	before := s.certifiedManifest()

	s.edit("range: [0, 30]}\n", "range: [0, 60]}\n    - {name: rooms, role: quasi, type: integer}\n"+
		"    - {name: ward, role: sensitive, type: categorical}\n")
	s.write("in.json", stays(0, 600)+stays(590, 1500)+stays(0, 20))
	refused := s.run("run --once")
	require.Equal(t, exitConfig, refused.code, refused.stderr)
	require.Contains(t, refused.stderr, "schema.attributes[days].range")
	require.Contains(t, refused.stderr, "anond config apply")

	refused = s.run("config apply --dry-run")
	require.Equal(t, exitConfig, refused.code, refused.stderr)
	require.Contains(t, refused.stderr, "would never be published")
	require.Contains(t, s.must("config apply --dry-run --lapse"), "for people who come later. Of those who have come, ")
	var applied upkeep.Applied
	require.NoError(t, json.Unmarshal([]byte(s.must("config apply --lapse --json")), &applied))
	require.True(t, applied.Newcomers)
	require.Positive(t, applied.Lapsed)
	require.Contains(t, s.must("config apply"), "nothing changes")
	require.Contains(t, s.must("state check"), "ok: ")

	s.must("run --once")
	var m snapshot.Manifest
	require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	require.Greater(t, m.Release, before.Release)
	require.Equal(t, before.Release, m.Eras[0].Until)
	require.Len(t, m.Eras[0].Schema, 4)
	require.Len(t, m.Schema, 6)
	require.Contains(t, s.must("state check"), "ok: ")
	s.certified(m.Release)
	require.Contains(t, s.must("audit --replay 2"), "CERTIFIED")
	records := s.read("records.csv")
	require.Equal(t, "record,arrived_in_release,arrived_in_era,id,age,dx,days,rooms,ward", records[:strings.IndexByte(records, '\n')])
	require.Regexp(t, `(?m)^[^,]*,1,1,[^,]*,\d+,d\d,[^,]*,,$`, records, "who came before has no value of what was added")
	require.NotContains(t, s.must("release cat"), "\n603,", "a subject is not published")

	s.edit("    - {name: rooms, role: quasi, type: integer}\n", "    - {name: floor, role: quasi, type: integer}\n")
	refused = s.run("config apply --lapse")
	require.Equal(t, exitConfig, refused.code)
	require.Contains(t, refused.stderr, `attribute "rooms" is gone, or has another place or role`)
}

// TestPeopleWhoComeLaterAreObserved: from a change on people are observed and published with two records each; those who came before have
// one.
func TestPeopleWhoComeLaterAreObserved(t *testing.T) {
	t.Parallel()
	s := bareSite(t, fmt.Sprintf(numbersConfig, "    - {name: age, role: quasi, type: integer}", "L2", "min_pool", "buckets")+
		"subject: {repeat: first}\n", strings.ReplaceAll(stays(0, 600), `"unknown"`, "30"))
	s.edit("  attributes:\n", "  others: drop\n  attributes:\n")
	s.must("run --once")
	before := s.certifiedManifest()
	s.edit("subject: {repeat: first}\n", "subject: {repeat: history, max_records: 2, settle: 40 records}\n")
	later := ""
	for n := 600; n < 2000; n += 10 {
		some := strings.ReplaceAll(stays(n, n+10), `"unknown"`, "30")
		later += some + some
	}
	s.write("in.json", strings.ReplaceAll(stays(0, 600), `"unknown"`, "30")+later)
	require.Equal(t, exitConfig, s.run("run --once").code)
	s.must("config apply --lapse")
	s.must("run --once")
	m := s.certifiedManifest()
	require.Greater(t, m.Release, before.Release)
	require.Equal(t, before.Release, m.Eras[0].Until)
	require.Contains(t, s.must("state check"), "ok: ")
	s.certified(m.Release)
}

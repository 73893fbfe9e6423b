package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/testkit/programtest"
)

const historiesConfig = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: in.csv}}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: diagnosis, role: sensitive, hierarchy: diagnosis.csv}
    - {name: ward, role: sensitive, type: categorical}
subject: {settle: 100 records, repeat: history, max_records: 2}
policy: {k: 5, l: 2, max_pool: 400}
initial: {min_pool: 200}
release: {dir: ./releases, trigger: {on: records, every: 500}}
`

// TestHistoriesFromTheFileToTheAudit: people who come twice inside the window are published with both visits, as one value, in buckets of
// their own; the check of the configuration says what histories need; the audit certifies the promise of "ever" with the exports, and the
// replay makes all decisions again in other worlds, also when the hierarchy of the values has grown meanwhile and somebody was forgotten.
func TestHistoriesFromTheFileToTheAudit(t *testing.T) {
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", historiesConfig)
	hierarchy := ""
	for d := range 9 {
		hierarchy = fmt.Sprintf("d%d;c%d;*\n", d, d/3) + hierarchy
	}
	s.write("diagnosis.csv", hierarchy)
	rng, rows := rand.New(rand.NewPCG(1, 1)), strings.Builder{}
	rows.WriteString("patient,age,diagnosis,ward\n")
	kinds := 9
	line := func(person int) {
		d := (person%kinds + rng.IntN(2)) % kinds // mostly as before
		fmt.Fprintf(&rows, "p%d,%d,d%d,w%d\n", person, 20+person%50, d, d/2)
	}
	comes := func(from, to int) {
		for i := from; i < to; i++ {
			line(i)
			switch back := i - 40; {
			case back >= 0 && back%2 == 0: // half come again
				line(back)
			case back >= 0 && back%5 == 0: // others behind the window
				line(max(0, back-200))
			}
		}
	}
	comes(0, 1500)
	s.write("in.csv", rows.String())
	checked := s.must("config check", "--data", s.path("in.csv"))
	assert.Contains(t, checked, "Observed for 100 records (subject.settle)")
	assert.Regexp(t, `of 2: \d+ people, \d+ with more; one value is ever that of`, checked)
	assert.Contains(t, checked, "Pools of up to 400 people can keep that for subject.max_records up to 2")
	s.must("run --once")

	s.must("state records", "--out", s.path("records.csv"))
	values, err := csv.NewReader(strings.NewReader(s.read("records.csv"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "record,arrived_in_release,stratum,patient,age,diagnosis,diagnosis_2,ward,ward_2", strings.Join(values[0], ","))
	twice := 0
	for _, row := range values[1:] {
		require.Equal(t, row[2] == "2", row[6] != "")
		require.Equal(t, row[6] != "", row[8] != "")
		if row[6] != "" {
			twice++
		}
	}
	require.Greater(t, twice, 500)
	audited := s.must("audit --replay 2 --require-certified")
	require.Contains(t, audited, "cannot tell that a value ever occurs in a published person's history")
	require.Contains(t, audited, "L2: certified")
	manifest := s.read("releases/" + strings.TrimSpace(s.read("releases/CURRENT")) + "/manifest.json")
	require.Contains(t, manifest, `"max_records": 2`)

	// The files have the histories of those who are published, and no others.
	s.must("state members", "--out", s.path("members.csv"))
	members, err := csv.NewReader(strings.NewReader(s.read("members.csv"))).ReadAll()
	require.NoError(t, err)
	published, want, have := map[string]bool{}, map[string]int{}, map[string]int{}
	for _, row := range members[1:] {
		published[row[1]] = true
	}
	for _, row := range values[1:] {
		if published[row[0]] {
			want["diagnosis,"+row[5]+","+row[6]]++
			want["ward,"+row[7]+","+row[8]]++
		}
	}
	counts, err := csv.NewReader(strings.NewReader(s.must("release cat --file values.csv"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "part,bucket,attribute,value,value_2,count", strings.Join(counts[0], ","))
	for _, row := range counts[1:] {
		n, err := strconv.Atoi(row[5])
		require.NoError(t, err)
		have[strings.Join(row[2:5], ",")] += n
	}
	require.Equal(t, want, have)
	require.Contains(t, s.must("release report"), "in any of the records (at most 2) with which the person is published,")
	require.Contains(t, s.read("releases/000001/receiver.md"), "by the first 2 records at most")

	s.write("diagnosis.csv", "d9;c3;*\n"+hierarchy)
	kinds = 10
	comes(1500, 3000)
	s.write("in.csv", rows.String())
	s.must("run --once")
	require.Contains(t, s.must("audit --replay 2 --require-certified"), "L2: certified")
	s.must("forget p3")
	s.must("forget p2990")
	s.must("state records", "--out", s.path("grown.csv"))
	text := s.read("grown.csv")
	require.Regexp(t, `,2\+older,.*,d\d,d\d,`, text, "who came before the growth and was observed until after it")
	require.Regexp(t, `,2,.*,d9,d9,`, text)
	s.must("audit")
}

package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// TestLevelL2FromStreamToAnswer: in each recoding of level L2 the releases of a stream
// are certified with both exports, and read as one table, as data and as answers.
func TestLevelL2FromStreamToAnswer(t *testing.T) {
	tier.NotShort(t, "it runs every recoding")
	t.Parallel()
	classes := map[string]int{}
	for _, recoding := range []string{"buckets", "anatomy", "permutation"} {
		t.Run(recoding, func(t *testing.T) {
			if recoding == "anatomy" {
				tier.Heavy(t, "its files are those of buckets")
			}
			s := newSite(t, fileSource, "on: records, every: 400", "")
			s.edit("policy: {k: 5, l: 3, level: L1}", "policy: {k: 5, l: 3, level: L2, max_hold: 1 releases}\ninitial: {min_pool: 15}")
			s.edit("release: {dir: ./releases", "release: {dir: ./releases, recoding: "+recoding)
			for n := 800; n <= 4000; n += 800 {
				s.write("admissions.ndjson", ndjson(1, n))
				s.runFrozen()
			}
			var m snapshot.Manifest
			require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
			assert.Greater(t, m.Release, uint32(2))
			assert.Equal(t, []string{"L2", "L0+L1"}, []string{m.Policy.Level, m.Privacy.Level}, "the seed is known")
			classes[fmt.Sprint(m.Classes, m.Buckets, m.Records)]++

			for _, name := range []string{"data.csv", "values.csv", "buckets.csv"} {
				text := s.must("release cat --file " + name)
				rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
				require.NoError(t, err)
				at := slices.Index(rows[0], "bucket")
				bucket := rows[len(rows)-1][at]
				if name == "data.csv" {
					assert.Len(t, rows, m.Records+1)
				}
				buckets := map[string]bool{}
				for _, row := range rows[1:] {
					buckets[row[0]+" "+row[at]] = true
				}
				assert.Len(t, buckets, m.Buckets, "part and bucket name a bucket")
				lines := strings.Split(strings.TrimSpace(s.must("release cat --json --file "+name)), "\n")
				require.Len(t, lines, len(rows)-1)
				var row map[string]any
				require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &row))
				assert.Equal(t, bucket, fmt.Sprint(row["bucket"]))
				assert.IsType(t, 0.0, row["bucket"])
			}

			listed := strings.Split(strings.TrimSpace(s.must("release list")), "\n")
			assert.Equal(t, []string{"classes", "buckets", "k"}, strings.Fields(listed[0])[5:8])
			assert.Equal(t, fmt.Sprint(m.Classes, " ", m.Buckets), strings.Join(strings.Fields(listed[len(listed)-1])[5:7], " "))

			s.must("release verify")
			s.certified(m.Release)
			truth := 0
			for _, line := range strings.Split(s.read("records.csv"), "\n")[1:] {
				if strings.Contains(line, ",influenza") {
					truth++
				}
			}
			a := asked(t, s.path("releases"), "count where diagnosis = influenza")
			assert.Equal(t, a.Lower, a.Upper, "bags are exact")
			assert.LessOrEqual(t, a.Upper, float64(truth))
			a = asked(t, s.path("releases"), "count where age < 40 and diagnosis = influenza")
			assert.Less(t, a.Lower, a.Upper)
			assert.True(t, a.Lower <= a.Estimate && a.Estimate <= a.Upper)
		})
	}
	assert.Len(t, classes, 1, "who is in which class and bucket does not depend on the recoding")
}

// certified audits the site with both exports.
func (s *site) certified(release uint32) {
	s.must("state members", "--out", s.path("members.csv"))
	s.must("state records", "--out", s.path("records.csv"))
	text := s.read("members.csv")
	require.Equal(s.t, "release,record,part,class,bucket", text[:strings.IndexByte(text, '\n')])
	report, err := audit.Dir(audit.Options{Releases: s.path("releases"), Members: s.path("members.csv"), Records: s.path("records.csv"),
		Ledger: s.path(filepath.Join("state", "ledger"))})
	require.NoError(s.t, err)
	require.Empty(s.t, report.Violations)
	if report.Recoding == "permutation" { // files do not show that draws alone decide which row shows which value
		require.Equal(s.t, audit.VerdictConsistent, report.Verdict)
		require.Contains(s.t, s.must("audit --replay 1"), "CERTIFIED")
		return
	}
	require.Equal(s.t, audit.VerdictCertified, report.Verdict, "%d releases", release)
}

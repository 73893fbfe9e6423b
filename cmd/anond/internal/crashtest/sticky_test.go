package crashtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStickySaysWhatHoldsForAPerson: three people with two records of different
// values each. 1/3 holds for a record; of a person's two records together it does
// not, and run and audit say so.
func TestStickySaysWhatHoldsForAPerson(t *testing.T) {
	chosen.Demand(t)
	c := clinic("{type: file, format: csv, file: {path: in.csv}}")
	c = strings.Replace(c, "policy: {", "subject: {repeat: sticky}\npolicy: {republication: regroup, ", 1)
	s := newSite(t, c)
	s.write("in.csv", "id,age,city,ill\np1,30,a,d1\np2,31,a,d2\n"+
		"p3,32,a,d3\np1,80,z,d2\np2,81,z,d3\np3,82,z,d4\np4,55,m,d1\np5,56,m,d2\np6,57,m,d3\n")
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Len(t, events(t, r.stderr, "sticky_subjects"), 1)
	assert.Contains(t, s.run("", "config", "check", "-c", "anond.yaml").stderr, "for m of them together the bound is m/l")

	audit := s.run("", "audit", "-c", "anond.yaml", "--require-certified")
	require.Equal(t, 0, audit.code, audit.stdout+audit.stderr)
	assert.NotContains(t, audit.stdout, "any published person's sensitive value")
	assert.Contains(t, audit.stdout, "the sensitive value of any published record by itself with probability above 1/3")
	assert.Contains(t, audit.stdout, "Over the m published records of a person together the bound is m/3. Of 6 people 3 have several "+
		"records, at most 2, and 3 have")
	var report struct {
		Subjects struct {
			Repeated, Different int
			AboveL              int `json:"above_l"`
			MaxRecords          int `json:"max_records"`
			Together            float64
		}
		Repeat string `json:"subject_repeat"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.run("", "audit", "-c", "anond.yaml", "--json").stdout), &report))
	assert.Equal(t, "sticky", report.Repeat)
	assert.Equal(t, []int{3, 3, 3, 2}, []int{report.Subjects.Repeated, report.Subjects.Different, report.Subjects.AboveL,
		report.Subjects.MaxRecords})
	assert.InDelta(t, 2.0/3, report.Subjects.Together, 1e-9)

	// Without exports nothing is said of people but what the manifests declare.
	public := s.run("", "audit", "--releases", "releases")
	assert.Contains(t, public.stdout+public.stderr, "the bound is m/l for m records")
}

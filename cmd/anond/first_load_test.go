package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

// TestAStartWithoutRecordsDoesNotEndTheFirstLoad: one on an empty source, or one that refused everything. The next
// start asks the source again where the first load ends, so that the first pool is not as small as it may be.
func TestAStartWithoutRecordsDoesNotEndTheFirstLoad(t *testing.T) {
	for name, before := range map[string]string{"an empty source": "", "everything is refused": strings.Repeat("no record\n", 40)} {
		for _, level := range []string{"L2", "L1"} {
			t.Run(name+", "+level, func(t *testing.T) {
				s := newSite(t, fileSource, "on: interval, every: 24h", "")
				s.atLevel(level, ", max_hold: 1 releases")
				s.write("admissions.ndjson", before)
				s.run("run --once")
				s.append("admissions.ndjson", ndjson(1, 300))
				s.must("run --once")
				var m snapshot.Manifest
				require.NoError(t, json.Unmarshal([]byte(s.must("release show 1 --json")), &m))
				assert.Greater(t, m.Records, 280)
			})
		}
	}
}

// ends runs to the end of the source, which ends with a code.
func (s *site) ends(code int) {
	s.t.Helper()
	r := s.run("run --once")
	require.Equal(s.t, code, r.code, r.stderr)
}

// lastLine is the last line of what a command writes to its log.
func lastLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "{") {
			return lines[i]
		}
	}
	return ""
}

// TestHowARunEnds: who waits is no failure, and the last line says for what, how many are missing and until when. A pool
// that was refused, and pools that nobody can make large enough, are exit 3.
func TestHowARunEnds(t *testing.T) {
	next := 0
	people := func(n int, ills ...string) (out string) {
		for range n {
			out += fmt.Sprintf("p%d,%d,%s\n", next, 20+next%40, ills[next%len(ills)])
			next++
		}
		return out
	}
	start := func(onRefusal string) *site {
		s := newSite(t, fileSource, "", "")
		s.write("anond.yaml", fmt.Sprintf(clinicConfig, onRefusal))
		s.write("people.csv", "id,age,illness\n")
		return s
	}
	ends := func(s *site, code int, input string, want ...string) {
		t.Helper()
		s.append("people.csv", input)
		r := s.run("run --once")
		require.Equal(t, code, r.code, r.stderr)
		for _, w := range want {
			assert.Contains(t, lastLine(r.stderr), w)
		}
	}
	s := start("quarantine")
	ends(s, exitOK, people(3, "a", "b", "c"), "release 1 waits for 1 more records, however long that takes", `"waiting":3,"missing":1`)

	s = start("quarantine")
	ends(s, exitOK, people(99, "a", "b", "c"))
	ends(s, exitOK, people(5, "a", "b", "c"), "the next release waits for ", ` more people, however long that takes`, `"event":"people_wait"`)

	s = start("quarantine")
	ends(s, exitPrivacy, people(10, "a"), "was quarantined as a whole",
		`10 of this run, for their values of [\"illness\"]`)
	ends(s, exitOK, people(2, "a", "b"), `"waiting":2,"missing":8`)

	s = start("quarantine")
	ends(s, exitOK, people(20, "a", "b"))
	ends(s, exitPrivacy, people(2, "a", "b"), "no pool is large enough")
}

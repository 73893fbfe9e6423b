package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/upkeep"
)

// TestPartsThatExpired: with a window each start finds the ledger as it left it, the audit says sealed of those who left and whose
// values the state has no more, and every reader reads releases whose parts do not begin with the first, or that have none.
func TestPartsThatExpired(t *testing.T) {
	tier.NotShort(t, "it makes and audits many releases")
	t.Parallel()
	for _, keep := range []string{"", "keep: {releases: 1}, "} {
		s := newSite(t, fileSource, "on: records, every: 300", "")
		s.edit("level: L1", "level: L2, max_hold: 1 releases")
		s.edit("policy:", "initial: {min_pool: 15, max_records: 600}\npolicy:")
		s.edit("release: {", "release: {window: 2, "+keep)
		for round := range 5 {
			s.write("admissions.ndjson", admitted("P-early", 1, "influenza")+ndjson(1, 800+600*round))
			s.must("run --once")
		}
		newest := s.counts().Newest.Release
		require.Greater(t, newest, uint32(4))
		got := s.must("audit --require-certified")
		require.Contains(t, got, ": SEALED\n")
		replayed := s.run("audit --replay 1 --require-certified")
		require.Equal(t, exitPrivacy, replayed.code)
		require.Contains(t, replayed.stderr, fmt.Sprintf("level L2 is not certified: structure holds; not replayed: "+
			"the people of releases 1 to %d have left the releases, and the state", newest-2))
		require.NotContains(t, replayed.stderr, "lacks")
		require.Contains(t, got, fmt.Sprintf("Whom releases up to %d published first have left", newest-2))
		rows := strings.Count(s.must("release cat"), "\n")
		require.Less(t, rows, strings.Count(ndjson(1, 3200), "\n")/2)
		for _, command := range []string{"release list", "release verify", "release show", "release report", "state check", "status",
			"release cat --file values.csv"} {
			r := s.run(command)
			require.Equal(t, exitOK, r.code, "%s: %s", command, r.stderr)
		}
		told := 0 // of the first people some were refused, or came later
		for _, line := range strings.Split(ndjson(1, 100), "\n") {
			var person struct{ Patient string }
			if json.Unmarshal([]byte(line), &person) == nil && person.Patient != "" && told == 0 {
				s.write("first", person.Patient+"\n")
				told += strings.Count(s.must("forget --from "+s.path("first")), "an older release")
			}
		}
		require.Equal(t, 1, told)
		require.NoError(t, os.Rename(s.path("state/ledger"), s.path("aside")))
		s.must("run --once") // writes the ledger again
		again, err := os.ReadFile(s.path("state/ledger"))
		require.NoError(t, err)
		was, err := os.ReadFile(s.path("aside"))
		require.NoError(t, err)
		require.Equal(t, string(was), string(again))
		parts, err := filepath.Glob(s.path(fmt.Sprintf("releases/%06d/part-*", newest)))
		require.NoError(t, err)
		require.NotEmpty(t, parts)
		require.NotContains(t, strings.Join(parts, " "), "part-000001")
		x := s.receipt("P-early")
		require.Equal(t, upkeep.FateLeft, x.Fate)
	}
}

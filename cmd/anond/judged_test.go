package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const clinicConfig = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: people.csv}}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: illness, role: sensitive, type: categorical}
policy: {k: 2, l: 2, level: L2, max_hold: 0s}
initial: {on_refusal: %s}
release: {dir: ./releases, ledger: ./witness/ledger}
state: {path: ./state/anond.db}
`

// TestRuleBAStateKnowsJudgedPools (buckets): a pool that was quarantined, and a first pool that was
// refused, leave nothing in the releases. The state is lost, and the only backup is older. Restored, it
// would publish the people of that pool with others, and level L2 would be claimed: the same enumeration
// that has "an ineligible pool is carried over" in package incremental gives 1 where 1/2 is promised. So the
// backup is refused, and so is a start with it or with no state at all.
func TestRuleBAStateKnowsJudgedPools(t *testing.T) {
	for _, x := range []struct {
		onRefusal string
		code      int
		says      string
	}{{"quarantine", exitOK, "1 pools were quarantined"}, {"stop", exitPrivacy, "the first pool was refused"}} {
		t.Run(x.onRefusal, func(t *testing.T) {
			s := newSite(t, fileSource, "", "")
			s.write("anond.yaml", fmt.Sprintf(clinicConfig, x.onRefusal))
			s.write("people.csv", "id,age,illness\na,30,flu\nb,31,flu\n")
			s.must("run --once") // too few for a pool
			s.must("state backup", "--out", s.path("old.db"))
			old := s.read("old.db")
			s.append("people.csv", "c,40,flu\nd,41,flu\n")
			require.Equal(t, x.code, s.run("run --once").code)
			assert.NoFileExists(t, s.path("releases/CURRENT"))
			s.append("people.csv", "e,32,cold\nf,33,cold\ng,42,cold\nh,43,cold\n")
			now := s.read("state/anond.db")

			refused := func(command string) {
				t.Helper()
				r := s.run(command)
				require.Equal(t, exitBehind, r.code, r.stderr)
				assert.Contains(t, r.stderr, x.says)
				assert.NoFileExists(t, s.path("releases/CURRENT"))
			}
			require.NoError(t, os.Remove(s.path("state/anond.db")))
			refused("state restore --from " + s.path("old.db"))
			refused("run --once")
			s.write("state/anond.db", old) // by hand
			refused("run --once")
			refused("state reset --yes")

			// The newest state goes on, also if the file next to the ledger was lost with the disk.
			require.NoError(t, os.Remove(s.path("witness/ledger.pools")))
			s.write("state/anond.db", now)
			require.Equal(t, x.code, s.run("run --once").code)
			assert.FileExists(t, s.path("witness/ledger.pools"))
			s.write("witness/ledger.pools", strings.Replace(s.read("witness/ledger.pools"), "pools", "pods", 1))
			r := s.run("run --once")
			assert.Equal(t, exitFailed, r.code)
			assert.Contains(t, r.stderr, "does not say which pools were judged")
		})
	}
}

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/internal/upkeep"
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
initial: {min_pool: 4, on_refusal: %s}
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
	}{{"quarantine", exitPrivacy, "1 pools were quarantined"}, {"stop", exitPrivacy, "the first pool was refused"}} {
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
			refused("forget a")
			assert.NoFileExists(t, s.path("witness/ledger.forgotten"))
			assert.Equal(t, old, s.read("state/anond.db"))

			// The newest state goes on, also if the file next to the ledger was lost with the disk.
			require.NoError(t, os.Remove(s.path("witness/ledger.pools")))
			s.write("state/anond.db", now)
			require.Equal(t, x.code, s.run("run --once").code)
			assert.FileExists(t, s.path("witness/ledger.pools"))
			s.write("witness/ledger.pools", strings.Replace(s.read("witness/ledger.pools"), "pools", "pods", 1))
			r := s.run("run --once")
			assert.Equal(t, exitFailed, r.code)
			assert.Contains(t, r.stderr, "does not say who was judged")
		})
	}
}

// clinicLines are so many people from a number on, whose values are dealt in turn.
func clinicLines(from, people int, illnesses ...string) string {
	var out strings.Builder
	for i := range people {
		fmt.Fprintf(&out, "p%d,%d,%s\n", from+i, 20+(from+i)%60, illnesses[i%len(illnesses)])
	}
	return out.String()
}

// judged requires that the state and the file next to the ledger have so many quarantined pools.
func (s *site) judged(quarantined int) {
	s.t.Helper()
	c, _, err := config.Load(s.path("anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(s.t, err)
	e, err := upkeep.OpenExporter(c)
	require.NoError(s.t, err)
	known := e.Machine().Judged()
	assert.Equal(s.t, incremental.Judged{Fixed: known.Fixed, Quarantined: quarantined, Refused: known.Refused, People: known.People},
		known)
	want := fmt.Sprintf("anond pools 3 fixed %d quarantined %d refused %t people %d barred %d\n", known.Fixed, known.Quarantined,
		known.Refused, known.People, known.Barred)
	assert.Equal(s.t, want, s.read("witness/ledger.pools"))
}

// TestForgettingJudgedPools (rule B, buckets; rule N, insert-only): everybody of two quarantined pools is forgotten.
// That they were judged stays known, to the state and next to the ledger: after each erasure, and if either is
// written again from the other or a backup.
func TestForgettingJudgedPools(t *testing.T) {
	tier.NotShort(t, "it runs a command for each of 90 people")
	t.Parallel()
	six := []string{"flu", "cold", "asthma", "gout", "mumps", "lupus"}
	text := strings.Replace(fmt.Sprintf(clinicConfig, "quarantine"), "policy:", "subject: {key: \""+subjectSecret+"\"}\npolicy:", 1)
	s := newSite(t, fileSource, "", "")
	s.write("anond.yaml", text)
	s.write("people.csv", "id,age,illness\n"+clinicLines(0, 20, "flu"))
	s.ends(exitPrivacy)
	s.judged(1)
	s.append("people.csv", clinicLines(20, 120, six...))
	s.must("run --once")
	assert.FileExists(t, s.path("releases/CURRENT"))
	s.must("state backup", "--out", s.path("one.db"))
	s.append("people.csv", clinicLines(140, 70, "flu"))
	s.ends(exitPrivacy)
	s.judged(2)
	s.must("state backup", "--out", s.path("two.db"))

	for _, pool := range [][2]int{{0, 20}, {140, 210}} {
		for i := pool[0]; i < pool[1]; i++ {
			s.receipt(fmt.Sprintf("p%d", i))
			if i%40 == 0 {
				s.judged(2)
			}
		}
	}
	s.judged(2)
	s.must("state check")
	s.must("audit --require-certified")

	require.NoError(t, os.Remove(s.path("witness/ledger.pools")))
	s.must("run --once")
	s.judged(2)
	require.NoError(t, os.Remove(s.path("state/anond.db")))
	r := s.run("state restore", "--from", s.path("one.db"))
	require.Equal(t, exitBehind, r.code, r.stderr)
	assert.Contains(t, r.stderr, "2 pools were quarantined, and the state knows of 1")
	s.must("state restore", "--from", s.path("two.db"))
	s.must("run --once") // forgets again
	s.judged(2)
	assert.Contains(t, s.must("status"), "+ 90 forgotten")

}

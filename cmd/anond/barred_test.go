package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nightlyConfig = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: "in/*.csv"}}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: illness, role: sensitive, hierarchy: illness.csv}
policy: {k: 2, l: 2, level: L2, max_hold: 0s}
initial: {min_pool: 4}
release: {dir: ./releases, ledger: ./witness/ledger}
state: {path: ./state/anond.db}
http: {listen: off}
`

// night writes an export of people. Its first record is another one each night, by which a file is known.
func (s *site) night(name string, people ...string) {
	s.write("in/"+name+".csv", "id,age,illness\nn"+name+",20,cold\n"+strings.Join(people, "\n")+"\n")
}

func newNights(t *testing.T) *site {
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", nightlyConfig)
	s.write("illness.csv", "flu;*\ncold;*\n")
	return s
}

var firstNight = []string{"a,30,flu", "b,31,cold", "c,40,flu", "d,41,cold", "e,50,ache", "f,51,flu; severe, at night"}

// TestRuleSAFullExportEachNight: a person whose value was no leaf yet is not published when the hierarchy has grown and the
// export has the record again, nor is one whose message could not be read and can be now: everybody would know the value.
func TestRuleSAFullExportEachNight(t *testing.T) {
	s := newNights(t)
	s.edit("min_pool: 4", "min_pool: 600")
	s.write("illness.csv", "flu;*\ncold;*\ngout;*\n")
	people := slices.Clone(firstNight)
	for i := range 600 {
		people = append(people, fmt.Sprintf("o%d,%d,%s", i, i%80, []string{"gout", "cold", "flu"}[i%3]))
	}
	s.night("1", people...)
	s.must("run --once")
	c := s.counts().Counts
	require.Equal(t, []int{605, 2, 0}, []int{c.Published + c.Pending.Waiting, int(c.DeadLetter), c.Beyond})
	published := c.Published
	require.Positive(t, published)
	s.must("forget a")
	s.write("illness.csv", "flu;*\ncold;*\ngout;*\nache;*\n")
	people = append(slices.Clone(firstNight[:5]), "f,51,flu")
	for i := range 600 {
		people = append(people, fmt.Sprintf("x%d,%d,%s", i, i%80, []string{"ache", "cold", "flu"}[i%3]))
	}
	s.night("2", people...)
	s.must("run --once")
	c = s.counts().Counts
	assert.Equal(t, c.Sent, c.Accounted())
	assert.Equal(t, []int{2, 5, 1}, []int{int(c.DeadLetter), c.Beyond, int(c.Forgotten)}, "beyond are b, c, d, and e and f who were refused")
	assert.Greater(t, c.Published, published+500)
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestWhatAcceptsValuesDoesNotChange: exit 78 names the key; before the first pool is fixed a reset reads all again.
func TestWhatAcceptsValuesDoesNotChange(t *testing.T) {
	s := newNights(t)
	s.night("1", "a,30,flu", "e,50,ache")
	s.must("run --once")
	s.edit("format: csv", "format: csv, max_record_bytes: 2MiB")
	for range 2 {
		r := s.run("run --once")
		require.Equal(t, exitConfig, r.code, r.stderr)
		assert.Contains(t, r.stderr, "source.max_record_bytes")
	}
	s.write("illness.csv", "flu;*\ncold;*\nache;*\n")
	s.must("state reset --yes")
	s.must("run --once")
	c := s.counts().Counts
	assert.Equal(t, []int{3, 0}, []int{c.Pending.Waiting, c.Beyond}, "all is read again, and judged by what is valid now")
}

// TestAStateKnowsWhoIsBarred: the state is lost, and the only backup was made before somebody's record was refused. Restored,
// it would take the person in once the hierarchy has grown: so it is refused, and so is a start with it.
func TestAStateKnowsWhoIsBarred(t *testing.T) {
	s := newNights(t)
	s.night("1", firstNight[:4]...)
	s.ends(exitPrivacy) // half of the four who are published have one value, so nobody can be published next to them
	s.must("state backup --out " + s.path("old.db"))
	s.night("2", firstNight...)
	s.ends(exitPrivacy)
	require.Equal(t, 2, int(s.counts().Counts.DeadLetter))
	now := s.read("state/anond.db")
	require.NoError(t, os.Remove(s.path("state/anond.db")))
	for _, command := range []string{"state restore --from " + s.path("old.db"), "run --once"} {
		r := s.run(command)
		require.Equal(t, exitBehind, r.code, "%s: %s", command, r.stderr)
	}
	s.write("state/anond.db", s.read("old.db")) // by hand
	r := s.run("run --once")
	require.Equal(t, exitBehind, r.code, r.stderr)
	assert.Contains(t, r.stderr, "2 people")
	s.write("state/anond.db", now)
	s.ends(exitPrivacy)
}

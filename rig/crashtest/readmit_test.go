package crashtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (s *site) readmit(want string, args ...string) {
	s.t.Helper()
	r := s.run("", append([]string{"state", "readmit", "--json"}, args...)...)
	require.Equal(s.t, 0, r.code, r.stderr)
	require.JSONEq(s.t, want, r.stdout)
}

func (s *site) refusedFor(reason string) int {
	return strings.Count(s.read("dead-letter/dead-letter.ndjson"), `"reason":"`+reason+`"`)
}

// TestReadmission: records refused because a quasi-identifier had no leaf come
// in once the hierarchy has it, each once, and counts add up. Those refused for
// their sensitive value do not, and a record with both faults comes in when its
// quasi-identifier is corrected and its sensitive value is valid then, as any other
// record that comes then.
func TestReadmission(t *testing.T) {
	chosen.Demand(t)
	s := newTown(t, "generalization")
	s.people(0, 9, "c1", "flu", "cold", "gout")
	s.people(9, 2, "e9", "flu", "cold")
	s.people(11, 1, "e9", "ache") // both
	s.people(12, 1, "c1", "ache") // the sensitive value alone
	s.people(13, 1, "x9", "flu")
	s.once()
	require.Equal(t, 5, s.refusedFor("value_not_in_hierarchy"))
	require.Equal(t, 4, strings.Count(s.read("dead-letter/dead-letter.ndjson"), `"attribute":"city"`), "quasi-identifiers are judged first")
	const none = `{"letters": 4, "admitted": 0, "refused": 4, "changed": 0, "gone": 0, "more": false}`
	s.readmit(none)
	s.write("tree/ill.csv", moreIlls)
	s.readmit(none)
	s.readmit(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`, "--attribute", "ill")

	s.write("tree/city.csv", moreStreets)
	s.readmit(`{"letters": 4, "admitted": 3, "refused": 1, "changed": 0, "gone": 0, "more": false}`)
	s.readmit(`{"letters": 1, "admitted": 0, "refused": 1, "changed": 0, "gone": 0, "more": false}`)
	s.once()
	c := s.counts()
	assert.Equal(t, 14, c.Sent)
	assert.Equal(t, 12, c.Published)
	assert.Equal(t, 0, s.run("", "state", "check").code, "the counts add up")
	s.certified()
	assert.Contains(t, s.read("releases/000002/part-000002/data.csv"), "e9")
}

// TestReadmissionOfARecordThatIsBadTwice: the next fault makes it a dead letter of
// that reason, and it is not asked for again.
func TestReadmissionOfARecordThatIsBadTwice(t *testing.T) {
	chosen.Demand(t)
	s := newTown(t, "generalization")
	s.people(0, 9, "c1", "flu", "cold", "gout")
	s.people(9, 1, "e9", "ache")
	s.once()
	s.write("tree/city.csv", moreStreets)
	s.readmit(`{"letters": 1, "admitted": 0, "refused": 1, "changed": 0, "gone": 0, "more": false}`)
	s.readmit(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
	s.write("tree/ill.csv", moreIlls)
	s.readmit(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
	s.once()
	assert.Equal(t, 10, s.counts().Sent)
	assert.Equal(t, 9, s.counts().Published)
	assert.Equal(t, 2, s.refusedFor("value_not_in_hierarchy"))
	assert.Equal(t, 0, s.run("", "state", "check").code)
}

// TestReadmissionOfAnotherRecord: what stands in the source now is compared with
// what was refused.
func TestReadmissionOfAnotherRecord(t *testing.T) {
	chosen.Demand(t)
	s := newTown(t, "generalization")
	s.people(0, 9, "c1", "flu", "cold", "gout")
	s.people(9, 1, "e9", "flu")
	s.people(10, 3, "c1", "flu", "cold", "gout")
	s.once()
	s.write("tree/city.csv", moreStreets)
	s.write("in.csv", strings.Replace(s.read("in.csv"), ",e9,flu", ",e9,ill", 1))
	s.readmit(`{"letters": 1, "admitted": 0, "refused": 0, "changed": 0, "gone": 1, "more": false}`) // by its first bytes it is another file
	s.write("in.csv", strings.Replace(s.read("in.csv"), ",e9,ill", ",e9,flu", 1))
	s.readmit(`{"letters": 1, "admitted": 1, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
}

// TestReadmissionFromPayloads: standard input is gone, but letters may carry it.
func TestReadmissionFromPayloads(t *testing.T) {
	chosen.Demand(t)
	for _, payload := range []bool{true, false} {
		s := newTown(t, "generalization")
		c := strings.Replace(town("generalization"), csvFile, "{type: stdin}", 1)
		if payload {
			c = strings.Replace(c, "path: ./dead-letter}", "path: ./dead-letter, payload: true}", 1)
		}
		s.write("anond.yaml", c)
		line := func(id, city, ill string) string {
			return `{"id":"` + id + `","age":3` + id + `,"city":"` + city + `","ill":"` + ill + "\"}\n"
		}
		r := s.run(line("1", "c1", "flu")+line("2", "c1", "cold")+line("3", "c1", "gout")+line("4", "e9", "flu"), "run")
		require.Equal(t, 0, r.code, r.stderr)
		s.write("tree/city.csv", moreStreets)
		if payload {
			s.readmit(`{"letters": 1, "admitted": 1, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
			s.readmit(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
		} else {
			s.readmit(`{"letters": 1, "admitted": 0, "refused": 0, "changed": 0, "gone": 1, "more": false}`)
		}
		require.Equal(t, 0, s.run("", "state", "check").code)
	}
}

// TestReadmissionSurvivesKills: wherever the process is killed, each record comes
// in once and the counts add up.
func TestReadmissionSurvivesKills(t *testing.T) {
	chosen.Demand(t)
	const refused = 21000
	s := newTown(t, "generalization")
	s.write("anond.yaml", strings.Replace(s.read("anond.yaml"), "path: ./dead-letter", "path: ./dead-letter, max_share: 1", 1))
	s.people(0, 9, "c1", "flu", "cold", "gout")
	var lines strings.Builder
	for i := range refused {
		fmt.Fprintf(&lines, "q%d,%d,e9,%s\n", i, 30+i%40, []string{"flu", "cold", "gout"}[i%3])
	}
	s.append("in.csv", lines.String())
	s.once()
	s.write("tree/city.csv", moreStreets)
	for delay := 20 * time.Millisecond; delay < 400*time.Millisecond; delay += 60 * time.Millisecond {
		p := s.start("state", "readmit", "--json")
		select {
		case <-p.Ended():
		case <-time.After(delay): // any moment will do
			p.Kill()
		}
		require.Equal(t, 0, s.run("", "state", "check").code, "after %v", delay)
	}
	require.Equal(t, 0, s.run("", "state", "readmit").code)
	s.readmit(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
	s.once()
	assert.Equal(t, refused+9, s.counts().Sent)
	assert.Equal(t, refused+9, s.counts().Published)
	s.certified()
}

package crashtest

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// torn is a file whose last line is still being written: it ends in d1 now, and
// in d123 later.
const torn = "id,age,city,ill\np1,30,c1,d2\np2,31,c1,d3\n\np3,32,c1,d4\np4,33,c1,d1"

// TestATornLastLineIsLeftUnread: it is reported, and a later run reads it whole.
func TestATornLastLineIsLeftUnread(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv}}"))
	s.write("in.csv", torn)
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.NotContains(t, s.read("releases/000001/part-000001/data.csv"), "d1")
	left := events(t, r.stderr, "unterminated_line")
	require.Len(t, left, 1)
	assert.Contains(t, left[0]["file"], "in.csv")
	assert.EqualValues(t, 6, left[0]["line"])
	assert.EqualValues(t, strings.Index(torn, "p4"), left[0]["offset"])
	assert.NotContains(t, r.stderr, "p4", "no value is logged")
	summary := events(t, r.stderr, "stopped")
	require.Len(t, summary, 1)
	assert.EqualValues(t, 3, summary[0]["sent"])
	assert.EqualValues(t, 1, summary[0]["unterminated"])
	assert.EqualValues(t, 1, summary[0]["blank"])
	c := s.lineCounts()
	assert.Equal(t, 3, c.Counts.Sent)
	assert.Equal(t, map[string]int{"header_line": 1, "blank_line": 1}, c.Counts.Ignored)
	assert.Equal(t, 1, c.Unread["unterminated"])

	s.append("in.csv", "23\n")
	for range 2 { // and again: nothing more to read
		r = s.run("", "run", "--once")
		require.Equal(t, 0, r.code, r.stderr)
		c = s.lineCounts()
		assert.Equal(t, 4, c.Counts.Sent)
		assert.Empty(t, c.Counts.Refused)
		assert.Equal(t, 1, c.Counts.Ignored["blank_line"], "counted once")
		assert.Equal(t, 0, c.Unread["unterminated"])
		assert.Empty(t, events(t, r.stderr, "unterminated_line"))
	}
}

// TestADeclaredCompleteFileEndsAtItsEnd: and if the declaration was wrong, the
// dataset goes on; the rest of the line is a dead letter.
func TestADeclaredCompleteFileEndsAtItsEnd(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, complete: true}}"))
	s.write("in.csv", torn)
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 4, s.lineCounts().Counts.Sent)

	s.append("in.csv", "23\np5,34,c1,d2\n")
	for _, config := range []string{"", "complete: false"} {
		if config != "" {
			s.write("anond.yaml", strings.Replace(s.read("anond.yaml"), "complete: true", config, 1))
		}
		r = s.run("", "run", "--once")
		require.Equal(t, 0, r.code, r.stderr)
		c := s.lineCounts()
		assert.Equal(t, 6, c.Counts.Sent)
		assert.Equal(t, map[string]int{"grown_line": 1}, c.Counts.Refused)
	}
	assert.Equal(t, 0, s.run("", "audit", "-c", "anond.yaml").code)
}

// TestTheEndOfStandardInputEndsItsLastLine: nothing more can come.
func TestTheEndOfStandardInputEndsItsLastLine(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: stdin, format: csv}"))
	r := s.run(torn, "run")
	require.Equal(t, 0, r.code, r.stderr)
	c := s.lineCounts()
	assert.Equal(t, 4, c.Counts.Sent)
	assert.Equal(t, 0, c.Unread["unterminated"])
	assert.Equal(t, map[string]int{"header_line": 1, "blank_line": 1}, c.Counts.Ignored)
}

// TestAKilledRunCountsLinesOnce: blank lines and the header are counted in the
// transaction that moves the position.
func TestAKilledRunCountsLinesOnce(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", "id,age,city,ill\n\n\np1,30,c1,d1\n\np2,31,c1,d2\np3,32,c1,d3\n\n")
	for i := range 3 {
		p := s.start("run")
		p.waitFor(`"event":"started"`)
		if i == 0 {
			p.waitFor(`"event":"release_published"`)
		}
		p.until("all lines are counted", func() bool {
			return strings.Contains(s.read("state/status.json"), `"blank_line": 4`)
		})
		p.signal(syscall.SIGKILL)
		p.wait()
	}
	c := s.lineCounts()
	assert.Equal(t, 3, c.Counts.Sent)
	assert.Equal(t, map[string]int{"header_line": 1, "blank_line": 4}, c.Counts.Ignored)
}

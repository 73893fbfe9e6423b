package crashtest

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strayQuote is a file in which a quote is opened by mistake and "closed" by
// another mistake five lines later. Read as one field, the lines between would
// be a cell: subjects and diagnoses of other people.
const strayQuote = `id,age,city,ill
p1,30,c0,d2
p2,30,c0,d3
p3,31,c0,d4
p4,31,c0,d6
q1,30,"open,d1
p5,25,c1,d5
p6,26,c1,d6
p7,27,c1,d7
p8,28,c1,d8
z9,40,c9",d1
`

// counts is what status.json has about the lines.
type counts struct {
	Counts struct {
		Sent, Published int
		Dead            int `json:"dead_letter"`
		Refused         map[string]int
		Ignored         map[string]int
	}
	Unread map[string]int
}

func (s *site) lineCounts() (c counts) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.read("state/status.json")), &c))
	return c
}

// cells returns all cells of the newest rows of release 1, and checks that each
// is of one line.
func (s *site) cells() (all []string) {
	s.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(s.read("releases/000001/part-000001/data.csv"))).ReadAll()
	require.NoError(s.t, err)
	for _, row := range rows {
		for _, cell := range row {
			assert.NotContains(s.t, cell, "\n")
			all = append(all, cell)
		}
	}
	return all
}

// checkStrayQuote holds what must be true of strayQuote, however it is read.
func checkStrayQuote(t *testing.T, s *site) {
	for _, cell := range s.cells() {
		assert.NotContains(t, cell, "open")
		assert.NotContains(t, cell, "p5")
	}
	c := s.lineCounts()
	assert.Equal(t, 10, c.Counts.Sent, "each line but the header is counted once")
	assert.Equal(t, map[string]int{"unclosed_quote": 1, "malformed_csv": 1}, c.Counts.Refused)
	assert.Equal(t, map[string]int{"header_line": 1}, c.Counts.Ignored)
	letters := strings.Split(strings.TrimSpace(s.read("dead-letter/dead-letter.ndjson")), "\n")
	require.Len(t, letters, 2)
	assert.Contains(t, letters[0], fmt.Sprintf(`"offset":%d,"reason":"unclosed_quote"`, strings.Index(strayQuote, "q1,")))
	assert.Contains(t, letters[1], fmt.Sprintf(`"offset":%d,"reason":"malformed_csv"`, strings.Index(strayQuote, "z9,")))
	assert.Equal(t, 0, s.run("", "audit", "-c", "anond.yaml").code)
}

// TestAStrayQuoteCostsItsOwnLine: from a file, a followed file and standard input.
func TestAStrayQuoteCostsItsOwnLine(t *testing.T) {
	chosen.Demand(t)
	t.Run("file", func(t *testing.T) {
		s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv}}"))
		s.write("in.csv", strayQuote)
		require.Equal(t, 0, s.run("", "run", "--once").code)
		checkStrayQuote(t, s)
	})
	t.Run("followed file", func(t *testing.T) {
		s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
		s.write("in.csv", strayQuote)
		p := s.start("run")
		p.waitFor(`"event":"release_published"`)
		p.signal(syscall.SIGTERM)
		require.Equal(t, 0, p.wait())
		checkStrayQuote(t, s)
	})
	t.Run("standard input", func(t *testing.T) {
		s := newSite(t, clinic("{type: stdin, format: csv}"))
		r := s.run(strayQuote, "run")
		require.Equal(t, 0, r.code, r.stderr)
		checkStrayQuote(t, s)
	})
}

// TestMultilineFieldsAreDeclared: who declares them gets them; a quote that is
// never closed still costs its own line.
func TestMultilineFieldsAreDeclared(t *testing.T) {
	chosen.Demand(t)
	config := strings.Replace(clinic("{type: file, format: csv, csv: {multiline: true}, file: {path: in.csv}}"),
		"  attributes:\n", "  attributes:\n    - {name: note, role: drop}\n", 1)
	s := newSite(t, config)
	var in strings.Builder
	in.WriteString("id,age,city,ill,note\np1,30,c0,d1,\"two\n\nlines\"\np2,30,c0,d2,\np3,31,c0,d3,\nq1,30,c0,d1,\"open\n")
	for i := range 2000 {
		fmt.Fprintf(&in, "r%d,%d,c1,d%d,\n", i, 20+i%50, i%7)
	}
	s.write("in.csv", in.String())
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	c := s.lineCounts()
	assert.Equal(t, 3, c.Counts.Sent)
	assert.Equal(t, 2001, c.Unread["unterminated"], "the quote may still be closed: from its line on nothing is taken in, and that is said")
	require.Len(t, events(t, r.stderr, "unterminated_line"), 1)

	s.write("anond.yaml", strings.Replace(config, "in.csv}", "in.csv, complete: true}", 1))
	r = s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	c = s.lineCounts()
	assert.Equal(t, 2004, c.Counts.Sent)
	assert.Equal(t, map[string]int{"unclosed_quote": 1}, c.Counts.Refused, "in a file that does not grow, it costs its own line only")
	assert.Equal(t, map[string]int{"header_line": 1, "continued_line": 2}, c.Counts.Ignored, "each line is counted")
}

// TestNobodyVanishesInADroppedColumn: a stray quote in a column that is not
// looked at cost the lines up to the next quote, without a count.
func TestNobodyVanishesInADroppedColumn(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, strings.Replace(clinic("{type: file, format: csv, file: {path: in.csv}}"),
		"  attributes:\n", "  attributes:\n    - {name: note, role: drop}\n", 1))
	var in strings.Builder
	in.WriteString("id,age,city,ill,note\n")
	for i := range 100 {
		note := ""
		switch i {
		case 20:
			note = `"six feet`
		case 70:
			note = `end"`
		}
		fmt.Fprintf(&in, "p%d,%d,c%d,d%d,%s\n", i, 20+i%50, i%3, i%7, note)
	}
	s.write("in.csv", in.String())
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	c := s.lineCounts()
	assert.Equal(t, 100, c.Counts.Sent)
	assert.Equal(t, map[string]int{"unclosed_quote": 1, "malformed_csv": 1}, c.Counts.Refused)
}

// TestOneOffReadsLinesLikeTheDaemon: anonymize and evaluate read the same way.
func TestOneOffReadsLinesLikeTheDaemon(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv}}"))
	s.write("in.csv", strayQuote+"\np9,29,c1,d") // a blank line, and one that is being written
	var report struct {
		Read, Published, Blank, Unterminated int
		Refused                              []struct {
			Line   int
			Reason string
		}
	}
	r := s.lab("anonymize", "in.csv", "-c", "anond.yaml", "--out", "one", "--json")
	require.Equal(t, 0, r.code, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	assert.Equal(t, 10, report.Read)
	assert.Equal(t, 8, report.Published)
	assert.Equal(t, 1, report.Blank)
	assert.Equal(t, 1, report.Unterminated)
	require.Len(t, report.Refused, 2)
	assert.Equal(t, "unclosed_quote", report.Refused[0].Reason)
	assert.Equal(t, 6, report.Refused[0].Line)
	assert.Contains(t, r.stderr, "in.csv:13: left unread: ")
	assert.NotContains(t, r.stderr+r.stdout, "p9")
	assert.Equal(t, 1, s.lab("anonymize", "in.csv", "-c", "anond.yaml", "--out", "strict", "--strict").code)

	r = s.lab("evaluate", "one", "--original", "in.csv")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stderr, "in.csv:13: left unread: ")

	r = s.lab("anonymize", "in.csv", "-c", "anond.yaml", "--out", "whole", "--json", "--complete")
	require.Equal(t, 0, r.code, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	assert.Equal(t, 9, report.Published)
	assert.Equal(t, 0, report.Unterminated)

	s.write("notes.csv", strings.Replace(strayQuote, `z9,40,c9",d1`, `z9",d1`, 1))
	r = s.lab("anonymize", "notes.csv", "-c", "anond.yaml", "--out", "notes", "--json", "--multiline")
	require.Equal(t, 0, r.code, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	assert.Equal(t, 5, report.Read, "who declares fields of several lines gets them")
}

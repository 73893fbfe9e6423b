package main

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/upkeep"
)

const lettersConfig = `version: 1
dataset: town
source: {type: file, format: json, file: {path: in.ndjson}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: ill, role: sensitive, type: categorical, max_length: 8}
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: city, role: quasi, hierarchy: city.csv}
    - {name: street, role: quasi, type: categorical, max_length: 8}
policy: {k: 2, l: 2, level: L1, max_hold: 0s}
release: {dir: ./releases}
state: {path: ./state/anond.db}
`

// newLetters is a site with six good records, and one that is refused for each of six faults.
func newLetters(t *testing.T) *site {
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", lettersConfig)
	s.write("city.csv", "c1;west;*\nc2;east;*\n")
	var b strings.Builder
	line := func(id, age, city, street, ill string) {
		b.WriteString(`{"id":"` + id + `","age":` + age + `,"city":"` + city + `","street":"` + street + `","ill":"` + ill + "\"}\n")
	}
	for i, id := range []string{"a", "b", "c", "d", "e", "f"} {
		line(id, "4"+string(rune('0'+i)), "c1", "Hill", []string{"flu", "gout"}[i%2])
	}
	line("g", "41", "e9", "Hill", "flu")                 // no leaf
	line("h", "42", "c1", "Long street", "gout")         // a long quasi-identifier
	line("i", "43", "c1", "Hill", "CANARY-long-illness") // a long sensitive value
	line("j", `""`, "c1", "Hill", "CANARY")              // no age
	line("k", "44", "e9", "Long street", "CANARY-long-illness")
	b.WriteString("{CANARY\n")
	s.write("in.ndjson", b.String())
	s.must("run --once")
	return s
}

func (s *site) listed(args ...string) (l upkeep.LetterList) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.must("dlq list --json", args...)), &l))
	return l
}

func (s *site) replayed(want string, args ...string) {
	s.t.Helper()
	require.JSONEq(s.t, want, s.must("dlq replay --json", args...))
}

// TestDeadLettersAreListed: counted by reason, filtered, from rotated files too, and without
// what a crash has torn.
func TestDeadLettersAreListed(t *testing.T) {
	s := newLetters(t)
	l := s.listed()
	assert.Equal(t, 6, l.Letters)
	assert.Len(t, l.Newest, 6)
	replay := map[string]string{}
	for _, r := range l.Reasons {
		replay[r.Reason+" "+r.Attribute] = string(r.Replay)
	}
	assert.Equal(t, map[string]string{"value_not_in_hierarchy city": "after_change", "value_too_long street": "after_change",
		"value_too_long ill": "value", "missing_value age": "same_again", "malformed_json ": "value"}, replay)
	assert.Equal(t, 2, s.listed("--reason", "value_too_long", "--attribute", "street").Matched, "quasi-identifiers are judged first")
	assert.Equal(t, 0, s.listed("--partition", "7").Matched)
	assert.Equal(t, 6, s.listed("--source", l.Newest[0].Source).Matched)
	assert.Equal(t, 6, s.listed("--since", "1h").Matched)
	assert.Equal(t, 0, s.listed("--until", "2020-01-01").Matched)
	assert.Equal(t, 6, s.listed("--limit", "0").Matched)
	few := s.listed("--limit", "4")
	assert.Equal(t, l.Newest[2:], few.Newest)

	text := s.read("dead-letter/dead-letter.ndjson")
	lines := strings.SplitAfter(text, "\n")
	f, err := os.Create(s.path("dead-letter/dead-letter.ndjson.1.gz"))
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte(strings.Join(lines[:2], "")))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	s.write("dead-letter/dead-letter.ndjson", strings.Join(lines[2:], "")+"rubbish\n"+`{"seq":7,"sou`)
	r := s.run("dlq list")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "6 dead letters, 6 selected: ")
	assert.Regexp(t, `(?m)^ +1  malformed_json +never$`, r.stdout)
	assert.Contains(t, r.stderr, "the last line is not complete")
	assert.Contains(t, r.stderr, "1 line cannot be read as dead letters, the first at "+s.path("dead-letter/dead-letter.ndjson:5"))
	again := s.listed()
	assert.Equal(t, l.Newest, again.Newest)
	assert.True(t, again.Torn)
	assert.NotContains(t, r.stdout+r.stderr, "CANARY")
	for _, args := range []string{"--since yesterday", "--limit -1", "--limit 1000000", "--reason malformed_jsn"} {
		assert.Equal(t, exitUsage, s.run("dlq list "+args).code, args)
	}
	assert.Contains(t, s.run("dlq list --reason malformed_jsn").stderr, "malformed_json, ")
	assert.Equal(t, exitFailed, s.run("dlq list --letters nowhere").code)
}

// TestRuleBReplay: what is judged again follows from quasi-identifiers and subject alone; each
// record is taken in once, however often, and counts add up.
func TestRuleBReplay(t *testing.T) {
	s := newLetters(t)
	s.replayed(`{"letters": 3, "admitted": 0, "refused": 3, "changed": 0, "gone": 0, "more": false}`)
	const bound = "name: ill, role: sensitive, type: categorical, max_length: 8"
	s.edit(bound, "name: ill, role: sensitive, type: categorical, max_length: 80")
	r := s.run("dlq replay")
	assert.Equal(t, exitConfig, r.code, "who arrived under the other bound could not have what is accepted now")
	assert.Contains(t, r.stderr, "schema.attributes[ill].max_length")
	s.edit("max_length: 80", "max_length: 8")
	s.edit("street, role: quasi, type: categorical, max_length: 8", "street, role: quasi, type: categorical")
	s.replayed(`{"letters": 1, "admitted": 0, "refused": 1, "changed": 0, "gone": 0, "more": false}`, "--reason", "value_not_in_hierarchy")
	s.write("city.csv", "c1;west;*\nc2;east;*\ne9;east;*\n")
	s.replayed(`{"letters": 3, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false, "found": 3, "dry_run": true}`, "--dry-run")
	s.replayed(`{"letters": 3, "admitted": 2, "refused": 1, "changed": 0, "gone": 0, "more": false}`)
	for range 2 {
		s.replayed(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
	}
	s.must("run --once")
	s.must("state check")
	c := s.counts().Counts
	assert.EqualValues(t, 12, c.Sent)
	assert.EqualValues(t, 4, c.DeadLetter, "those that may tell of the sensitive value, and the one without age")
	assert.EqualValues(t, c.Sent, c.Accounted())
	assert.Equal(t, 8, c.Published+c.Pending.Total())
	replayed := uint64(0)
	for _, n := range c.Replayed {
		replayed += n
	}
	assert.EqualValues(t, 3, replayed)
	assert.Equal(t, 7, s.listed().Letters, "the sink keeps what it got")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestReplayNextToARunningDaemon: the daemon that has the state judges the records, between batches, and goes on. What
// cannot be judged now is said, and ends nothing.
func TestReplayNextToARunningDaemon(t *testing.T) {
	s := newLetters(t)
	s.edit("street, role: quasi, type: categorical, max_length: 8", "street, role: quasi, type: categorical")
	s.write("city.csv", "c1;west;*\nc2;east;*\ne9;east;*\n")
	s.edit("path: in.ndjson}", "path: in.ndjson, follow: true}")
	s.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	p := s.start("run")
	p.event("started")
	eventually(t, func() bool { return strings.Contains(s.run("status --json").stdout, `"live": true`) }, "%s", &p.stderr)
	s.replayed(`{"letters": 3, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false, "found": 3, "dry_run": true}`, "--dry-run")
	r := s.run("dlq replay --letters nowhere")
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.stderr, "nowhere")
	s.replayed(`{"letters": 3, "admitted": 2, "refused": 1, "changed": 0, "gone": 0, "more": false}`)
	var again result
	eventually(t, func() bool { // the letter that was made anew is delivered
		again = s.run("dlq replay --json")
		return again.code == exitOK
	}, "%s", &p.stderr)
	require.JSONEq(t, `{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`, again.stdout)
	p.signal(syscall.SIGTERM)
	require.Equal(t, exitOK, p.wait(), p.stderr.String())
	c := s.counts().Counts
	require.Equal(t, []int{12, 4}, []int{int(c.Sent), int(c.DeadLetter)})
	require.Equal(t, 12, c.Published+c.Pending.Total()+int(c.DeadLetter)+int(c.Beyond))
}

// TestAReplayThatIsRefusedStaysRefused: a record that is judged again and refused for its
// sensitive value is never judged again, or its lateness would tell that value.
func TestAReplayThatIsRefusedStaysRefused(t *testing.T) {
	s := newLetters(t)
	s.edit("street, role: quasi, type: categorical, max_length: 8", "street, role: quasi, type: categorical")
	s.write("city.csv", "c1;west;*\nc2;east;*\ne9;east;*\n")
	s.replayed(`{"letters": 3, "admitted": 2, "refused": 1, "changed": 0, "gone": 0, "more": false}`)
	s.replayed(`{"letters": 0, "admitted": 0, "refused": 0, "changed": 0, "gone": 0, "more": false}`)
	s.must("run --once")
	c := s.counts().Counts
	assert.EqualValues(t, 4, c.DeadLetter)
	assert.EqualValues(t, 2, c.Refused["value_too_long"])
	assert.Equal(t, 7, s.listed().Letters)
	assert.Equal(t, 2, s.listed("--reason", "value_too_long", "--attribute", "ill").Matched)
	s.must("state check")
}

// TestReplaysThatAreRefused say why.
func TestReplaysThatAreRefused(t *testing.T) {
	s := newLetters(t)
	for args, says := range map[string]string{
		"--reason malformed_json":        "the sensitive value is a part of the message",
		"--reason missing_value":         "schema.missing is fixed for a state",
		"--reason unsupported_operation": "a delete or update inserts nobody",
		"--reason nonsense":              `"nonsense" is no reason`,
		"--attribute nonsense":           `"nonsense" is no attribute`,
	} {
		r := s.run("dlq replay " + args)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, r.stderr, says)
		assert.Contains(t, r.stderr, "hint: ")
	}
	assert.Contains(t, s.must("dlq replay --attribute ill"), "0 dead letters judged again")
	s.write("dead-letter/dead-letter.ndjson", s.read("dead-letter/dead-letter.ndjson")+"rubbish\n")
	assert.Equal(t, exitFailed, s.run("dlq replay").code, "damage is not passed over")
}

// TestAPayloadIsPrivate: it is shown on demand only, decrypted with the key, to a file that
// nobody else may read.
func TestAPayloadIsPrivate(t *testing.T) {
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", strings.Replace(lettersConfig, "path: ./dead-letter}", "path: ./dead-letter, payload: true, max_share: 1}", 1)+
		"encryption: {key: \"${file:key}\"}\n")
	s.write("key", firstKey)
	s.write("city.csv", "c1;west;*\n")
	s.write("in.ndjson", `{"id":"a","age":1,"city":"CANARYcity","street":"x","ill":"y"}`+"\n"+`{"CANARY`+"\x1b[2J\n")
	s.must("run --once")
	l := s.listed()
	require.Len(t, l.Newest, 2)
	first := l.Newest[0]
	assert.Equal(t, "encrypted", first.Payload)
	place := letterPlace(&first)
	for _, ref := range []string{"1", place} {
		r := s.run("dlq show "+ref, "--json")
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.NotContains(t, r.stdout+r.stderr, "CANARY")
		assert.Contains(t, r.stdout, `"replay": "after_change"`)
		r = s.run("dlq show "+ref, "--payload", "--json")
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.Contains(t, r.stdout, "CANARYcity")
		assert.Contains(t, r.stderr, "note: this holds a person's values")
	}
	r := s.run("dlq show 2 --payload")
	require.Equal(t, exitOK, r.code)
	assert.NotContains(t, r.stdout, "\x1b", "a terminal obeys nothing")
	assert.Contains(t, r.stdout, "CANARY")
	s.must("dlq show 1 --payload --json", "--out", s.path("private.json"))
	info, err := os.Stat(s.path("private.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	assert.Equal(t, exitFailed, s.run("dlq show 1 --payload", "--out", s.path("private.json")).code, "never over a file")
	open, err := os.OpenFile(s.path("open"), os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, open.Chmod(0o644))
	require.ErrorContains(t, private(open), "other users may read")
	require.NoError(t, open.Chmod(0o600))
	require.NoError(t, private(open))

	s.write("key", secondKey)
	r = s.run("dlq show 1 --payload")
	assert.Equal(t, exitConfig, r.code)
	assert.NotContains(t, r.stdout+r.stderr, "CANARY")
	s.must("dlq show 1")
	s.must("dlq list")
	for ref, code := range map[string]int{"0": exitUsage, "x": exitUsage, "a:b:c": exitUsage, "99": exitFailed, "file:x:0:5": exitFailed} {
		assert.Equal(t, code, s.run("dlq show "+ref).code, ref)
	}
}

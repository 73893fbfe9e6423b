package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
	"anond/internal/trial"
)

// trialSite is a site at level L2 with its records in people.csv; of some fields nobody may ever see the values.
func trialSite(t *testing.T, people int) *site {
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: people.csv, complete: true}}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: note, role: drop}
    - {name: name, role: identifier}
    - {name: age, role: quasi, type: integer}
    - {name: place, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 3}
initial: {min_pool: 100}
release: {dir: ./releases}
`)
	var b strings.Builder
	b.WriteString("patient,note,name,age,place,diagnosis\n")
	for i := range people {
		age := 18 + i*7919%70
		ill := i * 31 % 101 % 4
		place := (ill + i%3/2) % 4 // of three people two live where their illness is
		fmt.Fprintf(&b, "CANARYp%d,CANARYnote%d,CANARYname%d,%d,place%d,ill%d\n", i, i, i, age, place, ill)
	}
	b.WriteString("CANARYq,CANARYnote,CANARYname,44,CANARYplace,ill1\nCANARYr,CANARYnote,CANARYname,45,place1,CANARYill\n" +
		"CANARYs,CANARYnote,CANARYname,CANARYage,place1,ill2\n")
	s.write("people.csv", b.String())
	s.t.Setenv("TMPDIR", t.TempDir())
	return s
}

// nothingKept demands that the directory for temporary files is empty, and the site as it was.
func (s *site) nothingKept(before map[string]string) {
	s.t.Helper()
	left, err := os.ReadDir(os.TempDir())
	require.NoError(s.t, err)
	require.Empty(s.t, left, "a trial left something behind")
	require.Equal(s.t, before, s.files())
}

// TestTrySaysWhatARunDoes: a trial publishes as many people in as many classes as the run that follows, refuses and holds back the
// same, and leaves nothing behind.
func TestTrySaysWhatARunDoes(t *testing.T) {
	s := trialSite(t, 700)
	before := s.files()
	var r trial.Report
	require.NoError(t, json.Unmarshal([]byte(s.must("try "+s.path("people.csv")+" --json")), &r))
	s.nothingKept(before)
	o := r.Outcomes[0]
	s.must("run --once")
	now := s.counts().Counts
	assert.EqualValues(t, now.Sent, o.Read)
	assert.Equal(t, now.Published, o.Published)
	assert.Equal(t, now.Pending.Total(), o.Waiting)
	assert.EqualValues(t, now.DeadLetter, o.Refused)
	assert.Equal(t, now.Classes, o.Classes.Count)
	assert.Equal(t, now.Pool.Records, o.Next.Records)
	require.Len(t, r.Refused, 1)
	assert.EqualValues(t, now.Refused[r.Refused[0].Reason], r.Refused[0].Lines)
}

// TestTryIsPrivate: text, JSON and page say so, files get mode 0600, and nothing has a value that few people have, nor any of fields
// that are not published. The page loads nothing.
func TestTryIsPrivate(t *testing.T) {
	s := trialSite(t, 700)
	out, err := os.OpenFile(s.path("out"), os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	p := s.start("try "+s.path("people.csv")+" --k 5,10 --json --page "+s.path("page.html"), func(c *exec.Cmd) { c.Stdout = out })
	require.Equal(t, exitOK, p.wait(), p.stderr.String())
	require.NoError(t, out.Close())
	page, doc := s.read("page.html"), s.read("out")
	text := s.must("try " + s.path("people.csv") + " --k 5,10 --per-day 100")
	for name, content := range map[string]string{"page": page, "JSON": doc, "text": text} {
		assert.NotContains(t, content, "CANARY", name)
		assert.Contains(t, content, "PRIVATE", name)
		assert.Contains(t, content, "Settings chosen by people who will be published", name)
		assert.Contains(t, content, "ill1", "%s has crosstabs", name)
		assert.Contains(t, content, "place1", "%s has crosstabs", name)
	}
	for _, name := range []string{"page.html", "out"} {
		info, err := os.Stat(s.path(name))
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), name)
	}
	for _, loads := range []string{"<script", "http:", "https:", "url(", "@import", " src=", "<link rel=\"stylesheet"} {
		assert.NotContains(t, page, loads)
	}
	assert.NotRegexp(t, regexp.MustCompile(`NaN|Inf\b|%!`), page+text+doc)
}

// TestTryRefused: a table that cannot be published ends with 3, and the error names the attribute and the key.
func TestTryRefused(t *testing.T) {
	s := trialSite(t, 700)
	before, try := s.files(), "try "+s.path("people.csv")+" "
	r := s.run(try + "--k 8 --l 7")
	assert.Equal(t, exitPrivacy, r.code)
	assert.Contains(t, r.stderr, "nothing would be published")
	assert.Contains(t, r.stderr, "policy.l")
	assert.Contains(t, r.stdout, "l = 3 is reachable")
	s.nothingKept(before)
	assert.Equal(t, exitUsage, s.run(try+"--k 2,3,4,5 --l 2,3").code, "too many to compare")
	assert.Equal(t, exitUsage, s.run(try+"--k 1").code)
	assert.Equal(t, exitUsage, s.run(try+"--promise gain").code)
	assert.Equal(t, exitConfig, s.run("try", s.path("people.csv"), "--promise", "job: {l: 2}").code)
	assert.Equal(t, exitUsage, s.run("try").code)
	s.write("other.csv", "patient,age\np1,3\n")
	assert.Equal(t, exitConfig, s.run("try "+s.path("other.csv")).code, "a header that a run would refuse")
	s.nothingKept(s.files())
}

// TestTryThatIsStopped: after one signal, and after a second one, nothing is left: while it waits for the input, and while it publishes.
func TestTryThatIsStopped(t *testing.T) {
	tier.NotShort(t, "it runs processes")
	s := trialSite(t, 40_000)
	before := s.files()
	inside := func(name string) func() bool {
		return func() bool {
			found, err := fs.Glob(os.DirFS(os.TempDir()), "anond-try-*"+name)
			return err == nil && len(found) > 0
		}
	}
	for _, signals := range [][]syscall.Signal{{syscall.SIGINT}, {syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}} {
		for at, data := range map[string]string{"": "-", "/0/state/anond.db": s.path("people.csv")} {
			read, write, err := os.Pipe() // which stays open
			require.NoError(t, err)
			p := s.start("try "+data, func(c *exec.Cmd) { c.Stdin = read })
			eventually(t, inside(at), "it did not begin: %s", &p.stderr)
			for _, sig := range signals {
				_ = p.cmd.Process.Signal(sig) // it may have ended
			}
			require.NotEqual(t, exitOK, p.wait(), "%v in %s", signals, at)
			require.NoError(t, errors.Join(write.Close(), read.Close()))
			s.nothingKept(before)
		}
	}
}

package crashtest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/programtest"
)

// program is the path of the binary under test; anond-lab lies next to it.
var program string

// TestMain builds the real program once.
func TestMain(m *testing.M) {
	if os.Getenv(childDir) != "" { // TestForgettingChild
		os.Exit(m.Run())
	}
	// What runs in parallel waits for most of its time, so there may be more of it
	// than processors.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "anond-crashtest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if program, err = programtest.Build(dir, "anond-lab"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// patience bounds each wait: long enough for a busy machine, short enough that
// "never" shows.
const patience = 2 * time.Minute

// site is a directory with a configuration, in which commands run.
type site struct {
	t   *testing.T
	dir string
	env []string // further variables of its commands
}

// newSite makes a site whose anond.yaml is the given text.
func newSite(t *testing.T, config string) *site {
	t.Helper()
	require.NoError(t, programtest.LookAtSources())
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.write("anond.yaml", config)
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// write replaces a file of the site.
func (s *site) write(name, content string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o700))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(content), 0o600))
}

// append adds to a file of the site.
func (s *site) append(name, content string) {
	s.t.Helper()
	f, err := os.OpenFile(s.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	_, err = f.WriteString(content)
	require.NoError(s.t, errors.Join(err, f.Close()))
}

// read returns a file of the site, empty if it is not there.
func (s *site) read(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(s.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	require.NoError(s.t, err)
	return string(data)
}

// result is what a command that ended left behind.
type result struct {
	code           int
	stdout, stderr string
}

// lab runs a command of anond-lab to its end.
func (s *site) lab(args ...string) result {
	s.t.Helper()
	p := s.startProgram(program+"-lab", strings.NewReader(""), args...)
	code := p.wait()
	return result{code, p.out.String(), p.log.String()}
}

// run runs a command to its end, with the given standard input.
func (s *site) run(stdin string, args ...string) result {
	s.t.Helper()
	p := s.startWith(strings.NewReader(stdin), args...)
	code := p.wait()
	return result{code, p.out.String(), p.log.String()}
}

// process is a command that runs.
type process struct {
	t        *testing.T
	out, log *programtest.Text
	*programtest.Process
}

// start starts a command; it is killed when the test ends.
func (s *site) start(args ...string) *process { return s.startWith(nil, args...) }

func (s *site) startWith(stdin io.Reader, args ...string) *process {
	s.t.Helper()
	return s.startProgram(program, stdin, args...)
}

func (s *site) startProgram(program string, stdin io.Reader, args ...string) *process {
	s.t.Helper()
	p, err := programtest.Start(program, s.dir, s.env, stdin, args...)
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		p.Kill()
		for line := range strings.Lines(p.Log.String()) {
			if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "}\n") {
				assert.NoError(s.t, eventtest.Check([]byte(line)), line)
			}
		}
	})
	return &process{s.t, p.Out, p.Log, p}
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.Signal(sig))
}

// wait waits for the end and returns the exit code; -1 after a signal.
func (p *process) wait() int {
	p.t.Helper()
	code, err := p.Wait(patience)
	require.NoError(p.t, err)
	return code
}

// waitFor waits until the log holds a text.
func (p *process) waitFor(want string) {
	p.t.Helper()
	p.until("the log holds "+want, func() bool { return strings.Contains(p.log.String(), want) })
}

// until waits until a condition holds while the process runs.
func (p *process) until(what string, holds func() bool) {
	p.t.Helper()
	require.NoError(p.t, p.Until(what, patience, holds))
}

// events returns the log lines of one event, decoded.
func events(t *testing.T, log, event string) (out []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log) {
		var e map[string]any
		if json.Unmarshal([]byte(line), &e) == nil && e["event"] == event {
			out = append(out, e)
		}
	}
	return out
}

// clinic is a dataset of one source: id, age, city, ill; k 3, l 3.
func clinic(source string) string {
	return `version: 1
dataset: clinic
source: ` + source + `
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: city, role: quasi, type: categorical}
    - {name: ill, role: sensitive, type: categorical}
policy: {k: 3, l: 3, level: L1, max_hold: 0s}
release: {dir: ./releases, ledger: ./ledger, trigger: {on: update, min_interval: 1s}}
state: {path: ./state/anond.db}
`
}

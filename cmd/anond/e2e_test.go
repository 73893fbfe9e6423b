package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/hospital"
	"anond/internal/testkit/programtest"
	"anond/shards"
)

// childVariable makes the test binary be anond: so a test can kill a process
// that runs exactly this code. 1: as it is; a place of panics: with a panic there.
const childVariable = "ANOND_TEST_IS_ANOND"

func TestMain(m *testing.M) {
	switch place := os.Getenv(childVariable); place {
	case "":
		os.Exit(m.Run())
	case "1":
		shards.AfterUnionStep = unionHook()
		afterForgetStep = killsAt(os.Getenv(forgetKilledAt))
		aroundOwners = diesAt(os.Getenv(ledgerKilledAt))
		main()
	default:
		runPanicking(place, os.Args[len(os.Args)-1])
	}
}

// killsAt is a hook that kills the process at a step; none if no step is named.
func killsAt(step string) func(string) error {
	if step == "" {
		return nil
	}
	return func(s string) error {
		if s == step {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
		return nil
	}
}

// patience bounds every wait for another process, so far away that no busy machine comes near it.
const patience = time.Hour

// site is a directory with a configuration, and all that anond makes of it.
type site struct {
	t      *testing.T
	dir    string
	config string
}

// hospitalConfig is a configuration for the hospital stream. source and rest are
// YAML sections.
const hospitalConfig = `version: 1
dataset: hospital
source: %s
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer, range: [0, 130]}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical, hierarchy: hierarchies/postcode.csv}
    - {name: admission, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 3, level: L1}
release: {dir: ./releases, trigger: {%s}}
state: {path: ./state/anond.db%s}
`

func newSite(t *testing.T, source, trigger, state string) *site {
	t.Helper()
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = filepath.Join(s.dir, "anond.yaml")
	s.write("hierarchies/postcode.csv", hospital.Hierarchy())
	s.write("anond.yaml", fmt.Sprintf(hospitalConfig, source, trigger, state))
	return s
}

// atLevel gives a site of level L1 another level. The first pool of L2 is as small as it may be.
func (s *site) atLevel(level, more string) {
	s.t.Helper()
	first := ""
	if level == "L2" {
		first = "\ninitial: {min_pool: 15}"
	}
	s.edit("level: L1}", "level: "+level+more+"}"+first)
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, content string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(content), 0o600))
}

// append adds to a file that a running daemon may follow.
func (s *site) append(name, content string) {
	s.t.Helper()
	f, err := os.OpenFile(s.path(name), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(s.t, err)
	_, err = f.WriteString(content)
	require.NoError(s.t, errors.Join(err, f.Close()))
}

// edit replaces a part of the configuration.
func (s *site) edit(old, new string) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	require.NoError(s.t, err)
	require.Contains(s.t, string(text), old)
	s.write("anond.yaml", strings.Replace(string(text), old, new, 1))
}

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	require.NoError(s.t, err)
	return string(b)
}

// run runs a command on the site in this process.
func (s *site) run(command string, more ...string) result { return s.pipe("", command, more...) }

func (s *site) pipe(stdin, command string, more ...string) result {
	s.t.Helper()
	var out, err bytes.Buffer
	args := append(append(strings.Fields(command), "-c", s.config), more...)
	code := run(s.t.Context(), args, cli.Env{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err, Lookup: os.LookupEnv})
	for line := range strings.Lines(err.String()) {
		if strings.HasPrefix(line, "{") {
			require.NoError(s.t, eventtest.Check([]byte(line)), line)
		}
	}
	return result{code, out.String(), err.String()}
}

// must runs a command that has to succeed, and returns its output.
func (s *site) must(command string, more ...string) string {
	s.t.Helper()
	r := s.run(command, more...)
	require.Equal(s.t, exitOK, r.code, "anond %s: %s%s", command, r.stdout, r.stderr)
	return r.stdout
}

// counts are the counts of the state, which no daemon may hold.
func (s *site) counts() dataset.Status {
	s.t.Helper()
	var info struct{ Status dataset.Status }
	require.NoError(s.t, json.Unmarshal([]byte(s.must("state info --json")), &info))
	return info.Status
}

// positions is where every record came from that the site has, with how often:
// published, pending and refused.
func (s *site) positions() map[string]int {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "records.csv") // an export replaces no file
	s.must("state records", "--out", path)
	f, err := os.Open(path)
	require.NoError(s.t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(s.t, err)
	seen := map[string]int{}
	for _, row := range rows[1:] {
		seen[row[0]]++
	}
	for _, line := range strings.Split(strings.TrimSpace(s.read("dead-letter/dead-letter.ndjson")), "\n") {
		var letter struct {
			Source    string
			Partition int
			Offset    int64
		}
		if line == "" {
			continue
		}
		require.NoError(s.t, json.Unmarshal([]byte(line), &letter), line)
		seen[fmt.Sprintf("%s:%d:%d", letter.Source, letter.Partition, letter.Offset)]++
	}
	return seen
}

// releases are the files of all releases by name. What may differ between two
// runs is taken out of the manifests: created_at and previous.
func (s *site) releases() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	require.NoError(s.t, filepath.WalkDir(s.path("releases"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(s.path("releases"), path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if filepath.Base(path) == "manifest.json" {
			var m map[string]any
			require.NoError(s.t, json.Unmarshal(content, &m))
			require.Contains(s.t, m, "created_at")
			require.Contains(s.t, m, "previous")
			delete(m, "created_at")
			delete(m, "previous")
			content, err = json.Marshal(m)
		}
		out[name] = string(content)
		return err
	}))
	return out
}

// process is anond as a process of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr lines
	exited chan struct{}
}

// lines collects what a process writes, for those who wait for a line.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs a command on the site as a process.
func (s *site) start(command string, options ...func(*exec.Cmd)) *process {
	s.t.Helper()
	p := &process{t: s.t, exited: make(chan struct{})}
	p.cmd = exec.Command(os.Args[0], append(strings.Fields(command), "-c", s.config)...)
	p.cmd.Env = append(os.Environ(), childVariable+"=1")
	p.cmd.Stdout, p.cmd.Stderr = io.Discard, &p.stderr
	for _, o := range options {
		o(p.cmd)
	}
	require.NoError(s.t, p.cmd.Start())
	go func() { _ = p.cmd.Wait(); close(p.exited) }()
	s.t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.exited })
	return p
}

// wait returns the exit code, -1 if a signal ended the process.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatal("the process does not end", p.stderr.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
}

// event waits for a log line of the process.
func (p *process) event(name string) {
	p.t.Helper()
	p.says(`"event":"` + name + `"`)
}

// says waits for a text in the log of the process.
func (p *process) says(text string) {
	p.t.Helper()
	eventually(p.t, func() bool { return strings.Contains(p.stderr.String(), text) }, "no %s in %s", text, &p.stderr)
}

// admissions returns n messages of the hospital stream.
func admissions(seed uint64, n int) [][]byte {
	stream := hospital.New(seed)
	out := make([][]byte, n)
	for i := range out {
		out[i] = stream.NextMessage().Value
	}
	return out
}

// ndjson returns n messages of the hospital stream, one a line.
func ndjson(seed uint64, n int) string {
	return string(bytes.Join(admissions(seed, n), []byte("\n"))) + "\n"
}

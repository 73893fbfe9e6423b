package kafkatest

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/programtest"
)

// section is a part of a configuration.
type section = map[string]any

// site is a directory with a configuration, and all that anond makes of it.
type site struct {
	t      testing.TB
	dir    string
	file   string
	config section
}

// newSite is a site that reads a topic statically and releases every 100 records.
func newSite(t testing.TB, p *topic) *site {
	t.Helper()
	require.NoError(t, programtest.LookAtSources())
	s := &site{t: t, dir: t.TempDir()}
	s.file = filepath.Join(s.dir, "anond.yaml")
	attribute := func(name, role string, more ...string) section {
		a := section{"name": name, "role": role}
		if len(more) > 0 {
			a["type"] = more[0]
		}
		return a
	}
	age := attribute("age", "quasi", "integer")
	age["range"] = []int{0, 150} // shards need it
	s.config = section{
		"version": 1, "dataset": "clinic",
		"source":      section{"type": "kafka", "kafka": section{"brokers": broker.Addrs(), "topic": p.name}},
		"dead_letter": section{"type": "file", "path": "./dead-letter"},
		"schema": section{"attributes": []section{attribute("patient", "subject"), age,
			attribute("sex", "quasi", "categorical"), attribute("diagnosis", "sensitive", "categorical")}},
		"policy":  section{"k": 4, "l": 2, "level": "L1"},
		"release": section{"dir": "./releases", "ledger": "./ledger", "trigger": section{"on": "records", "every": 100}},
		"state":   section{"path": "./state/anond.db"},
		"log":     section{"level": "info", "format": "json"},
	}
	s.save()
	return s
}

// save writes the configuration. JSON is YAML.
func (s *site) save() {
	s.t.Helper()
	text, err := json.MarshalIndent(s.config, "", "  ")
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.file, text, 0o600))
}

// kafka changes keys of source.kafka.
func (s *site) kafka(keys section) *site {
	s.t.Helper()
	k := s.config["source"].(section)["kafka"].(section)
	for key, value := range keys {
		k[key] = value
	}
	s.save()
	return s
}

// set changes keys of a section.
func (s *site) set(name string, keys section) *site {
	s.t.Helper()
	for key, value := range keys {
		s.config[name].(section)[key] = value
	}
	s.save()
	return s
}

// member is another process of the same site, with another configuration file.
func (s *site) member(name string) *site {
	s.t.Helper()
	text, err := json.Marshal(s.config)
	require.NoError(s.t, err)
	m := &site{t: s.t, dir: s.dir, file: filepath.Join(s.dir, name+".yaml")}
	require.NoError(s.t, json.Unmarshal(text, &m.config))
	return m.kafka(section{"client_id": name})
}

// once runs anond to the present end of the topic.
func (s *site) once() *process {
	s.t.Helper()
	p := s.start("--once")
	p.wait()
	return p
}

// command runs a command that has to succeed and returns what it prints.
func (s *site) command(args ...string) string { return s.commandOf(anond, args...) }

func (s *site) commandOf(program string, args ...string) string {
	s.t.Helper()
	var out, errs bytes.Buffer
	c := exec.Command(program, append(args, "-c", s.file)...)
	c.Stdout, c.Stderr = &out, &errs
	require.NoError(s.t, c.Run(), "anond %v: %s%s", args, out.String(), errs.String())
	return out.String()
}

// counts are the counts of status.json.
type counts struct {
	Sent       int            `json:"sent"`
	Published  int            `json:"published"`
	Pending    map[string]int `json:"pending"`
	DeadLetter int            `json:"dead_letter"`
	Ignored    map[string]int `json:"ignored"`
	Outbox     int            `json:"outbox"`
	Release    int            `json:"release"`
	Beyond     int            `json:"beyond"`
}

func (c counts) pending() (n int) {
	for _, k := range c.Pending {
		n += k
	}
	return n
}

// counts reads status.json, which need not exist yet.
func (s *site) counts() (c counts) {
	text, err := os.ReadFile(filepath.Join(s.dir, "state", "status.json"))
	if err != nil {
		return c
	}
	var status struct{ Counts counts }
	require.NoError(s.t, json.Unmarshal(text, &status))
	return status.Counts
}

// sent waits until a running anond has read n records.
func (s *site) sent(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.counts().Sent >= n }, patience, 20*time.Millisecond, "%d records", n)
}

// settled checks a stopped site: that it has read exactly sent records and
// refused so many, that the counts add up, that state is sound, and that an
// independent audit certifies the whole chain of releases.
func (s *site) settled(sent, refused int) counts {
	s.t.Helper()
	c := s.counts()
	require.Equal(s.t, sent, c.Sent, "sent")
	require.Equal(s.t, refused, c.DeadLetter, "dead letters")
	require.Equal(s.t, c.Sent, c.Published+c.pending()+c.DeadLetter+c.Beyond, "sent = published + pending + dead_letter + beyond")
	require.Len(s.t, s.records(), sent-refused, "records in state")
	s.command("state", "check")
	s.command("release", "verify")
	s.command("audit", "--require-certified")
	return c
}

// records are the records in state: position, release and attributes.
func (s *site) records() [][]string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "records.csv") // an export replaces no file
	s.command("state", "records", "--out", path)
	f, err := os.Open(path)
	require.NoError(s.t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(s.t, err)
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		require.False(s.t, seen[row[0]], "record %s is there twice", row[0])
		seen[row[0]] = true
	}
	return rows[1:]
}

// backup is a copy of a site's state.
type backup struct {
	site *site
	copy []byte
}

func (s *site) statePath() string { return filepath.Join(s.dir, "state", "anond.db") }

// backup copies the state, which no process may hold.
func (s *site) backup() backup {
	s.t.Helper()
	text, err := os.ReadFile(s.statePath())
	require.NoError(s.t, err)
	return backup{s, text}
}

func (b backup) restore() {
	b.site.t.Helper()
	require.NoError(b.site.t, os.WriteFile(b.site.statePath(), b.copy, 0o600))
}

// line is a line of the log.
type line map[string]any

func (l line) event() string { return fmt.Sprint(l["event"]) }

// process is anond as a process.
type process struct {
	t      testing.TB
	site   *site
	cmd    *exec.Cmd
	exited chan struct{}

	mu    sync.Mutex
	lines []line
	text  strings.Builder // lines that are no JSON: messages for people
}

// start starts the daemon.
func (s *site) start(args ...string) *process {
	s.t.Helper()
	return s.launch(append([]string{"run"}, args...)...)
}

// launch starts a command that stays.
func (s *site) launch(args ...string) *process { return s.launchOf(anond, args...) }

func (s *site) launchOf(program string, args ...string) *process {
	s.t.Helper()
	p := &process{t: s.t, site: s, exited: make(chan struct{})}
	p.cmd = exec.Command(program, append(args, "-c", s.file)...)
	dieWithUs(p.cmd)
	stderr, err := p.cmd.StderrPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, p.cmd.Start())
	go func() {
		p.read(bufio.NewScanner(stderr))
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	s.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
		if s.t.Failed() || os.Getenv("KAFKATEST_LOG") != "" {
			s.t.Logf("log of %s:\n%s", filepath.Base(s.file), p.log())
		}
	})
	return p
}

func (p *process) read(in *bufio.Scanner) {
	for in.Scan() {
		p.mu.Lock()
		l := line{}
		if json.Unmarshal(in.Bytes(), &l) == nil {
			p.lines = append(p.lines, l)
			assert.NoError(p.t, eventtest.Check(in.Bytes()), in.Text())
		} else {
			p.text.WriteString(in.Text() + "\n")
		}
		p.mu.Unlock()
	}
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, l := range p.lines {
		text, _ := json.Marshal(l)
		b.Write(append(text, '\n'))
	}
	return b.String() + p.text.String()
}

// events are the lines of one event so far.
func (p *process) events(name string) (found []line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		if l.event() == name {
			found = append(found, l)
		}
	}
	return found
}

// eventsOf are those of one topic: the source and the dead letters have events
// of the same name.
func (p *process) eventsOf(name string, of *topic) (found []line) {
	for _, l := range p.events(name) {
		if l["topic"] == of.name {
			found = append(found, l)
		}
	}
	return found
}

// await waits for the nth line of an event, counted from 1.
func (p *process) await(name string, nth int) line {
	p.t.Helper()
	var found []line
	require.Eventually(p.t, func() bool {
		found = p.events(name)
		return len(found) >= nth || p.ended()
	}, patience, 5*time.Millisecond, "event %s", name)
	require.GreaterOrEqual(p.t, len(found), nth, "anond ended without event %s: %s", name, p.log())
	return found[nth-1]
}

func (p *process) ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// wait waits for the end and returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		require.Fail(p.t, "anond does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// ends waits for an exit code.
func (p *process) ends(code int) *process {
	p.t.Helper()
	require.Equal(p.t, code, p.wait(), p.log())
	return p
}

// stop asks for an orderly end, which must succeed.
func (p *process) stop() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.ends(0)
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		require.NoError(p.t, err)
	}
	<-p.exited
}

// says requires a text in what anond writes for people.
func (p *process) says(text string) {
	p.t.Helper()
	require.Contains(p.t, p.log(), text)
}

package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"anond/ingest"
	"anond/internal/daemon"
	"anond/internal/testkit/programtest"
)

// outside is a dataset whose daemon is the program itself, as processes, against a
// broker behind a proxy, with disks of its own where those can be mounted.
type outside struct {
	*site
	plan    *chaosPlan
	random  *rand.Rand
	program string
	broker  *broker
	process *programtest.Process
	mounted bool
	toTopic bool   // where dead letters go
	newest  []byte // the newest copy of the state
	copied  []byte // that of step backup
}

// patience bounds each wait. It is longer than the program's own time limits.
const patience = 60 * time.Second

func newOutside(p *chaosPlan, dir, program string, random *rand.Rand) (w *outside, err error) {
	s, err := newSite(dir, random, p.World.Partitions)
	if err != nil {
		return nil, err
	}
	w = &outside{site: s, plan: p, random: random, program: program, toTopic: random.IntN(2) == 0}
	s.put = w.place
	w.mounted = mount(w.path("disk"))
	if w.mounted && !mount(w.path("state")) {
		unmount(w.path("disk"))
		w.mounted = false
	}
	w.source = "kafka:" + topicName
	w.feed.heeds(&p.World)
	w.heeds(&p.World)
	secret := ""
	if p.World.Secured {
		secret = "the first secret"
		if err := w.writeSecret(secret); err != nil {
			return w, err
		}
	}
	if w.broker, err = startBroker(w.path("broker"), p.World.Partitions, secret); err != nil {
		return w, err
	}
	if w.toTopic {
		w.topic = w.broker.letters
	}
	return w, w.configure(w.text())
}

// text is the configuration.
func (w *outside) text() string {
	at := fmt.Sprintf("brokers: [%q]", w.broker.proxy.Addr())
	lease, secret := "", ""
	if w.plan.World.Leased {
		lease = ", assignment: group, group: " + group + ", session_timeout: 6s" // the shortest that brokers accept
	}
	if w.plan.World.Secured {
		secret = `, sasl: {mechanism: scram-sha-512, username: ` + anondUser + `, password: "${file:secret}"}`
	}
	source := fmt.Sprintf("{type: kafka, format: json, kafka: {%s, topic: %s, stall_after: 2s%s%s}}", at, topicName, lease, secret)
	sink := "{type: file, path: ./dead-letter, " + mostRefused + "}"
	if w.toTopic {
		sink = "{type: topic, topic: " + letterTopic + ", " + mostRefused + "}"
	}
	more := "control: {socket: ./c.sock}\n"
	if w.plan.World.Delivered {
		more += "outputs: {poll: 100ms, kafka: {" + at + ", topic: " + outputTopic + "}}\n"
	}
	return w.plan.World.configuration(wholeSections(source, sink, more))
}

// writeSecret writes the file of the password, in one step.
func (w *outside) writeSecret(secret string) error {
	if err := os.WriteFile(w.path("secret.new"), []byte(secret+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(w.path("secret.new"), w.path("secret"))
}

// close ends all that was started.
func (w *outside) close() {
	if w.process != nil {
		w.process.Kill()
	}
	if w.broker != nil {
		w.broker.close()
	}
	if w.mounted {
		unmount(w.path("disk"))
		unmount(w.path("state"))
	}
}

// send feeds records to the topic.
func (w *outside) send(n int) error { return w.write(w.feed.more(n)) }

func (w *outside) write(records map[int][]message) error {
	for p, messages := range records {
		if err := w.broker.write(p, messages); err != nil {
			return fmt.Errorf("the harness cannot write to its broker: %w", err)
		}
	}
	return nil
}

func (w *outside) start(args ...string) (err error) {
	w.process, err = programtest.Start(w.program, w.dir, nil, nil, append([]string{"run", "-c", "anond.yaml"}, args...)...)
	return err
}

// mark is where the log is, over all processes.
func (w *outside) mark() int {
	if w.process == nil {
		return w.log.Len()
	}
	return w.log.Len() + w.process.Log.Len()
}

// since is the log from a mark on.
func (w *outside) since(mark int) string {
	text := w.log.String()
	if w.process != nil {
		text += w.process.Log.String()
	}
	return text[mark:]
}

// wait waits for the end of the process, and tells how it has ended.
func (w *outside) wait() (ending, error) {
	code, err := w.process.Wait(patience)
	log := w.process.Log.String()
	fmt.Fprint(w.log, log)
	w.process = nil
	if err != nil {
		return unexpected, err
	}
	if err := w.archive.see(w.damaged); err != nil {
		return unexpected, err
	}
	return endingOfCode(code, log), nil
}

// endingOfCode tells how a process has ended, from what an operator sees.
func endingOfCode(code int, log string) ending {
	_, message, _ := strings.Cut("\n"+log, "\nerror: ")
	switch code {
	case 0:
		return ended
	case -1:
		return killed
	case 3:
		if strings.Contains(message, ingest.ErrPoolRefused.Error()) || strings.Contains(message, ingest.ErrNoPool.Error()) {
			return ended // the source alone is the cause
		}
		return refused
	case 4:
		return locked
	case 5:
		return behind
	}
	for text, e := range map[string]ending{"no space left for the state": noRoom, "attempts failed": parked,
		"the state is damaged": stateDamaged, "published files are damaged": releaseDamaged, "differs from its rendering": releaseDamaged,
		"dead letters of another state": foreignLetters, "the list of who was forgotten cannot be written": diskFailed,
		"note next to the ledger who was judged": diskFailed,
		ingest.ErrManyRefused.Error():            manyRefused, daemon.ErrPaused.Error(): paused} {
		if code == 1 && strings.Contains(message, text) {
			return e
		}
	}
	return unexpected
}

// status is what the harness reads of status.json.
type status struct {
	PID       int    `json:"pid"`
	Doing     string `json:"doing"`
	Releasing int    `json:"releasing"`
	Counts    struct {
		Sent   int `json:"sent"`
		Outbox int `json:"outbox"`
	} `json:"counts"`
}

// status is that of the running process; zero if there is none yet.
func (w *outside) status() (s status) {
	data, err := os.ReadFile(w.path("state/status.json"))
	if err != nil || json.Unmarshal(data, &s) != nil || s.PID != w.process.PID() {
		return status{}
	}
	return s
}

// quiet reports whether all is read, published and delivered.
func (w *outside) quiet() bool {
	s := w.status()
	return s.PID > 0 && s.Counts.Sent == w.feed.sent() && s.Counts.Outbox == 0 && s.Releasing == 0 && s.Doing == ""
}

// reads reports whether the newest word on the source is that it is connected.
func (w *outside) reads() bool {
	log := w.process.Log.String()
	return strings.LastIndex(log, `"event":"source_connected"`) > strings.LastIndex(log, disconnected)
}

// connected waits until the process reads, if the next fault is to interrupt that: a
// second failure would not be named at once.
func (w *outside) connected(f *fault) {
	if contains(f.Do, []string{"broker-", "proxy-", "kafka-", "secret-"}) {
		_ = w.process.Until("", patience, func() bool { return w.reads() || !w.process.Running() })
	}
}

// says waits until the log since a mark has one of the texts, or the process ends.
func (w *outside) says(mark int, texts []string) bool {
	found := func() bool {
		log := w.since(mark)
		for _, text := range texts {
			if strings.Contains(log, text) {
				return true
			}
		}
		return !w.process.Running()
	}
	_ = w.process.Until("", patience, found) // what was not said shows in the check of names
	return found()
}

// suspended reports whether the process is stopped by a signal.
func (w *outside) suspended() bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.process.PID()))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.HasPrefix(rest, "T")
}

// stopInOrder ends a live run with SIGTERM.
func (w *outside) stopInOrder() (ending, error) {
	if err := w.process.Signal(syscall.SIGTERM); err != nil && w.process.Running() {
		return unexpected, err
	}
	return w.wait()
}

// keep copies the state of a stopped daemon with the documented command.
func (w *outside) keep() error {
	to := w.path("copy.db")
	defer os.Remove(to)
	copying, err := programtest.Start(w.program, w.dir, nil, nil, "state", "backup", "-c", "anond.yaml", "--out", to)
	if err != nil {
		return err
	}
	if code, err := copying.Wait(patience); err != nil || code != 0 {
		return fmt.Errorf("state backup ended with %d: %s %w", code, copying.Log, err)
	}
	w.newest, err = os.ReadFile(to)
	return err
}

func (w *outside) putState(data []byte) error {
	return os.WriteFile(w.config.State.Path, data, 0o600)
}

// place puts a published file in place of the one that is there.
func (w *outside) place(full, content string) error {
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if err := os.Remove(full); err != nil && !os.IsNotExist(err) {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.Contains(full, "part-") {
		mode = 0o444
	}
	return os.WriteFile(full, []byte(content), mode)
}

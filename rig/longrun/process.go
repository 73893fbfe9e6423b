package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"anond/internal/testkit/hospital"
)

// process is the daemon.
type process struct {
	dir        string
	every      time.Duration // between two traces
	cmd        *exec.Cmd
	trace      *trace
	started    time.Time     // for the first time
	used       float64       // seconds of processor time, of this process
	usedBefore float64       // of those before it
	ended      chan struct{} // closed when it has ended and all it wrote was read
}

// configuration has what cannot be left to a default: what both kinds of runs have, and what each has.
const (
	configuration = `version: 1
dataset: hospital
source: {type: kafka, format: json, kafka: {brokers: [%s], topic: ` + topic + `}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical, hierarchy: hierarchies/postcode.csv}
    - {name: diagnosis, role: sensitive, type: categorical}
`
	ofRun = `    - {name: admission, role: quasi, type: categorical}
policy: {k: 10, l: 5%s}
initial: {min_pool: 50}
release: {dir: ./releases, trigger: {on: interval, every: %s}}
state: {path: ./state/anond.db}
`
	ofMonth = `    - {name: admission, role: sensitive, type: categorical, promise: {caps: {transfer: 0.4}}}
subject: {repeat: history, max_records: 2, settle: %s, erasure: {mode: bucket, every: %s}}
policy: {k: 10, l: 5%s}
initial: {min_pool: 500}
release: {dir: ./releases, keep: {releases: 30}, window: %d, trigger: {on: interval, every: %s}}
state:
  path: ./state/anond.db
  backup: {dir: ./backups, min_interval: %s, command: [cp, -t, elsewhere]}
control: {socket: ./state/anond.sock}
http: {listen: off}
outputs: {kafka: {brokers: [%s], topic: ` + delivered + `}}
`
)

// startDaemon writes the configuration and starts the program.
func startDaemon(o options, dir, broker string) (*process, error) {
	hold := ""
	if o.hold > 0 {
		hold = fmt.Sprintf(", max_hold: %s", o.hold)
	}
	text := fmt.Appendf(nil, configuration, broker)
	if o.month {
		window := max(4, int(o.over/o.release)/3)
		text = fmt.Appendf(text, ofMonth, o.settle(), 10*o.release, hold, window, o.release, 5*o.release, broker)
	} else {
		text = fmt.Appendf(text, ofRun, hold, o.release)
	}
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "hierarchies", "postcode.csv"), []byte(hospital.Hierarchy()), 0o644),
		os.WriteFile(filepath.Join(dir, "anond.yaml"), text, 0o644))
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir, every: o.sample, trace: &trace{}, started: time.Now()}
	return p, p.start(o.program)
}

// start starts a binary on the directory.
func (p *process) start(program string) error {
	log, err := os.OpenFile(filepath.Join(p.dir, "daemon.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	p.cmd, p.ended = exec.Command(program, "run", "-c", "anond.yaml"), make(chan struct{})
	p.cmd.Dir = p.dir
	p.cmd.Env = append(os.Environ(), fmt.Sprintf("GODEBUG=gctrace=1,scheddetail=1,schedtrace=%d", p.every.Milliseconds()))
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	go p.listen(p.cmd, stderr, log)
	return nil
}

// restart stops the daemon and starts a binary in its place.
func (p *process) restart(program string) error {
	if err := p.stop(); err != nil {
		return err
	}
	p.usedBefore, p.used = p.usedBefore+p.used, 0
	return p.start(program)
}

// listen takes the runtime's trace out of standard error; the rest is the log.
func (p *process) listen(cmd *exec.Cmd, stderr io.Reader, log io.WriteCloser) {
	ended := p.ended
	in := bufio.NewReader(stderr)
	for {
		line, err := in.ReadString('\n')
		if !p.trace.take(line) {
			_, _ = io.WriteString(log, line)
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	_ = log.Close()
	close(ended)
}

// failure is the error of a daemon that ended by itself.
func (p *process) failure() error {
	return fmt.Errorf("the daemon ended with %d; daemon.log says why", p.cmd.ProcessState.ExitCode())
}

// stop ends the daemon as an operator would.
func (p *process) stop() error {
	select {
	case <-p.ended:
		return nil // follow has reported it
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-p.ended
	if p.cmd.ProcessState.ExitCode() != 0 {
		return p.failure()
	}
	return nil
}

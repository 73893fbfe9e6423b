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
	dir     string
	cmd     *exec.Cmd
	trace   *trace
	started time.Time
	ended   chan struct{} // closed when it has ended and all it wrote was read
}

// configuration has what cannot be left to a default.
const configuration = `version: 1
dataset: hospital
source: {type: kafka, format: json, kafka: {brokers: [%s], topic: ` + topic + `}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical, hierarchy: hierarchies/postcode.csv}
    - {name: admission, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 10, l: 5%s}
initial: {min_pool: 50}
release: {dir: ./releases, trigger: {on: interval, every: %s}}
state: {path: ./state/anond.db}
`

// startDaemon writes the configuration and starts the program.
func startDaemon(o options, dir, broker string) (*process, error) {
	hold := ""
	if o.hold > 0 {
		hold = fmt.Sprintf(", max_hold: %s", o.hold)
	}
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "hierarchies", "postcode.csv"), []byte(hospital.Hierarchy()), 0o644),
		os.WriteFile(filepath.Join(dir, "anond.yaml"), fmt.Appendf(nil, configuration, broker, hold, o.release), 0o644))
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "daemon.log"))
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir, cmd: exec.Command(o.program, "run", "-c", "anond.yaml"), trace: &trace{}, ended: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), fmt.Sprintf("GODEBUG=gctrace=1,scheddetail=1,schedtrace=%d", o.sample.Milliseconds()))
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p.started = time.Now()
	go p.listen(stderr, log)
	return p, nil
}

// listen takes the runtime's trace out of standard error; the rest is the log.
func (p *process) listen(stderr io.Reader, log io.WriteCloser) {
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
	_ = p.cmd.Wait()
	_ = log.Close()
	close(p.ended)
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

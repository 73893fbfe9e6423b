package programtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Process is a command that runs.
type Process struct {
	Out, Log *Text // standard output and standard error
	cmd      *exec.Cmd
	ended    chan struct{}
}

// Start starts a command in a directory, with further variables of its environment.
func Start(program, dir string, env []string, stdin io.Reader, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(program, args...), Out: &Text{}, Log: &Text{}, ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = dir, stdin, p.Out, p.Log
	p.cmd.Env = append(os.Environ(), env...)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = p.cmd.Wait(); close(p.ended) }()
	return p, nil
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal.
func (p *Process) Signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// Kill kills the process and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Used is the processor time of a process that has ended, user and system.
func (p *Process) Used() time.Duration {
	<-p.ended
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Wait waits for the end and returns the exit code; -1 after a signal. A process that
// does not end in time is told to say where it is, which is in the log then.
func (p *Process) Wait(patience time.Duration) (int, error) {
	if waited(patience, p.ended) {
		_ = p.Signal(syscall.SIGQUIT)
		<-p.ended
		return 0, fmt.Errorf("%v did not end:\n%s", p.cmd.Args[1:], p.Log)
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// Until waits until a condition holds while the process runs.
func (p *Process) Until(what string, patience time.Duration, holds func() bool) error {
	late, stop := WithPatience(context.Background(), patience, nil)
	defer stop()
	for !holds() {
		select {
		case <-p.ended:
			if !holds() {
				return fmt.Errorf("the process ended with %d before %s:\n%s", p.cmd.ProcessState.ExitCode(), what, p.Log)
			}
		case <-late.Done():
			return fmt.Errorf("waited in vain until %s:\n%s", what, p.Log)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// Text gathers output while others look at it.
type Text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to the text.
func (t *Text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

// String is what has been written so far.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// Has reports whether a text has been written, from a place on.
func (t *Text) Has(from int, text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.b.Bytes()[from:], []byte(text))
}

// Len is how much has been written so far.
func (t *Text) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Len()
}

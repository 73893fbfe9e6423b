package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"anond/internal/testkit/programtest"
)

// trialPatience bounds every wait for a process or a broker.
const trialPatience = 20 * time.Minute

// look is the time between two looks at a process.
const look = 100 * time.Millisecond

// worker is one process that is started again whenever it is killed, and what it has used.
type worker struct {
	name         string
	program, dir string
	args         []string
	once         bool            // it ends by itself
	kills        []time.Duration // since the run began
	gone         time.Duration   // how long it is away after a kill
	killedAt     []time.Time
	killed, pid  atomic.Int64
	cpu          time.Duration
	peak         int64 // bytes resident, at most
}

// run keeps the process running until the context is done, and then stops it; or until it has
// ended, if it does that by itself.
func (w *worker) run(ctx context.Context, began time.Time) error {
	for {
		p, err := programtest.Start(w.program, w.dir, nil, nil, w.args...)
		if err != nil {
			return err
		}
		w.pid.Store(int64(p.PID()))
		again, err := w.watch(ctx, p, began)
		w.cpu += p.Used()
		if err = errors.Join(err, w.keepLog(p)); err != nil || !again {
			return err
		}
		select {
		case <-time.After(w.gone):
		case <-ctx.Done():
			return nil
		}
	}
}

// watch follows one life of the process. again: it was killed, as the schedule says.
func (w *worker) watch(ctx context.Context, p *programtest.Process, began time.Time) (again bool, err error) {
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		select {
		case <-p.Ended():
			code, err := p.Wait(trialPatience)
			if w.once && code == 0 {
				return false, err
			}
			return false, fmt.Errorf("%s ended by itself with %d:\n%s", w.name, code, tail(p.Log.String()))
		case <-ctx.Done():
			return false, w.stop(p)
		case <-ticks.C:
			w.peak = max(w.peak, residentPeak(p.PID()))
			if n := int(w.killed.Load()); n < len(w.kills) && time.Since(began) >= w.kills[n] {
				w.killedAt = append(w.killedAt, time.Now())
				p.Kill()
				w.killed.Add(1)
				return true, nil
			}
		}
	}
}

// stop ends the process as an operator would.
func (w *worker) stop(p *programtest.Process) error {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	code, err := p.Wait(trialPatience)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s was stopped and ended with %d:\n%s", w.name, code, tail(p.Log.String()))
	}
	return err
}

// keepLog appends what the process wrote to its log.
func (w *worker) keepLog(p *programtest.Process) error {
	f, err := os.OpenFile(w.dir+"/"+w.name+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(p.Log.String())
	return errors.Join(err, f.Close())
}

// tail is the end of a log.
func tail(log string) string { return log[max(0, len(log)-2000):] }

// residentPeak is the most memory that a process has had resident so far, as the kernel
// counts it; 0 where that is not known. (What wait(2) tells includes what this process had
// when it started the other.)
func residentPeak(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

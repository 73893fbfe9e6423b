package chaos

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/testkit/programtest"
)

// takeOver starts a standby next to the process that holds the lease, lets the fault
// happen to the holder or to the lease, and goes on with the member that has it then. The
// other one ends in order.
func (w *outside) takeOver(f *fault) error {
	if err := w.holds(); err != nil || !w.process.Running() {
		return err
	}
	holder := w.process
	standby, err := programtest.Start(w.program, w.dir, nil, nil, "run", "-c", "anond.yaml")
	if err != nil {
		return err
	}
	defer func() {
		if w.process != standby {
			standby.Kill()
		}
	}()
	from, mark := holder.Log.Len(), w.mark()
	ahead := logged(standby, 0, leaseAcquired) // an earlier fault may have cost the holder its lease
	stands := logged(standby, 0, leaseStandby)
	if err := standby.Until("it stands by", patience, func() bool { return stands() || ahead() }); err != nil {
		return err
	}
	if err := w.send(20); err != nil {
		return err
	}
	if ahead() {
		return w.succeed(holder, standby, from)
	}
	f.take(mark)
	if err := w.loseLease(f, holder, standby, from); err != nil {
		return err
	}
	return w.succeed(holder, standby, from)
}

// loseLease is the fault itself. It returns when the lease is lost, as the holder's log says
// from a place on.
func (w *outside) loseLease(f *fault, holder, standby *programtest.Process, from int) error {
	moment := time.Duration(f.N) * time.Millisecond
	switch f.Do {
	case "holder-killed":
		time.Sleep(moment) // any moment will do
		holder.Kill()
		return nil
	case "holder-suspended": // for longer than the group waits; it keeps the lock of the state
		if err := holder.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		if err := errors.Join(holder.Until("it is suspended", patience, w.suspended), w.send(40)); err != nil {
			return err
		}
		waits := logged(standby, 0, `"event":"state_locked"`)
		has := logged(standby, 0, started) // an earlier fault had cost the holder its lease
		if err := standby.Until("the standby has the lease", patience, func() bool { return waits() || has() }); err != nil {
			return err
		}
		time.Sleep(moment)
		if err := holder.Signal(syscall.SIGCONT); err != nil {
			return err
		}
	default: // the group takes it away
		wrong := w.broker.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup}, Group: group,
			Err: []*kerr.Error{kerr.UnknownMemberID, kerr.IllegalGeneration, kerr.NotCoordinator}[f.Draw%3], Count: -1})
		defer wrong.Remove()
	}
	return holder.Until("it has lost the lease", patience, logged(holder, from, leaseLost))
}

// succeed waits until a member has the lease again and the state, and ends the other. One
// that has lost the lease must not have published since.
func (w *outside) succeed(holder, standby *programtest.Process, from int) error {
	again := func() bool { return strings.Contains(afterLoss(holder, from), started) }
	taken := logged(standby, 0, started)
	if err := standby.Until("a member has the lease and the state", patience, func() bool { return taken() || again() }); err != nil {
		return err
	}
	if !taken() { // the holder has it again
		code, err := endInOrder(standby)
		if err == nil && (code != 0 || strings.Contains(standby.Log.String(), canary)) {
			err = fmt.Errorf("a standby ended with %d:\n%s", code, standby.Log)
		}
		return err
	}
	defer func() {
		fmt.Fprint(w.log, holder.Log.String())
		w.process = standby
	}()
	if !holder.Running() {
		return nil
	}
	code, err := endInOrder(holder)
	if since, _, _ := strings.Cut(afterLoss(holder, from), leaseAcquired); err == nil && (code != 0 || strings.Contains(since,
		`"event":"release_published"`)) {
		err = fmt.Errorf("who lost the lease published after that, or ended with %d:\n%s", code, holder.Log)
	}
	return err
}

func endInOrder(p *programtest.Process) (code int, err error) {
	if err := p.Signal(syscall.SIGTERM); err != nil && p.Running() {
		return 0, err
	}
	return p.Wait(patience)
}

// logged is the condition that the log of a process has a text, from a place on.
func logged(p *programtest.Process, from int, text string) func() bool {
	return func() bool { return strings.Contains(p.Log.String()[from:], text) }
}

// afterLoss is what a process logged after it lost the lease, which it did after a place.
func afterLoss(p *programtest.Process, from int) string {
	_, after, _ := strings.Cut(p.Log.String()[from:], leaseLost)
	return after
}

package chaos

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// contains reports whether a text has one of the others.
func contains(text string, any []string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
}

// play plays a plan with processes.
func (w *outside) play() (*played, error) {
	p := newPlayed()
	var next []*fault
	err := w.plan.each(func(s step) (err error) {
		switch s.Do {
		case stepFeed:
			err = w.send(s.N)
		case stepBackup:
			w.copied = w.newest
		case stepLive:
			err, next = w.live(p, next), nil
		case stepRun:
			err, next = w.once(p), nil
		default:
			f := newFault(s)
			p.faults = append(p.faults, f)
			if f.stopped {
				err = w.harm(f)
			} else {
				next = append(next, f)
			}
		}
		return err
	})
	if err != nil {
		return p, err
	}
	if err := w.once(p); err != nil {
		return p, fmt.Errorf("at the end: %w", err)
	}
	if err := w.delivered(); err != nil {
		return p, err
	}
	return p, errors.Join(p.unnamed(w.log.String()), w.verdict())
}

// live starts the daemon, lets the faults strike it, waits until all is read, published
// and delivered, and stops it.
func (w *outside) live(p *played, faults []*fault) error {
	if err := w.start(); err != nil {
		return err
	}
	for _, f := range faults {
		w.connected(f)
		if err := (striking{w}).strike(f); err != nil {
			return err
		}
		if !w.process.Running() && f.Do != "sigkill" && len(f.named) > 0 && !f.isNamed(w.since(0)) {
			f.took = false // the process had ended before
		}
		if err := w.revive(p); err != nil {
			return err
		}
	}
	for range attempts {
		err := w.process.Until("all is read, published and delivered", patience, func() bool { return w.paused() || w.quiet() })
		if err == nil && w.paused() { // by a flood that an earlier process has not read
			if err := w.unpause(); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			e, err := w.stopInOrder()
			if err != nil {
				return err
			}
			if e != ended {
				return fmt.Errorf("SIGTERM ended the daemon so: %s", e)
			}
			return w.afterwards()
		}
		if w.process.Running() {
			return err
		}
		if err := w.revive(p); err != nil {
			return err
		}
	}
	return fmt.Errorf("the daemon does not recover in %d starts", attempts)
}

// revive starts the daemon again if it has ended, after the documented command.
func (w *outside) revive(p *played) error {
	for range attempts {
		if w.process.Running() {
			return nil
		}
		if err := w.bury(p); err != nil {
			return err
		}
		if err := w.start(); err != nil {
			return err
		}
	}
	return fmt.Errorf("the daemon does not recover in %d starts", attempts)
}

// bury takes the end of a process, which a fault must explain, and does what
// docs/RUN.md says.
func (w *outside) bury(p *played) error {
	from := w.log.Len()
	e, err := w.wait()
	if err != nil {
		return err
	}
	if e == ended || !p.explain(e, from) {
		return fmt.Errorf("a process ended (%s), which no fault explains", e)
	}
	switch e {
	case stateDamaged, behind:
		return w.putState(w.newest)
	case releaseDamaged:
		p.repaired(w.log.String())
		return w.restoreReleases()
	case foreignLetters:
		return w.moveLetters()
	case manyRefused, paused:
		return w.acceptRefused()
	}
	return nil
}

// once runs the daemon to the end of its source, as often as it takes.
func (w *outside) once(p *played) error {
	for range attempts {
		from := w.log.Len()
		if err := w.start("--once"); err != nil {
			return err
		}
		if err := w.process.Until("the end of the source", 2*patience, func() bool { return !w.process.Running() }); err != nil {
			return err
		}
		if code, _ := w.process.Wait(patience); code != 0 {
			if err := w.bury(p); err != nil {
				return err
			}
			continue
		}
		if _, err := w.wait(); err != nil {
			return err
		}
		if err := w.afterwards(); err != nil {
			return err
		}
		if !w.log.Has(from, lettersKept) {
			return nil
		}
	}
	return fmt.Errorf("the daemon does not recover in %d starts", attempts)
}

// afterwards does what the log of a run in good order asks for, and copies the state.
func (w *outside) afterwards() error {
	if w.damaged {
		if err := w.restoreReleases(); err != nil {
			return err
		}
	}
	if err := w.archive.see(false); err != nil {
		return err
	}
	return w.keep()
}

// harm does those faults that happen while the daemon is stopped.
func (w *outside) harm(f *fault) error {
	switch {
	case w.newest == nil:
		return nil // nothing has run yet
	case f.Do == "old-state":
		if w.copied != nil && string(w.copied) != string(w.newest) {
			f.take(w.log.Len())
			return w.putState(w.copied)
		}
		return nil
	case f.Do == "spoil-state":
		return w.spoilState(w.newest, f.Draw)
	}
	return w.flipRelease(f)
}

// disconnected is what the log says when the broker cannot be reached.
const disconnected = `"event":"source_disconnected"`

// What the log says of the lease of a consumer group.
const (
	leaseStandby  = `"event":"source_lease_standby"`
	leaseAcquired = `"event":"source_lease_acquired"`
	leaseLost     = `lease_lost"` // source_lease_lost, or what the loop says of it

	deliveryStarted = `"event":"delivery_started"`
)

// The faults of plans with processes. Those without names leave nothing for a log to
// name: a suspended process cannot tell, and an answer that comes late is an answer.
var realKinds = map[string]kind{
	"sigkill":     {endings: []ending{killed}, named: []string{started}, most: 300},
	"sigstop":     {most: 300},
	"broker-stop": {named: []string{disconnected}, most: 3},
	"proxy-drop":  {named: []string{disconnected, `"event":"source_retry"`}, most: 3},
	"proxy-delay": {most: 20},
	"proxy-halve": {named: []string{disconnected, `"event":"source_retry"`, `"event":"source_stalled"`,
		`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 1},
	"kafka-error":      {named: []string{disconnected, `"event":"source_retry"`}, most: 3},
	"sink-refuses":     {named: []string{`"event":"dead_letter_failed"`}, most: 3},
	"disk-full":        {named: []string{"no space left on device"}, endings: []ending{parked, diskFailed}, most: 1},
	"state-full":       {named: []string{"no space left for the state", `"event":"status_failed"`}, endings: []ending{noRoom}, most: 1},
	"read-only":        {named: []string{"read-only file system", "permission denied"}, endings: []ending{parked, diskFailed}, most: 1},
	"second-process":   {alone: true, named: []string{"held by another process"}, most: 1},
	"holder-killed":    {leased: true, named: []string{leaseAcquired}, most: 300},
	"holder-suspended": {leased: true, named: []string{`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 300},
	"lease-lost":       {leased: true, named: []string{`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 1},
	"forget-asked":     {named: []string{`"event":"forgotten"`}, most: 300, needs: (*planSetting).erasable},
	"flood-paused":     {named: []string{tooMany}, endings: []ending{manyRefused, paused}, most: 1},
	"secret-replaced":  {named: []string{`"event":"credentials_renewed"`}, most: 1, needs: func(w *planSetting) bool { return w.Secured }},
	"deliver-killed":   {named: []string{deliveryStarted}, most: 300, needs: func(w *planSetting) bool { return w.Delivered }},
	"old-state":        {stopped: true, endings: []ending{behind, foreignLetters}, named: []string{started, "state is behind"}, most: 1},
	"spoil-state": {stopped: true, endings: []ending{stateDamaged, behind, foreignLetters}, most: 1,
		named: []string{"the state is damaged", "state is behind"}},
	"spoil-newest": {stopped: true, endings: []ending{releaseDamaged}, most: 1,
		named: []string{"published files are damaged", "differs from its rendering"}},
	"spoil-older": {stopped: true, endings: []ending{releaseDamaged}, most: 1,
		named: []string{`"event":"release_damaged"`, "published files are damaged"}},
}

// kinds are the faults of both kinds of plans.
var kinds = func() map[string]kind {
	all := maps.Clone(insideKinds)
	maps.Copy(all, unionKinds)
	for name, k := range realKinds {
		k.real = true
		all[name] = k
	}
	return all
}()

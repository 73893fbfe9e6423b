package chaos

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
)

// limited is the configuration of a run: with the limits that its faults set to the state.
func (w *inside) limited(live bool, a *armed) *config.Config {
	c := *w.config
	limit := func(f *fault) int64 { return int64(max(leastState, len(w.newestImage())/2) + f.N<<12) }
	if f := a.find("quota-ends"); f != nil {
		c.State.MaxBytes, c.State.OnFull = limit(f), config.StopWhenFull
	}
	if f := a.find("quota-pauses"); f != nil && live {
		c.State.MaxBytes, c.State.OnFull = limit(f), config.PauseWhenFull
	}
	return &c
}

// leastState is nearly what an empty state needs.
const leastState = 28 << 10

// relief raises the limit of a state, as an operator does by a reload, as soon as the log
// says that it is reached.
type relief struct {
	w       *inside
	fault   *fault // nil: there is no such limit
	from    int    // in the log
	reloads chan os.Signal
}

func (w *inside) newRelief(a *armed) *relief {
	return &relief{w, a.find("quota-pauses"), w.log.Len(), make(chan os.Signal, 1)}
}

// load is how the daemon reads its configuration again.
func (r *relief) load() (*config.Config, error) {
	next := *r.w.config
	return &next, nil
}

func (r *relief) look() {
	if r.fault != nil && !r.fault.took && strings.Contains(r.w.log.String()[r.from:], quotaReached) {
		r.fault.take(r.from)
		r.reloads <- syscall.SIGHUP
	}
}

const (
	quotaReached = `"event":"quota_reached"`
	tooMany      = `"event":"too_many_refused"`
)

// tell notes which limits a run has come to, as its end or its log say.
func (w *inside) tell(err error, a *armed, p *played, from int) {
	for _, do := range []string{"quota-ends", "quota-pauses"} { // the latter before the loop runs, which could pause
		if f := a.find(do); f != nil && errors.Is(err, incremental.ErrQuota) {
			f.take(from)
		}
	}
	if !errors.Is(err, ingest.ErrManyRefused) && !strings.Contains(w.log.String()[from:], tooMany) {
		return
	}
	for _, f := range p.faults { // a run may have died in the midst of a flood
		if f.Do == "flood" {
			f.take(from)
		}
	}
}

// acceptRefused is what an operator does who finds that the refused records are as they
// should be: dead_letter.max_share is raised. A start has not to pause any more.
func (w *inside) acceptRefused() error {
	w.config.DeadLetter.MaxShare = 1
	return w.removePause()
}

// pauseFile is what keeps a daemon paused over restarts.
func (s *site) pauseFile() string { return s.path("state/paused") }

func (s *site) removePause() error {
	err := os.Remove(s.pauseFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// flooded is how many records a flood has: more than anond judges together.
const flooded = 1100

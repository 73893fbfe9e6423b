// Package duty is a process at work, the daemon or a command that works for long: what it does, whether it makes progress, what it
// has logged, and the file in which programs read its status.
//
// Guarantee: a process that makes no progress within the time that it has said a step may take is not healthy, and one that waits
// for others is. What is remembered of the log is bounded.
package duty

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"anond/internal/clock"
	"anond/internal/disk"
)

// Duty is a process at work, the daemon or a command that works for long: anond union, anond repartition and
// anond-deliver. It is healthy while what it does makes progress within the time that it has said it may take; what waits
// for others may take any time. Its methods may be called by several goroutines.
type Duty struct {
	*eventRecorder
	Version string
	Began   time.Time
	clock   clock.Clock

	mu       sync.Mutex
	doing    string // empty: it waits
	since    time.Time
	patience time.Duration // that doing may take; 0: any time
	phase    Phase
}

// NewDuty begins a duty.
func NewDuty(version string, clock clock.Clock) *Duty {
	return &Duty{eventRecorder: &eventRecorder{}, Version: version, Began: clock.Now(), clock: clock, phase: Running}
}

// Does notes that something begins, and how long it may take before the command counts as stuck.
// What is empty and may take any time is a wait.
func (d *Duty) Does(what string, patience time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doing, d.patience, d.since = what, patience, d.clock.Now()
}

// Ends notes that the work is over.
func (d *Duty) Ends() { d.Enter(Ending) }

// Enter notes a phase; nothing is done then.
func (d *Duty) Enter(p Phase) {
	d.Does("", 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.phase = p
}

// Phase is what the process does.
func (d *Duty) Phase() Phase {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.phase
}

// Doing is what is done; empty: it waits.
func (d *Duty) Doing() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.doing
}

// Live reports whether the work makes progress, and why not.
func (d *Duty) Live() (ok bool, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	silent := d.clock.Now().Sub(d.since)
	if d.patience == 0 || silent <= d.patience {
		return true, ""
	}
	return false, fmt.Sprintf("%s has made no progress for %s", d.doing, silent.Round(time.Second))
}

// Sight is how a process stands, as far as its service manager has to know.
type Sight struct {
	Up      bool   // what can fail at a start has succeeded
	Live    bool   // it makes progress, or waits
	Working bool   // a stop still has to finish something
	Status  string // one line for people
}

// Sight is what the service manager hears of a command. Whatever can fail at a start
// has succeeded when there is a Duty.
func (d *Duty) Sight(line string) Sight {
	live, _ := d.Live()
	d.mu.Lock()
	defer d.mu.Unlock()
	return Sight{Up: true, Live: live, Working: d.doing != "", Status: line}
}

// Phase says what the process does when there is no loop.
type Phase string

// The phases.
const (
	Opening Phase = "opening" // the state is opened and loaded
	Standby Phase = "standby" // another member of the group has the lease
	Running Phase = "running" // there are reports
	Ending  Phase = "ending"  // the loop has ended, what was opened is closed
)

// Part is a part of a process on which its work depends.
type Part struct {
	Name  string `json:"name"`
	Ready bool   `json:"ready"`
	State string `json:"state"`
}

// Watch takes the status that look gives each second, until the function that it returns is
// called. Where path is not empty it is written there, for programs.
func Watch[S any](d *Duty, path string, log *slog.Logger, look func(now time.Time) S, to *atomic.Pointer[S]) (end func()) {
	ctx, stop := context.WithCancel(context.Background())
	file := &StatusFile{Path: path, Log: log}
	take := func() {
		s := look(d.clock.Now())
		to.Store(&s)
		file.Write(s)
	}
	take()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticks, stopTicks := d.clock.Ticker(time.Second)
		defer stopTicks()
		for {
			select {
			case <-ticks:
				take()
			case <-ctx.Done():
				take()
				return
			}
		}
	}()
	return func() { stop(); <-ended }
}

// StatusFile is where programs read the newest status; an empty path is nowhere. It is not synced: after a power failure it is
// written again within a second.
type StatusFile struct {
	Path   string
	Log    *slog.Logger
	failed bool
}

// Write replaces the file in one step, so that a reader never sees half. That it cannot be written is logged once.
func (f *StatusFile) Write(status any) {
	if f.Path == "" {
		return
	}
	if err := disk.ReplaceJSON(f.Path, status); err != nil && !f.failed {
		f.failed = true
		f.Log.Warn("the status file cannot be written", "event", "status_failed", "error", err.Error())
	}
}

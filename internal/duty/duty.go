// Package duty keeps how a command stands that works for long and is not the daemon: anond
// union, anond repartition and anond-deliver.
//
// Guarantee: all surfaces (status file and page, metrics, health, the service manager) take one
// status at a time, so that no figure of one contradicts another. It is healthy while what it
// does makes progress within the time that it has said it may take; what waits for others may
// take any time. A status has counts, places and times; no value of a person enters it (rule
// V, values).
//
// Method: the command says with Does what it begins. Watch asks it once a second for its
// status, and keeps that.
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
	"anond/internal/ops/monitor"
	"anond/internal/ops/notify"
)

// Duty is one command at work. Its methods may be called by several goroutines.
type Duty struct {
	*monitor.Recorder
	Version string
	Began   time.Time
	clock   clock.Clock

	mu       sync.Mutex
	doing    string // empty: it waits
	since    time.Time
	patience time.Duration // that doing may take; 0: any time
	phase    monitor.Phase
}

// New begins a duty.
func New(version string, clock clock.Clock) *Duty {
	return &Duty{Recorder: monitor.NewRecorder(), Version: version, Began: clock.Now(), clock: clock, phase: monitor.Running}
}

// Does notes that something begins, and how long it may take before the command counts as stuck.
// What is empty and may take any time is a wait.
func (d *Duty) Does(what string, patience time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doing, d.patience, d.since = what, patience, d.clock.Now()
}

// Ends notes that the work is over.
func (d *Duty) Ends() {
	d.Does("", 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.phase = monitor.Ending
}

// Phase is running or ending.
func (d *Duty) Phase() monitor.Phase {
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

// Sight is what the service manager hears, with a line for people. Whatever can fail at a start
// has succeeded when there is a Duty.
func (d *Duty) Sight(line string) notify.Sight {
	live, _ := d.Live()
	d.mu.Lock()
	defer d.mu.Unlock()
	return notify.Sight{Up: true, Live: live, Working: d.doing != "", Status: line}
}

// Watch takes the status that look gives each second, until the function that it returns is
// called. Where path is not empty it is written there, for programs.
func Watch[S any](d *Duty, path string, log *slog.Logger, look func(now time.Time) S, to *atomic.Pointer[S]) (end func()) {
	ctx, stop := context.WithCancel(context.Background())
	failed := false
	take := func() {
		s := look(d.clock.Now())
		to.Store(&s)
		if path == "" {
			return
		}
		if err := disk.ReplaceJSON(path, s); err != nil && !failed {
			failed = true
			log.Warn("the status file cannot be written", "event", "status_failed", "error", err.Error())
		}
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

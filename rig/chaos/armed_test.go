package chaos

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"

	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
)

// What each access to a disk, and each chunk, takes in a bubble. No two of them end in the same instant: each has all that
// follows from it happen before the next one ends, so that the order of goroutines does not depend on the scheduler.
const (
	lookTakes     = 1_009 * time.Nanosecond
	effectTakes   = 10_007 * time.Nanosecond
	commitTakes   = 100_003 * time.Nanosecond
	readTakes     = 300_007 * time.Nanosecond
	deliveryTakes = 700_001 * time.Nanosecond
)

func (a *armed) wait(d time.Duration) { time.Sleep(d) }

// waitFor is wait for what a stop may interrupt.
func waitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// errKilled is what everything answers after the process has died.
var errKilled = errors.New("killed")

// armed are the faults of one run. It counts what the run does and lets each fault
// take effect at its moment. Once the process is dead, nothing changes any more.
type armed struct {
	mu      sync.Mutex
	faults  []*fault
	mark    func() int // where the log is
	dead    bool
	cut     *fault // the power was cut, too
	torn    bool   // within a commit
	away    *fault // the sink of dead letters has failed since this one
	settled bool   // a run that goes on has done all that there was to do, some ticks ago
	count   map[string]int
	begun   func() bool  // the run looks at its clock: it has done what comes before its loop, such as following a journal
	aside   func() error // what a union does that overtakes this one
	trace   *trace
	step    string              // that is being taken
	written string              // the file that was written last
	turn    func(time.Duration) // sets the clock
}

func arm(faults []*fault, mark func() int, t *trace) *armed {
	return &armed{faults: faults, mark: mark, trace: t, count: map[string]int{}, begun: func() bool { return true }}
}

// at counts one of something, and returns the faults of the kinds whose turn it is.
func (a *armed) at(what string, kinds ...string) (due []*fault) {
	a.count[what]++
	for _, f := range a.faults {
		for _, k := range kinds {
			n := a.count[what]
			if f.At != "" {
				n = a.count[a.step]
			}
			if f.Do == k && (f.At == "" || f.At == a.step) && n >= f.N && n < f.N+f.times() {
				f.take(a.mark())
				a.trace.struck(a.step, f.Do)
				due = append(due, f)
			}
		}
	}
	return due
}

// times is how often a fault happens.
func (f *fault) times() int {
	switch f.Do {
	case "fail-write", "fail-sync":
		return 1 + int(f.Draw%8)
	case "sink-away":
		return 1 + int(f.Draw%3)
	}
	return 1
}

// kill is the end of the process.
func (a *armed) kill(cut *fault) error {
	a.dead, a.cut = true, cut
	return errKilled
}

// broken are the errors of a broken or full disk.
var broken = []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES}

// effect is asked before each change of the releases' disk.
func (a *armed) effect(op, path string) error {
	a.wait(effectTakes)
	if err := a.overtaken(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return errKilled
	}
	a.takes(stepOf(op, path), op, path)
	if op == "write" && path == a.written { // the rest of a file is no step of its own
		return nil
	}
	a.written = ""
	if op == "write" {
		a.written = path
	}
	due := a.at("effect", "kill-effect", "cut-effect", "fail-write", "union-killed", "union-cut", "union-fails")
	if op == "sync" {
		due = append(due, a.at("sync", "fail-sync")...)
	}
	if strings.Contains(path, "pruned") {
		due = append(due, a.at("prune", "kill-prune", "cut-prune")...)
	}
	for _, f := range due {
		switch f.Do {
		case "kill-effect", "kill-prune", "union-killed":
			return a.kill(nil)
		case "cut-effect", "cut-prune", "union-cut":
			return a.kill(f)
		default:
			return &fs.PathError{Op: op, Path: path, Err: broken[f.Draw/8%4]}
		}
	}
	return nil
}

// takes notes a step.
func (a *armed) takes(step string, words ...string) {
	a.step = step
	a.count[step]++
	a.trace.taken(step)
	a.trace.note(words...)
}

// overtaken has another union do its work first, if that is due.
func (a *armed) overtaken() error {
	a.mu.Lock()
	due := !a.dead && len(a.at("change", "union-overtaken")) > 0
	a.mu.Unlock()
	if !due {
		return nil
	}
	return a.aside()
}

// lies reports whether a sync of the releases' disk is one in name only. That takes
// effect when the power is cut.
func (a *armed) lies(path string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.faults {
		if f.Do == "lie-releases" && a.count["effect"] >= f.N {
			a.trace.struck(stepOf("sync", path), f.Do)
			return true
		}
	}
	return false
}

// spoil flips a bit of what is written of a rendering.
func (a *armed) spoil(path string, data []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !strings.Contains(path, ".tmp-0") || len(data) == 0 || a.dead {
		return data
	}
	for _, f := range a.at("rendered", "flip-render") {
		data = flipped(data, f.Draw)
	}
	return data
}

// before and after are asked around each commit.
func (a *armed) before(d *state.Delta) error {
	a.wait(commitTakes)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return errKilled
	}
	a.takes(commitOf(d), "commit")
	due := []string{"kill-before-commit", "full-state", "cut-commit"}
	if a.begun() {
		due = append(due, "clock-leaps", "clock-falls")
	}
	for _, f := range a.at("commit", due...) {
		switch f.Do {
		case "clock-leaps", "clock-falls":
			a.setClock(f)
		case "kill-before-commit":
			return a.kill(nil)
		case "full-state":
			return fmt.Errorf("%w: %w", state.ErrNoSpace, syscall.ENOSPC)
		default:
			a.torn = true
			return a.kill(f)
		}
	}
	return nil
}

func (a *armed) after(d *state.Delta) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = commitOf(d)
	if len(a.at("committed", "kill-after-commit")) > 0 {
		return a.kill(nil)
	}
	return nil
}

// claiming is the ledger of subjects, on which the armed faults take effect.
type claiming struct {
	ingest.Owners
	armed *armed
}

func (c *claiming) Claim(ctx context.Context, people []state.Person) ([]bool, error) {
	if err := c.armed.dies("claims: made", "claim", "kill-claim"); err != nil {
		return nil, err
	}
	return c.Owners.Claim(ctx, people)
}

func (c *claiming) BeforeCommit(m *incremental.Machine) error {
	if err := c.armed.dies("claims: durable", "claim", "kill-claim"); err != nil {
		return err
	}
	return c.Owners.BeforeCommit(m)
}

// dies is asked before a step at which a process may die, and nothing else.
func (a *armed) dies(step, what, kind string) error {
	a.wait(commitTakes)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return errKilled
	}
	a.takes(step, what)
	if len(a.at(what, kind)) > 0 {
		return a.kill(nil)
	}
	return nil
}

// forgetting is asked between the steps of an erasure, and of a removal.
func (a *armed) forgetting(step string) error {
	if strings.HasPrefix(step, "remov") {
		return a.dies("removal: "+step, "removal", "kill-removal")
	}
	return a.dies("erasure: "+step, "forget", "kill-forget")
}

// find is the fault of a kind; nil: there is none.
func (a *armed) find(do string) *fault {
	for _, f := range a.faults {
		if f.Do == do {
			return f
		}
	}
	return nil
}

// read is asked before each chunk. ahead: whoever reads may need it, or not.
func (a *armed) read(ahead bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return errKilled
	}
	due := a.at("chunk", "source-fails")
	for _, f := range due {
		f.ahead = ahead
	}
	if len(due) > 0 {
		return errSource
	}
	return nil
}

// deliver is asked before each delivery of dead letters.
func (a *armed) deliver() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return errKilled
	}
	a.takes("letters: delivered", "letters")
	due := a.at("delivery", "sink-away", "kill-delivery")
	for _, f := range due {
		if f.Do == "kill-delivery" {
			return a.kill(nil)
		}
	}
	if len(due) == 0 {
		a.away = nil
		return nil
	}
	if a.away == nil {
		a.away = due[0]
	}
	for _, f := range due { // the log tells an outage when it begins, and then at growing intervals
		f.since = min(f.since, a.away.since)
	}
	return fmt.Errorf("the sink is away: %w", syscall.EIO)
}

// delivered is asked behind each delivery.
func (a *armed) delivered() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = "letters: delivered"
	if len(a.at("delivered", "kill-behind-delivery")) > 0 {
		return a.kill(nil)
	}
	return nil
}

// died reports whether the process is dead.
func (a *armed) died() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.dead
}

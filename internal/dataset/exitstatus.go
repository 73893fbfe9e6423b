package dataset

import (
	"anond/incremental/state"
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/fault"
	"anond/internal/ops/duty"
)

// Ended says in status.json how the process ended that wrote it, or a later one that could
// not start. A process that was killed, or crashed, leaves none.
type Ended struct {
	At  time.Time `json:"at"`
	PID int       `json:"pid"`
	How how       `json:"how"`
	// Signal is the name of the signal that stopped it; empty: none did.
	Signal   string `json:"signal,omitempty"`
	ExitCode int    `json:"exit_code"`
	Error    string `json:"error,omitempty"` // as it was printed; it has no person's value (rule V, values)
}

// how says in a word how a process ended.
type how string

// The ways.
const (
	EndStopped how = "stopped"      // it was told to
	EndSource  how = "source_ended" // and all that could be published was
	EndFailed  how = "failed"
	EndLease   how = "lease_lost" // another member of the group publishes; this one stands by
)

// Signalled is the cause of a context that a signal has ended. It counts as context.Canceled.
type Signalled struct{ Name string }

func (s *Signalled) Error() string { return "stopped by " + s.Name }

// Is implements errors.Is.
func (s *Signalled) Is(other error) bool { return other == context.Canceled }

// NoteEnd completes the status with how this process ended. A status that another process goes
// on to write is left alone.
func NoteEnd(ctx context.Context, c *config.Config, o Options, err error) {
	if errors.Is(err, state.ErrLocked) {
		return // the state is another process's, and so is the status
	}
	path := StatusPath(c)
	s, unread := ReadStatus(path)
	if unread != nil || s == nil {
		return // nobody has shown anything yet
	}
	if s.PID != os.Getpid() && !failedStart(c, err) {
		return
	}
	s.Ended = endOf(ctx, o, err)
	s.Doing, s.Since, s.Progress, s.Rendering, s.Releasing, s.NextRelease = "", nil, nil, nil, 0, nil
	s.Connected, s.Stalled = false, false
	(&duty.StatusFile{Path: path, Log: o.Log}).Write(s)
}

// failedStart reports whether a process has failed next to whose state there is no other.
func failedStart(c *config.Config, err error) bool {
	return err != nil && !errors.Is(err, ErrLeaseLost) && !boltstore.Held(c.State.Path)
}

func endOf(ctx context.Context, o Options, err error) *Ended {
	e := &Ended{At: o.Clock.Now().UTC(), PID: os.Getpid(), How: EndSource}
	switch {
	case errors.Is(err, ErrLeaseLost):
		e.How = EndLease
	case err != nil:
		kind, _ := fault.Of(err)
		e.How, e.Error, e.ExitCode = EndFailed, err.Error(), int(kind)
	case ctx.Err() != nil:
		e.How = EndStopped
	}
	var by *Signalled
	if errors.As(context.Cause(ctx), &by) {
		e.Signal = by.Name
	}
	return e
}

// ReadStatus reads a status file; nil: there is none.
func ReadStatus(path string) (*Status, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(Status)
	return s, json.Unmarshal(data, s)
}

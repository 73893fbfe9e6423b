package main

import (
	"anond/incremental/state"
	"errors"
	"fmt"
	"time"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
)

// stateInfo is what `state info` shows: of the file if no process holds it, and
// of the daemon's status file.
type stateInfo struct {
	Path   string                 `json:"path"`
	Held   bool                   `json:"held"`              // by a running process
	HeldBy int                    `json:"held_by,omitempty"` // its pid, if the system provides it
	Note   string                 `json:"note,omitempty"`    // how far the status can be trusted
	File   *boltstore.Information `json:"file,omitempty"`
	Status *dataset.Status        `json:"status,omitempty"`
}

// freshFor is how old the status of a running daemon may be: it writes one each
// second.
const freshFor = 10 * time.Second

func readStateInfo(cfg *config.Config, options boltstore.Options, now time.Time) (*stateInfo, error) {
	info := &stateInfo{Path: cfg.State.Path}
	file, err := boltstore.Info(cfg.State.Path, options)
	switch {
	case err == nil:
		info.File = &file
	case errors.Is(err, state.ErrLocked):
		info.Held, info.HeldBy = true, boltstore.Holder(cfg.State.Path)
	default:
		return nil, err
	}
	if info.Status, err = readStatus(dataset.StatusPath(cfg)); err != nil {
		return nil, err
	}
	info.Note = info.note(now)
	return info, nil
}

func readStatus(path string) (*dataset.Status, error) {
	s, err := dataset.ReadStatus(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// note says whether the status is current: it outlives the process that wrote it.
func (i *stateInfo) note(now time.Time) string {
	s := i.Status
	switch {
	case !i.Held && s == nil:
		return ""
	case !i.Held:
		return "no process holds the state; the status is from the last process"
	case s == nil:
		return "a process holds the state and has not written a status yet: it is loading the state, or is not a daemon"
	case i.HeldBy != 0 && s.PID != i.HeldBy:
		return "a process holds the state and has not written a status yet; this status is from an earlier process"
	case now.Sub(s.Time) > freshFor:
		return "a process holds the state, but its status is old: it does not respond, or is not a daemon"
	}
	return ""
}

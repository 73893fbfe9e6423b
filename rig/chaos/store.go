package chaos

import (
	"context"

	"anond/incremental"
	"anond/ingest"
)

// store is the state, on which the armed faults take effect. It keeps what the file
// holds after each commit.
type store struct {
	incremental.Store
	armed *armed
	note  func() error // the file has changed
}

func (s *store) Commit(d *incremental.Delta) error {
	err := s.armed.before()
	if err != nil && !s.armed.tears() {
		return err
	}
	if err := s.Store.Commit(d); err != nil {
		return err
	}
	if err := s.note(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return s.armed.after()
}

// tears reports whether the power is cut within this commit: its pages are written
// then, and some of them are lost.
func (a *armed) tears() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.torn || a.count["torn"] > 0 {
		return false
	}
	a.count["torn"]++
	return true
}

// sink is where dead letters go.
type sink struct {
	ingest.DeadLetters
	armed *armed
}

func (s *sink) Deliver(ctx context.Context, letters []incremental.DeadLetter) error {
	if err := s.armed.deliver(); err != nil {
		return err
	}
	return s.DeadLetters.Deliver(ctx, letters)
}

// Package memstore is state.Store in memory, for tests and experiments.
//
// Guarantee: the contract of state.Store, as package storetest checks it: a
// delta is kept whole or not at all, and nothing that a caller changes later changes
// what was committed. Nothing survives the process.
//
// Method: deep copies of what is committed; the same Guard as in every store judges
// each delta first.
//
// Difference from boltstore: no file and no format; besides, a test may make the nth
// commit fail (FailAt), end the store as a dying process would and open what that
// leaves (Crash), or copy it (Clone).
//
// Cost: the memory of all records, uncompressed, and of a copy of what is loaded.
//
// Source: none; it is the plain reading of the contract.
package memstore

import (
	"errors"
	"fmt"
	"sync"

	"anond/incremental/erase"
	"anond/incremental/state"
)

// ErrClosed: the store was closed, or ended by Crash.
var ErrClosed = errors.New("the store is closed")

// Store keeps deep copies of what it is given, so that no caller can change
// committed state afterwards, and returns copies.
type Store struct {
	mu     sync.Mutex // Outbox may run concurrently with the owner
	held   content
	closed bool
	fails  map[int]error // by commits still to come, 1 = the next
}

var _ state.Store = (*Store)(nil)

// New returns a fresh store.
func New() *Store { return &Store{fails: map[int]error{}} }

// FailAt makes the nth commit from now (1 = the next) return err and keep nothing.
func (s *Store) FailAt(n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails[n] = err
}

// Clone returns an independent store with the same committed content.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{held: s.held.clone(), fails: map[int]error{}}
}

// Forget returns an independent store with what is left after people were forgotten.
func (s *Store) Forget(e *erase.Erasure) *Store {
	out := s.Clone()
	if err := out.held.forget(e); err != nil {
		panic("memstore: " + err.Error()) // a store of tests
	}
	return out
}

// ForgetInPlace lets this store forget people, as a store of a running daemon does.
func (s *Store) ForgetInPlace(e *erase.Erasure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.fault(); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return s.held.forget(e)
}

// Remove lets this store lose people who have left the releases, as a store of a running daemon does.
func (s *Store) Remove(r *erase.Removal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.fault(); err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return s.held.remove(r)
}

// Crash ends the store, as a dying process does, and returns what a new
// process would open: all that was committed, nothing else.
func (s *Store) Crash() *Store {
	left := s.Clone()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return left
}

// Close ends the use of this store; Crash and Clone still reach its content.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// Commit implements state.Store.
func (s *Store) Commit(d *state.Delta) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.fault(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if err := s.held.guard.Check(d); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	s.held.apply(d)
	return nil
}

// fault counts a commit down and returns the failure that waits for it.
func (s *Store) fault() error {
	left := make(map[int]error, len(s.fails))
	for n, err := range s.fails {
		if n > 1 {
			left[n-1] = err
		}
	}
	err := s.fails[1]
	s.fails = left
	return err
}

// Outbox implements state.Store.
func (s *Store) Outbox(after uint64, limit, maxBytes int) ([]state.DeadLetter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	var out []state.DeadLetter
	for _, l := range s.held.letters {
		if l.Seq <= after {
			continue
		}
		if maxBytes -= l.Bytes(); len(out) == limit || maxBytes < 0 && len(out) > 0 {
			break
		}
		out = append(out, cloneLetter(l))
	}
	return out, nil
}

// Load implements state.Store.
func (s *Store) Load(v state.Visitor) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	c := s.held.clone() // the visitor keeps what it receives
	s.mu.Unlock()
	for _, part := range []func(state.Visitor) error{c.loadHead, c.loadRecords, c.loadClasses, c.loadTail} {
		if err := part(v); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	return nil
}

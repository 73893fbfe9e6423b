// Package memstore is incremental.Store in memory, for tests and experiments.
//
// Guarantee: the contract of incremental.Store, as package storetest checks it: a
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
	"maps"
	"slices"
	"sync"

	"anond/equivclass"
	"anond/incremental"
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

type content struct {
	guard      incremental.Guard
	meta       *incremental.Meta
	counters   *incremental.Counters
	dictionary []incremental.DictionaryEntry
	records    []*incremental.RecordBlock
	classes    []*incremental.Class
	intents    []incremental.Intent
	positions  []incremental.PartitionPosition
	quarantine [][]incremental.RecordID // a list a commit
	letters    []incremental.DeadLetter
}

var _ incremental.Store = (*Store)(nil)

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

// Commit implements incremental.Store.
func (s *Store) Commit(d *incremental.Delta) error {
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

func (c *content) apply(d *incremental.Delta) {
	c.guard.Apply(d)
	if d.Meta != nil {
		c.meta = cloneMeta(d.Meta)
	}
	if d.Counters != nil {
		c.counters = cloneCounters(d.Counters)
	}
	c.dictionary = append(c.dictionary, d.Dictionary...)
	for _, b := range d.Records {
		c.records = append(c.records, cloneBlock(b))
	}
	for _, p := range d.Positions {
		c.setPosition(p)
	}
	for _, b := range d.Births {
		c.classes = append(c.classes, cloneClass(b))
	}
	for _, id := range d.DeclaredPure {
		c.classes[id].Regime = incremental.Pure
	}
	for _, x := range d.Deaths {
		c.classes[x.ID].Died = x.Release
	}
	if d.Intent != nil {
		c.setIntent(*d.Intent)
	}
	if len(d.Quarantined) > 0 {
		c.quarantine = append(c.quarantine, slices.Clone(d.Quarantined))
	}
	for i := range d.DeadLetters {
		c.letters = append(c.letters, cloneLetter(d.DeadLetters[i]))
	}
	c.letters = slices.DeleteFunc(c.letters, func(l incremental.DeadLetter) bool { return l.Seq <= d.Delivered })
}

func (c *content) setPosition(p incremental.PartitionPosition) {
	for i := range c.positions {
		if c.positions[i].Partition == p.Partition {
			c.positions[i] = p
			return
		}
	}
	c.positions = append(c.positions, p)
	slices.SortFunc(c.positions, func(a, b incremental.PartitionPosition) int {
		return int(a.Position.Number) - int(b.Position.Number)
	})
}

func (c *content) setIntent(x incremental.Intent) {
	i, found := slices.BinarySearchFunc(c.intents, x, func(a, b incremental.Intent) int { return int(int64(a.Release) - int64(b.Release)) })
	if found {
		c.intents[i] = x
		return
	}
	c.intents = slices.Insert(c.intents, i, x)
}

// Outbox implements incremental.Store.
func (s *Store) Outbox(after uint64, limit, maxBytes int) ([]incremental.DeadLetter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	var out []incremental.DeadLetter
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

// Load implements incremental.Store.
func (s *Store) Load(v incremental.Visitor) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	c := s.held.clone() // the visitor keeps what it receives
	s.mu.Unlock()
	for _, part := range []func(incremental.Visitor) error{c.loadHead, c.loadRecords, c.loadClasses, c.loadTail} {
		if err := part(v); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	return nil
}

func (c *content) loadHead(v incremental.Visitor) error {
	if c.meta != nil {
		if err := v.Meta(*c.meta); err != nil {
			return err
		}
	}
	if c.counters != nil {
		if err := v.Counters(*c.counters); err != nil {
			return err
		}
	}
	for _, e := range c.dictionary {
		if err := v.Dictionary(e.Attribute, e.Text); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) loadRecords(v incremental.Visitor) error {
	for _, b := range c.records {
		if err := v.Records(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) loadClasses(v incremental.Visitor) error {
	for _, x := range c.classes {
		if err := v.Class(x); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) loadTail(v incremental.Visitor) error {
	for i := range c.intents {
		if err := v.Intent(&c.intents[i]); err != nil {
			return err
		}
	}
	for _, p := range c.positions {
		if err := v.Position(p.Partition, p.Position); err != nil {
			return err
		}
	}
	for _, list := range c.quarantine {
		if err := v.Quarantined(list); err != nil {
			return err
		}
	}
	if c.guard.Letter == 0 {
		return nil
	}
	return v.Outbox(c.guard.Letter, len(c.letters))
}

func (c *content) clone() content {
	out := content{guard: c.guard.Clone(), dictionary: slices.Clone(c.dictionary), intents: slices.Clone(c.intents),
		positions: slices.Clone(c.positions)}
	if c.meta != nil {
		out.meta = cloneMeta(c.meta)
	}
	if c.counters != nil {
		out.counters = cloneCounters(c.counters)
	}
	for _, b := range c.records {
		out.records = append(out.records, cloneBlock(b))
	}
	for _, x := range c.classes {
		out.classes = append(out.classes, cloneClass(x))
	}
	for _, list := range c.quarantine {
		out.quarantine = append(out.quarantine, slices.Clone(list))
	}
	for _, l := range c.letters {
		out.letters = append(out.letters, cloneLetter(l))
	}
	return out
}

func cloneMeta(m *incremental.Meta) *incremental.Meta {
	out := *m
	out.Settings, out.InitialEnds = maps.Clone(m.Settings), maps.Clone(m.InitialEnds)
	out.References = maps.Clone(m.References)
	for a, counts := range out.References {
		out.References[a] = slices.Clone(counts)
	}
	out.Read, out.Hierarchies = maps.Clone(m.Read), maps.Clone(m.Hierarchies)
	for a, versions := range out.Hierarchies {
		out.Hierarchies[a] = slices.Clone(versions)
	}
	return &out
}

func cloneCounters(c *incremental.Counters) *incremental.Counters {
	out := *c
	out.Refused, out.Ignored = maps.Clone(c.Refused), maps.Clone(c.Ignored)
	return &out
}

func cloneBlock(b *incremental.RecordBlock) *incremental.RecordBlock {
	out := *b
	out.Columns = make([][]equivclass.Code, len(b.Columns))
	for i := range b.Columns {
		out.Columns[i] = slices.Clone(b.Columns[i])
	}
	out.SA, out.Subject = slices.Clone(b.SA), slices.Clone(b.Subject)
	out.Origin, out.Offset = slices.Clone(b.Origin), slices.Clone(b.Offset)
	return &out
}

func cloneClass(c *incremental.Class) *incremental.Class {
	out := *c
	out.Members = slices.Clone(c.Members)
	return &out
}

func cloneLetter(l incremental.DeadLetter) incremental.DeadLetter {
	l.Payload = slices.Clone(l.Payload)
	return l
}

package dataset

import (
	"context"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/retry"
)

// StandIns let a test stand between the daemon and what it reads and writes: see
// package chaos. In operation all are nil.
type StandIns struct {
	Store       func(state.Store) state.Store               // around the opened state
	Source      func(ingest.Resume) (ingest.Source, error)  // in place of the configured source
	DeadLetters func(ingest.DeadLetters) ingest.DeadLetters // around the opened sink
	Sleep       func(context.Context, time.Duration) error  // between attempts
	Jitter      func() float64                              // of the waits between attempts
	Forgetting  func(step string) error                     // between the steps of an erasure, and around a removal
	Owners      func(ingest.Owners) ingest.Owners           // around the opened ledger of subjects
	Journal     *JournalStandIn                             // in place of the brokers of a journal; needs Source
}

// JournalStandIn is a journal, and the topic that is read again by it.
type JournalStandIn struct {
	Log        journalLog
	Partitions int // of the topic
	Open       ingest.OpenPartition
}

// journalLog is what a journal is written to (journal.Log).
type journalLog interface {
	Append(ctx context.Context, message []byte) error
	Next(ctx context.Context, from int64) (offset int64, message []byte, err error)
	Extent(ctx context.Context) (first, end int64, err error)
}

func (s *StandIns) AroundStore(opened state.Store) state.Store {
	if s.Store == nil {
		return opened
	}
	return s.Store(opened)
}

func (s *StandIns) AroundLetters(opened ingest.DeadLetters) ingest.DeadLetters {
	if s.DeadLetters == nil {
		return opened
	}
	return s.DeadLetters(opened)
}

func (s *StandIns) Retry() retry.Policy {
	r := reconnect()
	r.Sleep = s.Sleep
	if s.Jitter != nil {
		r.Rand = s.Jitter
	}
	return r
}

// source opens the source, or what stands in for it.
func (s *StandIns) source(ctx context.Context, c *config.Config, m *incremental.Machine, o Options, lease Lease) (ingest.Source, error) {
	if s.Source == nil {
		return openSource(ctx, c, m, o, lease)
	}
	return s.Source(resumeOf(m, o))
}

package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/ingest/journal"
)

// The end of an epoch whose state has a journal. Its last entry comes before all other steps: from then on no copy of the
// state, of any age and on any host, decides anything more. A closed state has no use for the journal: an erasure
// is as in a state without one, and the topic may be removed once all hosts have closed.

// journalEnd is the journal of a state that is being closed.
type journalEnd struct {
	once    *once
	journal *journal.Journal // nil: there is none, or the state is closed already
	ended   bool             // the entry is there
}

// openJournalEnd finds whether the journal of a state was closed. A state that does not hold all of it is refused.
func openJournalEnd(ctx context.Context, c *config.Config, o Options, store *boltstore.Store, m *incremental.Machine) (*journalEnd, error) {
	o.Once = true
	x := &journalEnd{once: &once{ctx: ctx, c: c}}
	closed, err := store.Closed()
	if err != nil || closed || !c.Shard.Journal.Set() {
		return x, err
	}
	if o.brokers, err = reachBrokers(ctx, c, o.Log); err != nil {
		return nil, err
	}
	x.once.o = o
	err = x.waiting(ctx, func(ctx context.Context) error {
		x.once.ctx = ctx
		if err := x.once.reachLog(); err != nil {
			return err
		}
		x.journal = journal.Open(x.once.log, journalKey(c), journalName(c), m.Journal(), rand.Reader)
		var err error
		x.ended, err = ingest.JournalEnded(ctx, m, x.journal)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	return x, nil
}

// waiting bounds how long brokers are waited for.
func (x *journalEnd) waiting(ctx context.Context, work func(context.Context) error) error {
	bounded, done := onceBound(ctx, x.once.o)
	defer done()
	return awayError(ctx, bounded, work(bounded))
}

// write ends the journal.
func (x *journalEnd) write(ctx context.Context, m *incremental.Machine) error {
	if x.journal == nil || x.ended {
		return nil
	}
	return x.waiting(ctx, func(ctx context.Context) error { return ingest.EndJournal(ctx, m, x.journal) })
}

func (x *journalEnd) close() error { return x.once.closers.close() }

// closedOrNotJournaled refuses to change a state whose journal has not ended.
func closedOrNotJournaled(c *config.Config, store *boltstore.Store) error {
	closed, err := store.Closed()
	if err != nil || closed {
		return err
	}
	return notJournaled(c)
}

// endedBefore is the error of a start on a state whose epoch is closed, as files say, and which could not be brought to
// its end.
func (r *once) endedBefore(err error) error {
	if r.ended == nil || errors.Is(err, incremental.ErrClosed) || r.ctx.Err() != nil {
		return err
	}
	return &ConfigError{fmt.Errorf("%w; and this copy of the state cannot be brought to where it was closed: %v", r.ended, err)}
}

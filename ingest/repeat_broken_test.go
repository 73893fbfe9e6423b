package ingest_test

import (
	"anond/incremental/state"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/shards/journal"
)

// changed is a journal that is kept wrongly.
type changed struct {
	journal.Entries
	mark    state.JournalMark
	written func(*journal.Entry) []*journal.Entry // in the place of an entry; none: it is not written
	read    func(*journal.Entry)
}

func (c *changed) Read(ctx context.Context) (e *journal.Entry, mark state.JournalMark, err error) {
	e, c.mark, err = c.Entries.Read(ctx)
	if e != nil && c.read != nil {
		c.read(e)
	}
	return e, c.mark, err
}

func (c *changed) Append(ctx context.Context, e *journal.Entry) (state.JournalMark, error) {
	entries := []*journal.Entry{e}
	if c.written != nil {
		entries = c.written(e)
	}
	for _, x := range entries {
		mark, err := c.Entries.Append(ctx, x)
		if err != nil {
			return mark, err
		}
		c.mark = mark
	}
	return c.mark, nil
}

// brokenJournals are ways to keep a journal from which another host cannot go on.
var brokenJournals = map[string]func(*dataset) *changed{
	"decisions are written after they were rendered": func(*dataset) *changed {
		var late []*journal.Entry
		return &changed{written: func(e *journal.Entry) []*journal.Entry {
			late = append(late, e)
			if e.Published == nil && e.Begin == nil && e.Genesis == nil && e.Ends == nil {
				return nil
			}
			all := late
			late = nil
			return all
		}}
	},
	"a tick is one of the clock": func(d *dataset) *changed {
		now := int64(1e12) + d.rng.Int64N(1e8)
		tick := func() int64 { now += 1000; return now }
		return &changed{read: func(e *journal.Entry) {
			switch {
			case e.Runs != nil:
				for i := range e.Runs.Runs {
					e.Runs.Runs[i].Tick = tick()
				}
			case e.Cut != nil:
				e.Cut.Now = tick()
			}
		}}
	},
	"the time of a cut is one of the clock": func(d *dataset) *changed {
		return &changed{read: func(e *journal.Entry) {
			if e.Cut != nil {
				e.Cut.Now += 30_000
				e.Cut.CreatedAt += 30
			}
		}}
	},
	"erasures are not written": func(*dataset) *changed {
		return &changed{written: func(e *journal.Entry) []*journal.Entry {
			if e.Erase != nil {
				return nil
			}
			return []*journal.Entry{e}
		}}
	},
	"a cut has no positions": func(*dataset) *changed {
		return &changed{written: func(e *journal.Entry) []*journal.Entry {
			if e.Runs != nil {
				return nil
			}
			return []*journal.Entry{e}
		}}
	},
	"positions have no order": func(*dataset) *changed {
		return &changed{written: func(e *journal.Entry) []*journal.Entry {
			if e.Runs != nil {
				slices.SortStableFunc(e.Runs.Runs, func(a, b journal.Run) int { return int(a.Partition - b.Partition) })
			}
			return []*journal.Entry{e}
		}}
	},
}

// TestBrokenJournalsAreCaught: each breaks the history of some seed.
func TestBrokenJournalsAreCaught(t *testing.T) {
	tier.NotShort(t, "it plays many histories")
	for name, broken := range brokenJournals {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				d := newDataset(t, seed, 300)
				d.broken = func(j journal.Entries, d *dataset) journal.Entries {
					c := broken(d)
					c.Entries = j
					return c
				}
				if _, _, err := d.history(); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			require.Fail(t, "no history was broken")
		})
	}
}

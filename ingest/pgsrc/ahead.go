package pgsrc

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync/atomic"

	"anond/incremental/state"
	"anond/ingest"
)

// ahead is a source of which a table is read first.
type ahead struct {
	ingest.Source // what follows
	table         *table
	over          atomic.Bool // the table was handed out
}

// ordered is ahead of a source that is ingest.Ordered.
type ordered struct {
	*ahead
	order ingest.Ordered
}

// Open returns a source that hands out the rows of a table and then what the source has that follow opens. A table that
// state has read is left alone: what follow opens is all. Both are reached at once, so that the first load ends where both
// end now.
func Open(ctx context.Context, cfg Config, resume ingest.Resume, follow func(ingest.Resume) (ingest.Source, error)) (ingest.Source, error) {
	at, begun := resume.Positions[Partition]
	resume.Positions = maps.Clone(resume.Positions)
	delete(resume.Positions, Partition)
	t := &table{cfg: cfg, from: at.Next, witness: resume.Digest([]byte(cfg.Query + "\x00" + cfg.OrderBy))}
	switch {
	case !begun && len(resume.Positions) > 0:
		return nil, ErrLate
	case begun && at.Digest != (state.Digest{}) && at.Digest != t.witness:
		return nil, ErrOther
	case begun && at.Next == end:
		return follow(resume)
	}
	if cfg.connect == nil {
		s, err := newServer(cfg)
		if err != nil {
			return nil, err
		}
		t.cfg.connect = s.from
	}
	feed, err := follow(resume)
	if err != nil {
		return nil, err
	}
	if err := t.open(ctx); err != nil { // last: its transaction lasts until it is read
		return nil, errors.Join(err, feed.Close())
	}
	a := &ahead{Source: feed, table: t}
	if o, is := feed.(ingest.Ordered); is {
		return &ordered{a, o}, nil
	}
	return a, nil
}

// Next implements ingest.Source.
func (a *ahead) Next(ctx context.Context) (*ingest.Chunk, error) {
	if !a.over.Load() {
		c, err := a.table.next(ctx)
		if !errors.Is(err, io.EOF) {
			return c, err
		}
		a.over.Store(true)
	}
	return a.Source.Next(ctx)
}

// Ends implements ingest.Source.
func (a *ahead) Ends(ctx context.Context) (map[state.Partition]int64, error) {
	ends, err := a.Source.Ends(ctx)
	if ends != nil && !a.over.Load() {
		ends = maps.Clone(ends)
		ends[Partition] = end
	}
	return ends, err
}

// Ack implements ingest.Source. It tells once that the state has all rows.
func (a *ahead) Ack(positions map[state.Partition]int64) {
	if positions[Partition] == end {
		a.table.cfg.Log.Info("all rows of initial.source are taken in: its query is not run again", "event", "initial_source_read",
			"rows", a.table.rows)
	}
	feed := maps.Clone(positions)
	delete(feed, Partition)
	a.Source.Ack(feed)
}

// Status implements ingest.Source. While the table is read, nobody waits for the feed.
func (a *ahead) Status() ingest.Status {
	s := a.Source.Status()
	if a.over.Load() {
		return s
	}
	s.Stalled = false
	s.Partitions = append([]ingest.PartitionStatus{{Partition: Partition, End: -1, Whole: true}}, s.Partitions...)
	if trouble := a.table.problem(); trouble != "" {
		s.Connected, s.Trouble = false, "initial.source: "+trouble
	}
	return s
}

// Close implements ingest.Source.
func (a *ahead) Close() error {
	a.table.close()
	return a.Source.Close()
}

// Until implements ingest.Ordered. The table is one round, which needs no end.
func (o *ordered) Until(ends map[state.Partition]int64) {
	feed := maps.Clone(ends)
	delete(feed, Partition)
	o.order.Until(feed)
}

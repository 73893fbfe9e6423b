package kafkasrc

import (
	"context"
	"errors"
	"slices"
	"time"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/kafkaclient/fetch"
)

// order holds partitions back, so that they are handed out one after the other up to bounds that the host sets
// (ingest.Ordered). Others fetch ahead meanwhile, as many as there are turns; the first of those that are not at their
// bound never waits for a turn of theirs. Guarded by source.mu.
type order struct {
	on     bool            // somebody sets bounds
	bounds map[int32]int64 // a partition without one is at its bound
	open   []int32         // the first that are not at their bound, as many as there are turns, ascending
	moved  chan struct{}   // closed when open or bounds change
}

var _ ingest.Ordered = (*source)(nil)

// Until implements ingest.Ordered.
func (s *source) Until(ends map[state.Partition]int64) {
	bounds := map[int32]int64{}
	for p, end := range ends {
		bounds[p.ID] = end
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order.bounds = bounds
	s.reorder(true)
}

// reorder finds who is at its bound.
func (s *source) reorder(anyway bool) {
	o := &s.order
	if !o.on {
		return
	}
	var open []int32
	for id, bound := range o.bounds {
		if p := s.parts[id]; p != nil && p.handed.Load() < p.most(bound) {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	open = open[:min(len(open), s.cfg.Fetches)]
	if anyway || !slices.Equal(open, o.open) {
		o.open = open
		close(o.moved)
		o.moved = make(chan struct{})
	}
}

// most is a bound that the end of the run leaves.
func (p *partition) most(bound int64) int64 {
	if p.limit >= 0 {
		return min(bound, p.limit)
	}
	return bound
}

// place is where a partition stands in the order: how many are before it, -1 if it waits for another bound; and its
// bound, -1 without an order.
func (s *source) place(p *partition) (before int, bound int64, moved <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.order.on {
		return 0, p.limit, nil
	}
	return slices.Index(s.order.open, p.id), p.most(s.order.bounds[p.id]), s.order.moved
}

// until blocks until a place in the order is as wanted. It is no stall.
func (p *partition) until(ctx context.Context, wanted func(before int, bound int64) bool) error {
	since := time.Time{}
	for {
		before, bound, moved := p.src.place(p)
		if moved == nil || wanted(before, bound) {
			return nil
		}
		if since.IsZero() {
			since = time.Now()
			p.blocked.Store(true)
			defer p.heldUp(since)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isFirst wants everybody before to be at their bound, isOpen so many that the others have turns.
func isFirst(before int, _ int64) bool { return before == 0 }
func isOpen(before int, _ int64) bool  { return before >= 0 }

// turns hands out the right to hold an answer of a broker. Together with the
// size of an answer they bound what all partitions hold, and the connections.
//
// An answer or batch that is larger than usual is for one partition at a time.
// Its reader has a turn already and needs nothing else, so that it always ends.
type turns struct {
	any, large chan struct{} // a token a turn that is taken
}

func newTurns(n int) turns { return turns{make(chan struct{}, n), make(chan struct{}, 1)} }

// turn is one right, taken by one goroutine.
type turn struct {
	s     *source
	ctx   context.Context
	of    *partition // nil: of one that is not read yet
	large bool
}

// turn waits for a turn. It must be ended.
func (s *source) turn(ctx context.Context, of *partition) (*turn, error) {
	t := &turn{s: s, ctx: ctx, of: of}
	return t, t.take(s.turns.any)
}

// take waits for a token. This wait is no stall: the holder of the token may
// wait for a consumer that is busy.
func (t *turn) take(tokens chan struct{}) error {
	if t.of != nil {
		defer t.of.heldUp(time.Now())
		t.of.blocked.Store(true)
	}
	select {
	case tokens <- struct{}{}:
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

func (t *turn) end() {
	t.endLarge()
	<-t.s.turns.any
}

func (t *turn) endLarge() {
	if t.large {
		t.large = false
		<-t.s.turns.large
	}
}

// beLarge waits for the right to hold what is larger than usual.
func (t *turn) beLarge() error {
	if t.large {
		return nil
	}
	if t.of != nil { // who has it must not wait for others who want it
		if err := t.of.until(t.ctx, isFirst); err != nil {
			return err
		}
	}
	err := t.take(t.s.turns.large)
	t.large = err == nil
	return err
}

// fetch asks for records of a partition. An answer that is larger than usual is
// asked for again when its turn has come.
func (t *turn) fetch(partition int32, offset int64, wait time.Duration) (*fetch.Response, error) {
	for {
		most := t.s.cfg.MaxBytes
		if t.large {
			most = max(most, t.s.cfg.MaxBatch)
		}
		res, err := t.s.client.fetch(t.ctx, partition, offset, wait, most+fetch.AnswerOverhead)
		switch {
		case !errors.Is(err, fetch.ErrLargeAnswer):
			return res, err
		case t.large:
			return nil, fetch.Corrupt(offset, "it is larger than the %d bytes of memory.max_in_flight", t.s.cfg.MaxBatch)
		}
		if err := t.beLarge(); err != nil {
			return nil, err
		}
	}
}

// leastPiece is the size below which cutting an answer into chunks gains nothing.
const leastPiece = 64 << 10

// sizes are the bounds of what is read of an answer.
func (s *source) sizes() fetch.Sizes {
	return fetch.Sizes{Piece: max(leastPiece, s.cfg.MaxBytes), Record: s.cfg.MaxRecord, Batch: s.cfg.MaxBatch}
}

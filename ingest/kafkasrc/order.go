package kafkasrc

import (
	"context"
	"slices"
	"time"

	"anond/incremental"
	"anond/ingest"
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
func (s *source) Until(ends map[incremental.Partition]int64) {
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

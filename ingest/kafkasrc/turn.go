package kafkasrc

import (
	"context"
	"errors"
	"time"
)

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
func (t *turn) fetch(partition int32, offset int64, wait time.Duration) (*fetchResponse, error) {
	for {
		most := t.s.cfg.MaxBytes
		if t.large {
			most = max(most, t.s.cfg.MaxBatch)
		}
		res, err := t.s.client.fetch(t.ctx, partition, offset, wait, most+answerOverhead)
		switch {
		case !errors.Is(err, errLargeAnswer):
			return res, err
		case t.large:
			return nil, corrupt(offset, "it is larger than the %d bytes of memory.max_in_flight", t.s.cfg.MaxBatch)
		}
		if err := t.beLarge(); err != nil {
			return nil, err
		}
	}
}

// leastPiece is the size below which cutting an answer into chunks gains nothing.
const leastPiece = 64 << 10

// sizes are the bounds of what is read of an answer.
func (s *source) sizes() sizes {
	return sizes{piece: max(leastPiece, s.cfg.MaxBytes), record: s.cfg.MaxRecord, batch: s.cfg.MaxBatch}
}

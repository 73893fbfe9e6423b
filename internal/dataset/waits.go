package dataset

import (
	"context"
	"fmt"
	"io"
	"time"

	"anond/ingest"
	"anond/internal/clock"
)

// orderly is how long a stop waits for what is being opened to end by itself.
const orderly = time.Second

// Opened opens what may hang and does not watch a context: the lock of a state, a
// file on an unavailable disk. A stop abandons it; what is opened after that is
// closed again.
func Opened[T io.Closer](ctx context.Context, clock clock.Clock, open func() (T, error)) (T, error) {
	type result struct {
		thing T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		thing, err := open()
		done <- result{thing, err}
	}()
	select {
	case r := <-done:
		return r.thing, r.err
	case <-ctx.Done():
	}
	over, stop := clock.Ticker(orderly)
	defer stop()
	select {
	case r := <-done:
		return r.thing, r.err
	case <-over:
	}
	go func() {
		if r := <-done; r.err == nil {
			_ = r.thing.Close() // nothing was read or written
		}
	}()
	var nothing T
	return nothing, context.Cause(ctx)
}

// oncePatience is how long a run with --once waits for a source that does not
// answer.
const oncePatience = time.Minute

// OnceBound is a context with a time limit, for a run with --once.
func OnceBound(ctx context.Context, o Options) (context.Context, context.CancelFunc) {
	if !o.Once {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, oncePatience, ingest.ErrAway)
}

// AwayError says why a wait ended that onceBound bounded.
func AwayError(ctx, bounded context.Context, err error) error {
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return fmt.Errorf("%w for %s: %w", ingest.ErrAway, oncePatience, err)
	}
	return err
}

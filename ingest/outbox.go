package ingest

import (
	"context"
	"errors"
	"sync"

	"anond/incremental"
	"anond/internal/fault"
	"anond/internal/retry"
)

// outboxPump delivers dead letters that are committed, alongside the loop. A
// sink that is away delays nothing else: its dead letters stay in state.
type outboxPump struct {
	h         *Host
	signal    chan struct{} // there may be dead letters to deliver
	delivered chan struct{} // the loop may take deliveries
	failed    chan error    // the sink will never take the dead letters
	mu        sync.Mutex    // never held while the sink works; guards the rest
	after     uint64        // dead letters up to here are delivered
	letters   int           // delivered and not taken by the loop
	failure   string        // why the newest attempt failed; empty if it did not
}

// outboxBatch is the number of dead letters delivered at once, if they are not
// too many bytes (Shares.Deliver).
const outboxBatch = 500

func newOutboxPump(h *Host) *outboxPump {
	return &outboxPump{h: h, signal: make(chan struct{}, 1), delivered: make(chan struct{}, 1), failed: make(chan error, 1)}
}

// wake tells that there may be new dead letters.
func (o *outboxPump) wake() {
	select {
	case o.signal <- struct{}{}:
	default:
	}
}

// start delivers in the background until the returned function is called. That
// function waits a second at most: a sink may hang where no context reaches it,
// and what it has not taken is still in state.
func (o *outboxPump) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.wake()
		for {
			select {
			case <-ctx.Done():
				return
			case <-o.signal:
				o.deliverAll(ctx)
			}
		}
	}()
	return func() {
		cancel()
		over, stop := o.h.Clock.Ticker(stuckAfter)
		defer stop()
		select {
		case <-ended:
		case <-over:
			o.h.Log.Warn("the sink of dead letters does not answer; what it did not take stays in state", "event", "dead_letter_stuck")
		}
	}
}

func (o *outboxPump) deliverAll(ctx context.Context) {
	attempts, silence := o.h.Retry.Attempts(), retry.Silence{}
	for ctx.Err() == nil {
		more, err := o.deliver(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrForeignLetters):
			o.failed <- err // the only reader takes one and ends the run
			return
		case err != nil:
			o.note(fault.Line(err))
			o.h.Meter.Failed(AttemptDeliver)
			if tries, told := silence.Broken(o.h.Clock.Now(), retry.FirstSilence); told {
				o.h.Log.Error("dead letters cannot be delivered; they stay in state, trying again", "event", "dead_letter_failed",
					"error", fault.Line(err), "tries", tries)
			}
			if attempts.Wait(ctx) != nil {
				return
			}
		case !more:
			return
		default:
			if o.note("") {
				o.h.Log.Info("dead letters are delivered again", "event", "dead_letter_delivered")
			}
			attempts.Succeeded()
			silence = retry.Silence{}
			select {
			case o.delivered <- struct{}{}:
			default:
			}
		}
	}
}

// note keeps why delivering fails, and reports whether the attempt before
// failed.
func (o *outboxPump) note(failure string) (before bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, o.failure = o.failure != "", failure
	return before
}

// deliver sends the next dead letters; more is false if there were none. Only
// the pump's own goroutine delivers, so nothing needs to be locked meanwhile.
func (o *outboxPump) deliver(ctx context.Context) (more bool, err error) {
	o.mu.Lock()
	after := o.after
	o.mu.Unlock()
	letters, err := o.h.Store.Outbox(after, outboxBatch, o.h.Shares.Deliver)
	if err != nil || len(letters) == 0 {
		return false, err
	}
	if err := o.h.DeadLetters.Deliver(ctx, letters); err != nil {
		return false, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.after = letters[len(letters)-1].Seq
	o.letters += len(letters)
	return true, nil
}

// take tells the machine what has been delivered since the last call.
func (o *outboxPump) take(m *incremental.Machine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.letters > 0 {
		m.Intake().Delivered(o.after, o.letters)
		o.letters = 0
	}
}

// trouble is why dead letters cannot be delivered, empty if they can.
func (o *outboxPump) trouble() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failure
}

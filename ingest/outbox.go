package ingest

import (
	"context"
	"sync"

	"anond/incremental"
)

// outboxPump delivers dead letters that are committed, beside the loop. A sink
// that is away holds up nothing but the letters, which stay in state.
type outboxPump struct {
	h         *Host
	signal    chan struct{} // there may be letters to deliver
	delivered chan struct{} // the loop may take deliveries
	mu        sync.Mutex    // held while delivering; guards the rest
	after     uint64        // letters up to here are delivered
	letters   int           // delivered and not taken by the loop
}

// outboxBatch is the number of letters delivered at once, if they are not too
// many bytes (Shares.Deliver).
const outboxBatch = 500

func newOutboxPump(h *Host) *outboxPump {
	return &outboxPump{h: h, signal: make(chan struct{}, 1), delivered: make(chan struct{}, 1)}
}

// wake tells that there may be new letters.
func (o *outboxPump) wake() {
	select {
	case o.signal <- struct{}{}:
	default:
	}
}

// start delivers in the background until the returned function is called.
func (o *outboxPump) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		o.wake()
		for {
			select {
			case <-ctx.Done():
				return
			case <-o.signal:
				o.deliverAll(ctx)
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

func (o *outboxPump) deliverAll(ctx context.Context) {
	attempts := o.h.Retry.Attempts()
	for ctx.Err() == nil {
		more, err := o.deliver(ctx)
		switch {
		case err != nil:
			o.h.Log.Error("dead letters cannot be delivered; they stay in state, trying again", "event", "dead_letter_failed", "error", err.Error())
			if attempts.Wait(ctx) != nil {
				return
			}
		case !more:
			return
		default:
			attempts.Succeeded()
			select {
			case o.delivered <- struct{}{}:
			default:
			}
		}
	}
}

// deliver sends the next letters; more is false if there were none.
func (o *outboxPump) deliver(ctx context.Context) (more bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	letters, err := o.h.Store.Outbox(o.after, outboxBatch, o.h.Shares.Deliver)
	if err != nil || len(letters) == 0 {
		return false, err
	}
	if err := o.h.DeadLetters.Deliver(ctx, letters); err != nil {
		return false, err
	}
	o.after = letters[len(letters)-1].Seq
	o.letters += len(letters)
	return true, nil
}

// take tells the machine what has been delivered since the last call.
func (o *outboxPump) take(m *incremental.Machine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.letters > 0 {
		m.Delivered(o.after, o.letters)
		o.letters = 0
	}
}

// flush delivers what is left, before a run ends, and tells the machine.
func (o *outboxPump) flush(ctx context.Context, m *incremental.Machine) error {
	for {
		more, err := o.deliver(ctx)
		if err != nil {
			return err
		}
		if !more {
			o.take(m)
			return nil
		}
	}
}

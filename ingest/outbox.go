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
	after     uint64 // letters up to here are delivered
	signal    chan struct{}
	delivered chan delivery
	mu        sync.Mutex // held while delivering
}

type delivery struct {
	last    uint64
	letters int
}

// outboxBatch is the number of letters delivered at once.
const outboxBatch = 500

func newOutboxPump(h *Host) *outboxPump {
	return &outboxPump{h: h, signal: make(chan struct{}, 1), delivered: make(chan delivery, 1)}
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
		d, err := o.deliver(ctx)
		switch {
		case err != nil:
			o.h.Log.Error("dead letters cannot be delivered; they stay in state, trying again", "event", "dead_letter_failed", "error", err.Error())
			if attempts.Wait(ctx) != nil {
				return
			}
		case d.letters == 0:
			return
		default:
			attempts.Succeeded()
			select {
			case o.delivered <- d:
			case <-ctx.Done():
			}
		}
	}
}

// deliver sends the next letters.
func (o *outboxPump) deliver(ctx context.Context) (delivery, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	letters, err := o.h.Store.Outbox(o.after, outboxBatch)
	if err != nil || len(letters) == 0 {
		return delivery{}, err
	}
	if err := o.h.DeadLetters.Deliver(ctx, letters); err != nil {
		return delivery{}, err
	}
	o.after = letters[len(letters)-1].Seq
	return delivery{o.after, len(letters)}, nil
}

// flush delivers what is left, before a run ends; m is told.
func (o *outboxPump) flush(ctx context.Context, m *incremental.Machine) error {
	for {
		select {
		case d := <-o.delivered:
			m.Delivered(d.last, d.letters)
			continue
		default:
		}
		d, err := o.deliver(ctx)
		if err != nil {
			return err
		}
		if d.letters == 0 {
			break
		}
		m.Delivered(d.last, d.letters)
	}
	select {
	case d := <-o.delivered:
		m.Delivered(d.last, d.letters)
	default:
	}
	return nil
}

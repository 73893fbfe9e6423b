package chaos

import (
	"context"

	"anond/incremental"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/shards/journal"
)

// journaling stands in for the brokers of a journal; nil: there is none.
func (w *inside) journaling(a *armed) *dataset.JournalStandIn {
	if w.journal == nil {
		return nil
	}
	log := journal.Log(w.journal)
	if w.planted.log != nil {
		log = w.planted.log(w.journal)
	}
	return &dataset.JournalStandIn{Log: &entries{log, a}, Partitions: len(w.feed.parts),
		Open: func(_ context.Context, p incremental.Partition, at incremental.Position) (ingest.Source, error) {
			return onePartition(w.feed, p.ID, at, a), nil
		}}
}

// entries is a journal, on which the armed faults take effect.
type entries struct {
	journal.Log
	armed *armed
}

func (e *entries) Append(ctx context.Context, message []byte) error {
	if err := e.armed.appending(); err != nil {
		return err
	}
	if err := e.Log.Append(ctx, message); err != nil {
		return err
	}
	return e.armed.appended()
}

// appending and appended are asked around each entry of a journal.
func (a *armed) appending() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead || len(a.at("appending", "kill-before-entry")) > 0 {
		return a.kill(a.cut)
	}
	return nil
}

func (a *armed) appended() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.at("appended", "kill-after-entry")) > 0 {
		return a.kill(nil)
	}
	return nil
}

package kafkasrc

import (
	"encoding/binary"
	"errors"
	"slices"
)

// transactions decides which batches of a fetch belong to aborted transactions.
//
// Method: as Kafka's own consumer (KIP-98). The broker lists producer and first
// offset of every aborted transaction that the answer touches. Walking the
// batches in order, a producer counts as aborting from that offset on until its
// abort marker, a control batch, comes by.
type transactions struct {
	waiting  []abortedTransaction // ascending by first offset
	aborting map[int64]bool       // producers
}

func newTransactions(aborted []abortedTransaction) *transactions {
	t := &transactions{waiting: slices.Clone(aborted)}
	slices.SortStableFunc(t.waiting, func(a, b abortedTransaction) int {
		switch {
		case a.first < b.first:
			return -1
		case a.first > b.first:
			return 1
		}
		return 0
	})
	return t
}

// hides reports whether the records of the batch do not count: it is a control
// batch, or part of an aborted transaction. To be called once for every batch,
// in order.
func (t *transactions) hides(b *batch) (bool, error) {
	for len(t.waiting) > 0 && t.waiting[0].first <= b.last {
		if t.aborting == nil {
			t.aborting = make(map[int64]bool, len(t.waiting))
		}
		t.aborting[t.waiting[0].producer] = true
		t.waiting = t.waiting[1:]
	}
	if b.control() {
		abort, err := b.abortMarker()
		if abort {
			delete(t.aborting, b.producer)
		}
		return true, err
	}
	return b.transactional() && t.aborting[b.producer], nil
}

// markerBytes bounds a compressed batch of markers. Brokers write one marker a
// batch, uncompressed.
const markerBytes = 64 << 10

// abortMarker reports whether a control batch ends a transaction by aborting it.
// The key of a control record is version and type, two bytes each; type 0 is
// abort, 1 commit, others (leader change, snapshots) are no concern of readers.
func (b *batch) abortMarker() (bool, error) {
	c, err := b.walk(sizes{piece: markerBytes, record: markerBytes, batch: markerBytes})
	if errors.Is(err, errLarge) {
		return false, b.spoiled("a marker of more than %d bytes", markerBytes)
	}
	if err != nil {
		return false, err
	}
	for abort := false; ; {
		r, ok, err := c.cut(nil)
		if err != nil || !ok {
			return abort, err
		}
		abort = abort || len(r.key) >= 4 && binary.BigEndian.Uint16(r.key[2:]) == 0
	}
}

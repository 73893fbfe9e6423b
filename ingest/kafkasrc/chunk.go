package kafkasrc

import (
	"errors"
	"fmt"

	"anond/ingest"
)

// answer is what a fetch brought, read piece by piece.
type answer struct {
	data   []byte // batches that are not begun
	tx     *transactions
	limit  int64 // offset to stop at; < 0: none
	sizes  sizes
	large  func() error // waits for the turn to read a large batch
	next   int64        // offset up to which it was read
	epoch  int32        // of the batches read; noEpoch: of none so far
	open   *cursor      // the batch that is being read
	passed bool         // a batch has been read
	weight int          // of the piece in progress
	header Header       // that is looked for
	err    error        // why nothing more can be read
}

func newAnswer(res *fetchResponse, next, limit int64, s sizes, large func() error) *answer {
	return &answer{data: res.recordData, tx: newTransactions(res.aborted), limit: limit, sizes: s, large: large, next: next,
		epoch: noEpoch}
}

// piece returns the next chunk: the offsets from where the last one ended up to
// where there is enough for a piece, or the answer ends. Guarantee: every
// committed record in [From, Next) is in Records, and nothing else is; Next ==
// From says that the answer holds nothing more.
//
// A corrupt batch after good ones ends the chunk before it, and is the error of
// the next call; a corrupt first batch is an error at once. A corrupt batch gives
// no record at all. So it is with a batch of another leader (leaderError), until the
// caller has set epoch to that leader's.
func (a *answer) piece() (*ingest.Chunk, error) {
	c := &ingest.Chunk{From: a.next, Next: a.next}
	for a.weight = 0; a.err == nil && a.weight < a.sizes.piece && !a.atLimit(); {
		var more bool
		if more, a.err = a.read(c); !more {
			break
		}
	}
	if a.err != nil && a.next == c.From {
		return nil, a.err
	}
	if a.limit >= 0 && a.next > a.limit {
		a.next = max(c.From, a.limit)
	}
	c.Next = a.next
	return c, nil
}

func (a *answer) atLimit() bool { return a.limit >= 0 && a.next >= a.limit }

// read goes on with the open batch, or opens the next one. more is false at the
// end of the answer.
func (a *answer) read(c *ingest.Chunk) (more bool, err error) {
	before, weight := len(c.Records), a.weight
	if a.open == nil {
		if more, err = a.begin(); err != nil || !more || a.open == nil {
			return more, err
		}
	}
	next, err := a.fill(c)
	if err != nil { // only of a batch that ends with this piece: begin has checked the others
		c.Records, a.weight = c.Records[:before], weight
		a.close()
		return false, err
	}
	a.next = max(a.next, next)
	return true, nil
}

// begin opens the next batch that holds records, or passes one that holds none.
func (a *answer) begin() (more bool, err error) {
	b, rest, err := nextBatch(a.data)
	if errors.Is(err, errCorrupt) {
		// A batch that lies wholly below what is asked for does not count.
		if base, sound, ok := soundBehind(a.data); ok && base <= a.next {
			a.data = sound
			return true, nil
		}
	}
	if err != nil {
		return false, err
	}
	if b == nil {
		if !a.passed && len(a.data) > 0 {
			return false, corrupt(a.next, "cut")
		}
		return false, nil
	}
	if err := a.sameLeader(b); err != nil {
		return false, err
	}
	hidden, err := a.tx.hides(b)
	if err != nil {
		return false, err
	}
	switch {
	case b.last < a.next: // compaction may leave the fetched offset before the batch's records
	case hidden:
		a.next = b.last + 1
	default:
		if a.open, err = a.walk(b); err != nil {
			return false, err
		}
	}
	a.data, a.passed = rest, true
	return true, nil
}

// walk opens a batch. One that goes on beyond this piece is checked first, since
// what is handed out cannot be taken back.
func (a *answer) walk(b *batch) (*cursor, error) {
	c, err := b.walk(a.sizes)
	if errors.Is(err, errLarge) {
		if err := a.large(); err != nil {
			return nil, err
		}
		return b.walkLarge(a.sizes)
	}
	if err == nil && a.weight+len(c.held)+b.count*recordCost >= a.sizes.piece {
		whole := *c
		err = whole.check()
	}
	return c, err
}

// recordCost is the weight of a record without bytes.
var recordCost = (&ingest.Record{}).Weight()

// fill moves records of the open batch to the chunk and returns the offset up to
// which it was read.
func (a *answer) fill(c *ingest.Chunk) (next int64, err error) {
	keep := func(offset int64) bool { return offset >= a.next && (a.limit < 0 || offset < a.limit) }
	c.Records = grow(c.Records, min(a.open.left, a.sizes.piece/recordCost+1))
	next = a.next
	for a.weight < a.sizes.piece {
		r, ok, err := a.open.cut(keep)
		if err != nil {
			return 0, err
		}
		if !ok {
			next = a.open.b.last + 1
			a.close()
			return next, nil
		}
		if keep(r.offset) {
			c.Records = append(c.Records, r.record())
			if a.header.Name != "" {
				a.header.read(&c.Records[len(c.Records)-1], r.headers)
			}
			a.weight += c.Records[len(c.Records)-1].Weight()
			next = r.offset + 1
		}
	}
	return next, nil
}

// close ends the batch that is being read.
func (a *answer) close() {
	if a.open != nil {
		a.open.close()
		a.open = nil
	}
}

// grow makes room for n more records at once. The first batch of an answer is
// usually like the others, so room for several is made when it is full.
func grow(records []ingest.Record, n int) []ingest.Record {
	if cap(records)-len(records) >= n {
		return records
	}
	bigger := make([]ingest.Record, len(records), max(len(records)+n, 2*cap(records)))
	copy(bigger, records)
	return bigger
}

// Every election of a leader gives a partition a higher epoch, and each batch
// keeps the epoch in which it was written. In a log the epochs only grow with the
// offsets. A leader that lacks records which others had acknowledged (an unclean
// election) writes other records at their offsets, in an epoch of its own. If the
// reader was not connected to the old leader in that moment, or had a fetch
// answered before, no error tells of it. So where the epoch changes, the log is
// compared with what was read before anything of the new epoch is handed out.

// noEpoch stands for the epoch of nobody: nothing was read, or the batch has none.
const noEpoch = -1

// leaderError says that a batch was written in another epoch than those before.
type leaderError struct {
	offset int64
	epoch  int32
}

func (e *leaderError) Error() string {
	return fmt.Sprintf("the batch at offset %d has another leader, of epoch %d", e.offset, e.epoch)
}

// sameLeader checks that a batch has the epoch of those before. One that lies
// below what is asked for does not count.
func (a *answer) sameLeader(b *batch) error {
	switch {
	case b.epoch == noEpoch || b.last < a.next:
	case a.epoch == noEpoch:
		a.epoch = b.epoch
	case a.epoch != b.epoch:
		return &leaderError{b.base, b.epoch}
	}
	return nil
}

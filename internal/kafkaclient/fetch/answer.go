package fetch

import (
	"errors"
	"fmt"
)

// Answer is what a fetch brought, read piece by piece, as records of whoever reads.
type Answer[R any] struct {
	data   []byte // batches that are not begun
	tx     *transactions
	limit  int64 // offset to stop at; < 0: none
	sizes  Sizes
	large  func() error // waits for the turn to read a large batch
	next   int64        // offset up to which it was read
	Epoch  int32        // of the batches read; NoEpoch: of none so far
	open   *cursor      // the batch that is being read
	passed bool         // a batch has been read
	weight int          // of the piece in progress
	one    Record       // the newest one, for take: a function that may be any would move each to the heap
	take   func(to *R, r *Record) (weight int)
	cost   int   // the weight of a record without bytes
	err    error // why nothing more can be read
}

// Piece is what is read of an answer at a time: all records from an offset to another one.
type Piece[R any] struct {
	From, Next int64
	Records    []R
}

// NewAnswer begins to read what was fetched, from the offset next to limit; below 0: to its end. large waits for the turn to
// read a large batch, and take keeps a record and tells how much of a piece it is.
func NewAnswer[R any](res *Response, next, limit int64, s Sizes, large func() error,
	take func(to *R, r *Record) (weight int)) *Answer[R] {
	return &Answer[R]{data: res.Batches, tx: newTransactions(res.aborted), limit: limit, sizes: s, large: large, next: next,
		Epoch: NoEpoch, take: take, cost: take(new(R), &Record{})}
}

// Piece returns the next one: the offsets from where the last one ended up to
// where there is enough for a piece, or the answer ends. Guarantee: every
// committed record in [From, Next) is in Records, and nothing else is; Next ==
// From says that the answer holds nothing more.
//
// A corrupt batch after good ones ends the chunk before it, and is the error of
// the next call; a corrupt first batch is an error at once. A corrupt batch gives
// no record at all. So it is with a batch of another leader (LeaderError), until the
// caller has set epoch to that leader's.
func (a *Answer[R]) Piece() (*Piece[R], error) {
	c := &Piece[R]{From: a.next, Next: a.next}
	for a.weight = 0; a.err == nil && a.weight < a.sizes.Piece && !a.atLimit(); {
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

func (a *Answer[R]) atLimit() bool { return a.limit >= 0 && a.next >= a.limit }

// read goes on with the open batch, or opens the next one. more is false at the
// end of the answer.
func (a *Answer[R]) read(c *Piece[R]) (more bool, err error) {
	before, weight := len(c.Records), a.weight
	if a.open == nil {
		if more, err = a.begin(); err != nil || !more || a.open == nil {
			return more, err
		}
	}
	next, err := a.fill(c)
	if err != nil { // only of a batch that ends with this Piece: begin has checked the others
		c.Records, a.weight = c.Records[:before], weight
		a.Close()
		return false, err
	}
	a.next = max(a.next, next)
	return true, nil
}

// begin opens the next batch that holds records, or passes one that holds none.
func (a *Answer[R]) begin() (more bool, err error) {
	b, rest, err := nextBatch(a.data)
	if errors.Is(err, ErrCorrupt) {
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
			return false, Corrupt(a.next, "cut")
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
func (a *Answer[R]) walk(b *batch) (*cursor, error) {
	c, err := b.walk(a.sizes)
	if errors.Is(err, errLarge) {
		if err := a.large(); err != nil {
			return nil, err
		}
		return b.walkLarge(a.sizes)
	}
	if err == nil && a.weight+len(c.held)+b.count*a.cost >= a.sizes.Piece {
		whole := *c
		err = whole.check()
	}
	return c, err
}

// fill moves records of the open batch to the chunk and returns the offset up to
// which it was read.
func (a *Answer[R]) fill(c *Piece[R]) (next int64, err error) {
	keep := func(offset int64) bool { return offset >= a.next && (a.limit < 0 || offset < a.limit) }
	c.Records = grow(c.Records, min(a.open.left, a.sizes.Piece/a.cost+1))
	next = a.next
	for a.weight < a.sizes.Piece {
		var ok bool
		if a.one, ok, err = a.open.cut(keep); err != nil {
			return 0, err
		}
		if !ok {
			next = a.open.b.last + 1
			a.Close()
			return next, nil
		}
		if keep(a.one.Offset) {
			n := len(c.Records)
			if n == cap(c.Records) {
				c.Records = grow(c.Records, 1)
			}
			c.Records = c.Records[:n+1]
			a.weight += a.take(&c.Records[n], &a.one)
			next = a.one.Offset + 1
		}
	}
	return next, nil
}

// Close ends the batch that is being read.
func (a *Answer[R]) Close() {
	if a.open != nil {
		a.open.close()
		a.open = nil
	}
}

// grow makes room for n more records at once. The first batch of an answer is
// usually like the others, so room for several is made when it is full.
func grow[R any](records []R, n int) []R {
	if cap(records)-len(records) >= n {
		return records
	}
	bigger := make([]R, len(records), max(len(records)+n, 2*cap(records)))
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

// NoEpoch stands for the epoch of nobody: nothing was read, or the batch has none.
const NoEpoch = -1

// LeaderError says that a batch was written in another epoch than those before.
type LeaderError struct {
	offset int64
	Epoch  int32
}

func (e *LeaderError) Error() string {
	return fmt.Sprintf("the batch at offset %d has another leader, of epoch %d", e.offset, e.Epoch)
}

// sameLeader checks that a batch has the epoch of those before. One that lies
// below what is asked for does not count.
func (a *Answer[R]) sameLeader(b *batch) error {
	switch {
	case b.epoch == NoEpoch || b.last < a.next:
	case a.Epoch == NoEpoch:
		a.Epoch = b.epoch
	case a.Epoch != b.epoch:
		return &LeaderError{b.base, b.epoch}
	}
	return nil
}

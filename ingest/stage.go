package ingest

import (
	"context"

	"golang.org/x/sync/semaphore"

	"anond/equivclass"
)

// batch is a chunk with its records decoded. Batches are recycled: their memory
// is valid until they are put back.
type batch struct {
	chunk    *Chunk
	weight   int64 // of the chunk, as taken from the stage's share
	outcomes []Outcome
	fields   [][]byte // of all rows, width entries a row
	arena    []byte   // holds the bytes of the fields
	width    int
}

func (b *batch) row(i int) equivclass.Row { return b.fields[i*b.width : (i+1)*b.width] }

// stage fetches and decodes ahead of the machine, in a goroutine of its own. Its
// channel is short, and what waits in it is bounded by bytes: a machine that is
// busy pauses the fetch.
type stage struct {
	source  Source
	decoder Decoder
	width   int
	piece   int // weight from which on a chunk is cut
	share   int64
	held    *semaphore.Weighted
	out     chan *batch
	free    chan *batch
	err     error // why out was closed; read after that
}

// ahead is the number of chunks decoded before the machine takes them.
const ahead = 4

func newStage(source Source, decoder Decoder, width int, shares Shares) *stage {
	share := int64(shares.Stage)
	return &stage{source: source, decoder: decoder, width: width, piece: shares.Piece, share: share, held: semaphore.NewWeighted(share),
		out: make(chan *batch, ahead), free: make(chan *batch, ahead+2)}
}

// run fetches until the source ends or ctx is done, then closes out.
func (s *stage) run(ctx context.Context) {
	defer close(s.out)
	for {
		chunk, err := s.source.Next(ctx)
		if err != nil {
			s.err = err
			return
		}
		for chunk != nil {
			var head *Chunk
			if head, chunk = s.cut(chunk); !s.send(ctx, head) {
				s.err = ctx.Err()
				return
			}
		}
	}
}

// send decodes a chunk, when there is room for it, and hands it on.
func (s *stage) send(ctx context.Context, c *Chunk) bool {
	weight := min(s.share, int64(s.weight(c)))
	if s.held.Acquire(ctx, weight) != nil {
		return false
	}
	b := s.decode(c)
	b.weight = weight
	select {
	case s.out <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// Costs of a decoded record besides its bytes: an outcome, and a field for each
// attribute.
const (
	outcomeCost = 40
	fieldCost   = 24
)

// weigh is the memory that a record takes decoded: its bytes, a copy of them,
// and its row.
func (s *stage) weigh(r *Record) int {
	return 2*r.Weight() + outcomeCost + fieldCost*s.width
}

func (s *stage) weight(c *Chunk) (sum int) {
	for i := range c.Records {
		sum += s.weigh(&c.Records[i])
	}
	return sum
}

// cut divides a chunk whose rows would be too large together. Where chunks begin
// and end never matters.
func (s *stage) cut(c *Chunk) (head, rest *Chunk) {
	sum := 0
	for i := range c.Records {
		if sum += s.weigh(&c.Records[i]); sum <= 4*s.piece || i == 0 {
			continue
		}
		at := c.Records[i].Offset
		h, r := *c, *c
		h.Records, h.Next = c.Records[:i], at
		r.Records, r.From, r.Missing = c.Records[i:], at, Missing{}
		return &h, &r
	}
	return c, nil
}

func (s *stage) decode(c *Chunk) *batch {
	var b *batch
	select {
	case b = <-s.free:
		b.outcomes, b.fields, b.arena = b.outcomes[:0], b.fields[:0], b.arena[:0]
	default:
		b = &batch{width: s.width}
	}
	b.chunk = c
	row := make(equivclass.Row, s.width)
	for i := range c.Records {
		b.outcomes = append(b.outcomes, s.decodeOne(&c.Records[i], c.Header, row))
		b.keep(row)
	}
	return b
}

// decodeOne decodes a record, unless the source has judged it already.
func (s *stage) decodeOne(r *Record, header []string, row equivclass.Row) Outcome {
	if r.Passed == "" && r.Refused == "" && !r.Cut {
		return s.decoder.Decode(r.Value, header, row)
	}
	clear(row)
	if r.Cut {
		return s.decoder.TooLarge()
	}
	return Outcome{Reason: r.Refused}
}

// keep copies a row out of the decoder's memory. Fields that were cut before
// the arena moved keep its old memory alive, which is as valid.
func (b *batch) keep(row equivclass.Row) {
	for _, f := range row {
		if f == nil {
			b.fields = append(b.fields, nil)
			continue
		}
		start := len(b.arena)
		b.arena = append(b.arena, f...)
		b.fields = append(b.fields, b.arena[start:len(b.arena):len(b.arena)])
	}
}

// put gives a batch back for reuse, unless a rare large record has made it large.
func (s *stage) put(b *batch) {
	s.held.Release(b.weight)
	b.chunk = nil
	if cap(b.arena) > 2*s.piece {
		return
	}
	select {
	case s.free <- b:
	default:
	}
}

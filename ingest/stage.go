package ingest

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"anond/equivclass"
	"anond/incremental/state"
	"anond/ingest/decode"
)

// stage fetches and decodes ahead of the machine, in goroutines of its own: one
// fetches, a few decode, one hands on what is decoded in the order in which it was
// fetched. So the machine sees the same whatever the number of decoders, and chunks of
// one partition are decoded side by side as well.
//
// Its channels are short, and what waits in them is bounded by bytes: a machine that is
// busy pauses the fetch.
type stage struct {
	source   Source
	decoders []decode.Decoder
	width    int
	piece    int // weight from which on a chunk is cut
	share    int64
	where    Placement // nil: records may lie anywhere
	subject  func(equivclass.Row) uint64
	owners   Owners // nil: all people are the dataset's
	who      int    // the attribute that says whose a record is; -1: none does
	held     *semaphore.Weighted
	fetched  chan *batch // in the order of the source; each says when it is decoded
	work     chan *batch // the same batches, for the decoders
	out      chan *batch // decoded, in the order of the source
	free     chan *batch
	err      error // why out was closed; read after that
}

const (
	// ahead is the number of chunks decoded before the machine takes them.
	ahead = 4
	// mostDecoders is how many decoders have something to do: decoding a record costs
	// two to three times what the machine takes to accept it.
	mostDecoders = 4
)

func newStage(source Source, decoders []decode.Decoder, width int, shares Shares, subject func(equivclass.Row) uint64) *stage {
	share, n := int64(shares.Stage), len(decoders)
	return &stage{source: source, decoders: decoders, width: width, piece: shares.Piece, share: share, subject: subject,
		held:    semaphore.NewWeighted(share),
		fetched: make(chan *batch, n), work: make(chan *batch, n), out: make(chan *batch, ahead), free: make(chan *batch, ahead+2*n+2)}
}

// run fetches and decodes until the source ends or ctx is done, then closes out.
func (s *stage) run(ctx context.Context) {
	defer close(s.out)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { s.fetch(ctx) })
	for _, d := range s.decoders {
		wg.Go(func() {
			for b := range s.work {
				b.decode(d, s)
			}
		})
	}
	s.handOn(ctx)
}

// fetch reads chunks from the source and hands each to a decoder, until the context ends or the source is at its end.
func (s *stage) fetch(ctx context.Context) {
	defer close(s.work)
	defer close(s.fetched)
	for {
		chunk, err := s.source.Next(ctx)
		if err != nil {
			s.err = err
			return
		}
		for chunk != nil {
			var head *Chunk
			if head, chunk = s.cut(chunk); !s.begin(ctx, head) {
				s.err = ctx.Err()
				return
			}
		}
	}
}

// begin has a chunk decoded, when there is room for it.
func (s *stage) begin(ctx context.Context, c *Chunk) bool {
	weight := min(s.share, int64(s.weight(c)))
	if s.held.Acquire(ctx, weight) != nil {
		return false
	}
	b := s.batch()
	b.chunk, b.weight = c, weight
	for _, queue := range []chan *batch{s.fetched, s.work} {
		select {
		case queue <- b:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// handOn waits for each batch in turn. Nothing follows a batch that is not handed on.
func (s *stage) handOn(ctx context.Context) {
	for b := range s.fetched {
		select {
		case <-b.decoded:
		case <-ctx.Done():
			return
		}
		select {
		case s.out <- b:
		case <-ctx.Done():
			return
		}
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

// batch returns an empty batch, a recycled one if there is one.
func (s *stage) batch() *batch {
	select {
	case b := <-s.free:
		b.outcomes, b.subjects, b.people, b.elsewhere = b.outcomes[:0], b.subjects[:0], b.people[:0], nil
		b.fields, b.arena, b.fault = b.fields[:0], b.arena[:0], nil
		return b
	default:
		return &batch{decoded: make(chan struct{}, 1), width: s.width, row: make(equivclass.Row, s.width)}
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

// batch is a chunk with its records decoded. Batches are recycled: their memory
// is valid until they are put back.
type batch struct {
	chunk    *Chunk
	weight   int64         // of the chunk, as taken from the stage's share
	decoded  chan struct{} // gets one value when the batch is decoded
	outcomes []decode.Outcome
	subjects []uint64       // whose records they are; 0: nobody's
	people   []state.Person // the same, as the ledger of subjects knows them; zero: nobody's
	// elsewhere says which of them belong to another dataset; nil: none does.
	elsewhere []bool
	fields    [][]byte // of all rows, width entries a row
	arena     []byte   // holds the bytes of the fields
	width     int
	fault     error // what is wrong with the place of a record, and which one
	faultAt   int
	row       equivclass.Row // scratch
}

// rowAt returns the row of record i.
func (b *batch) rowAt(i int) equivclass.Row { return b.fields[i*b.width : (i+1)*b.width] }

// decode fills the batch from its chunk.
func (b *batch) decode(d decode.Decoder, s *stage) {
	c := b.chunk
	for i := range c.Records {
		b.outcomes = append(b.outcomes, decodeOne(d, &c.Records[i], c.Header, b.row))
		b.subjects = append(b.subjects, s.subject(b.row))
		if s.owners != nil && s.who >= 0 {
			b.people = append(b.people, s.owners.Person(b.row[s.who]))
		}
		b.judge(s.where, i)
		b.keep(b.row)
	}
	b.decoded <- struct{}{}
}

// decodeOne decodes a record, unless the source has judged it already.
func decodeOne(d decode.Decoder, r *Record, header []string, row equivclass.Row) decode.Outcome {
	switch {
	case r.Passed == "" && r.Refused == "" && !r.Cut:
		return d.DecodeKeyed(r.Key, r.Value, header, row)
	case r.Cut:
		return d.TooLarge(r.Value, header, row)
	}
	clear(row)
	return decode.Outcome{Reason: r.Refused}
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

// judge looks at where the records of a batch lie, up to the first that lies wrong.
func (b *batch) judge(where Placement, i int) {
	if where != nil && b.fault == nil {
		b.fault, b.faultAt = where.Judge(b.chunk.Partition, &b.chunk.Records[i], b.outcomes[i], b.row), i
	}
}

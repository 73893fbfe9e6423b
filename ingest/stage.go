package ingest

import (
	"context"

	"anond/equivclass"
)

// batch is a chunk with its records decoded. Batches are recycled: their memory
// is valid until they are put back.
type batch struct {
	chunk    *Chunk
	outcomes []Outcome
	fields   [][]byte // of all rows, width entries a row
	arena    []byte   // holds the bytes of the fields
	width    int
}

func (b *batch) row(i int) equivclass.Row { return b.fields[i*b.width : (i+1)*b.width] }

// stage fetches and decodes ahead of the machine, in a goroutine of its own. Its
// channel is short: a machine that is busy pauses the fetch.
type stage struct {
	source  Source
	decoder Decoder
	width   int
	out     chan *batch
	free    chan *batch
	err     error // why out was closed; read after that
}

// ahead is the number of chunks decoded before the machine takes them.
const ahead = 4

func newStage(source Source, decoder Decoder, width int) *stage {
	return &stage{source: source, decoder: decoder, width: width, out: make(chan *batch, ahead), free: make(chan *batch, ahead+2)}
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
		select {
		case s.out <- s.decode(chunk):
		case <-ctx.Done():
			s.err = ctx.Err()
			return
		}
	}
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

// decodeOne leaves alone what the source has judged already.
func (s *stage) decodeOne(r *Record, header []string, row equivclass.Row) Outcome {
	if r.Passed == "" && r.Refused == "" {
		return s.decoder.Decode(r.Value, header, row)
	}
	clear(row)
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

// put gives a batch back for reuse.
func (s *stage) put(b *batch) {
	b.chunk = nil
	select {
	case s.free <- b:
	default:
	}
}

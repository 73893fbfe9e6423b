package ingest

import (
	"anond/equivclass"
	"anond/ingest/decode"
)

// batch is a chunk with its records decoded. Batches are recycled: their memory
// is valid until they are put back.
type batch struct {
	chunk    *Chunk
	weight   int64         // of the chunk, as taken from the stage's share
	decoded  chan struct{} // gets one value when the batch is decoded
	outcomes []decode.Outcome
	fields   [][]byte // of all rows, width entries a row
	arena    []byte   // holds the bytes of the fields
	width    int
	fault    error // what is wrong with the place of a record, and which one
	faultAt  int
	row      equivclass.Row // scratch
}

// rowAt returns the row of record i.
func (b *batch) rowAt(i int) equivclass.Row { return b.fields[i*b.width : (i+1)*b.width] }

// decode fills the batch from its chunk.
func (b *batch) decode(d decode.Decoder, where Placement) {
	c := b.chunk
	for i := range c.Records {
		b.outcomes = append(b.outcomes, decodeOne(d, &c.Records[i], c.Header, b.row))
		b.judge(where, i)
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

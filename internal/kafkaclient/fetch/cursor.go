package fetch

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/segmentio/kafka-go/compress"
)

// Sizes are the bounds of what is held of a partition at a time.
type Sizes struct {
	Piece  int // a chunk, and what a batch may decompress to in memory
	Record int // a longer message is only handed out in its beginning
	Batch  int // what a batch may decompress to
}

// CutTo is how much of a message that is too long is handed out. It does not
// depend on any setting, so that the digest of the beginning stays what it is
// (verify.go).
const CutTo = 64 << 10

// cursor walks over the records of a batch, in order. The records of a batch
// that decompresses to no more than a piece are slices of one buffer, which
// nobody else keeps; larger ones are decompressed record by record.
type cursor struct {
	b      *batch
	sizes  Sizes
	left   int   // records that are still to come
	next   int64 // the least offset that the next one may have
	held   []byte
	stream *decompressed // instead of held
}

// errLarge says that a batch decompresses to more than a piece.
var errLarge = errors.New("the batch is large")

// walk begins to read the records of a batch. errLarge: it has to be streamed,
// which is for one partition at a time.
func (b *batch) walk(s Sizes) (*cursor, error) {
	c := &cursor{b: b, sizes: s, left: b.count, next: b.base, held: b.payload}
	if compress.Compression(b.attributes&codecBits) != compress.None {
		var err error
		if c.held, err = b.decompressSmall(s.Piece); err != nil {
			return nil, err
		}
	}
	if b.count > len(c.held)/minRecord {
		return nil, b.spoiled("%d records in %d bytes", b.count, len(c.held))
	}
	return c, nil
}

// decompressSmall decompresses a batch that decompresses to at most limit
// bytes.
func (b *batch) decompressSmall(limit int) ([]byte, error) {
	u, err := b.decompress(limit)
	if err != nil {
		return nil, err
	}
	defer u.close()
	out := make([]byte, 0, min(limit, 4*len(b.payload)+512))
	for {
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
		n, err := u.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case err == io.EOF:
			return out, nil
		case errors.Is(err, errPastBound):
			return nil, errLarge
		case err != nil:
			return nil, b.failed(err, limit)
		}
	}
}

// walkLarge is walk for a batch that has to be streamed. It reads the batch to
// its end first, so that one that is spoiled gives no record at all.
func (b *batch) walkLarge(s Sizes) (*cursor, error) {
	for _, last := range []bool{false, true} {
		u, err := b.decompress(s.Batch)
		if err != nil {
			return nil, err
		}
		c := &cursor{b: b, sizes: s, left: b.count, next: b.base, stream: u}
		if last {
			return c, nil
		}
		err = c.check()
		c.close()
		if err != nil {
			return nil, err
		}
	}
	return nil, nil // not reached
}

func (c *cursor) close() {
	if c.stream != nil {
		c.stream.close()
	}
}

// check reads on to the end without keeping anything.
func (c *cursor) check() error {
	none := func(int64) bool { return false }
	for {
		if _, ok, err := c.cut(none); err != nil || !ok {
			return err
		}
	}
}

// Record is a record inside the bytes of its batch.
type Record struct {
	Offset     int64
	Time       int64  // Unix milliseconds; 0: none
	Key, Value []byte // nil: null, or not asked for
	Headers    []byte // as the batch has them; nil: too long, or not asked for
	Short      bool   // Value is the first CutTo bytes of a message that is too long
}

// cut returns the next record; ok is false behind the last one. Of a stream, the
// bytes of records that keep does not ask for are passed over.
func (c *cursor) cut(keep func(offset int64) bool) (r Record, ok bool, err error) {
	if c.left == 0 {
		return r, false, c.atEnd()
	}
	if c.stream != nil {
		if r, err = c.cutStream(keep); err != nil {
			return r, false, err
		}
	} else if r, c.held, ok = cutRecord(c.held, c.b); !ok {
		return r, false, c.senseless()
	} else if len(r.Value) > c.sizes.Record {
		r.Value, r.Short = r.Value[:min(len(r.Value), CutTo)], true
	}
	if r.Offset < c.next || r.Offset > c.b.last {
		return r, false, c.senseless()
	}
	c.left--
	c.next = r.Offset + 1
	return r, true, nil
}

func (c *cursor) senseless() error { return c.b.spoiled("a record after %d makes no sense", c.next-1) }

// atEnd checks that nothing follows the last record.
func (c *cursor) atEnd() error {
	if c.stream != nil {
		switch _, err := c.stream.ReadByte(); {
		case err == nil:
			return c.b.spoiled("bytes after the last record")
		case err != io.EOF:
			return c.b.failed(err, c.sizes.Batch)
		}
	} else if len(c.held) > 0 {
		return c.b.spoiled("%d bytes after the last record", len(c.held))
	}
	return nil
}

// cutStream reads a record field by field, so that no length is believed before
// its bytes are there, and nothing is held that is not handed out.
func (c *cursor) cutStream(keep func(offset int64) bool) (r Record, err error) {
	size, err := binary.ReadVarint(c.stream)
	if err != nil {
		return r, c.b.failed(err, c.sizes.Batch)
	}
	if size < minRecord-1 || size > math.MaxInt32 {
		return r, c.senseless()
	}
	f := &fields{in: c.stream.Reader, left: size}
	f.pass(1) // attributes: unused
	r.Time = c.b.timeOf(f.varint())
	delta := f.varint()
	if r.Offset = c.b.base + delta; delta < 0 {
		return r, c.senseless()
	}
	kept := keep(r.Offset)
	r.Key, _ = f.text(kept, CutTo, 0)
	r.Value, r.Short = f.text(kept, c.sizes.Record, CutTo)
	if kept && f.left <= headersMost {
		r.Headers = f.take(int(f.left))
	}
	f.pass(f.left)
	switch {
	case f.bad:
		return r, c.senseless()
	case f.err != nil:
		return r, c.b.failed(f.err, c.sizes.Batch)
	}
	return r, nil
}

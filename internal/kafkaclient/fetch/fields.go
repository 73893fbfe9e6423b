package fetch

import (
	"bufio"
	"encoding/binary"
	"io"
)

// fields reads the fields of one record. After a fault it reads nothing more.
type fields struct {
	in   *bufio.Reader
	left int64 // bytes of the record
	bad  bool  // a field goes beyond the record
	err  error // of the stream
}

func (f *fields) ReadByte() (byte, error) {
	if f.left == 0 {
		f.bad = true
		return 0, io.ErrUnexpectedEOF
	}
	f.left--
	return f.in.ReadByte()
}

func (f *fields) stopped() bool { return f.bad || f.err != nil }

func (f *fields) varint() int64 {
	if f.stopped() {
		return 0
	}
	v, err := binary.ReadVarint(f)
	if err != nil && !f.bad {
		f.err = err
	}
	return v
}

func (f *fields) pass(n int64) {
	if f.stopped() {
		return
	}
	if n > f.left {
		f.bad = true
		return
	}
	f.left -= n
	_, f.err = f.in.Discard(int(n))
}

// take reads bytes of the record.
func (f *fields) take(n int) []byte {
	if f.stopped() {
		return nil
	}
	out := make([]byte, n)
	_, f.err = io.ReadFull(f.in, out)
	f.left -= int64(n)
	return out
}

// text reads a length and that many bytes; a negative length is null. Of a text
// longer than most, the first few bytes are taken.
func (f *fields) text(keep bool, most, few int) (text []byte, cut bool) {
	n := f.varint()
	if f.stopped() || n < 0 {
		return nil, false
	}
	if n > f.left {
		f.bad = true
		return nil, false
	}
	take := n
	if n > int64(most) {
		take, cut = min(n, int64(few)), true
	}
	if !keep {
		take = 0
	}
	text = make([]byte, take)
	_, f.err = io.ReadFull(f.in, text)
	f.left -= take
	f.pass(n - take)
	return text, cut
}

// headersMost bounds what is kept of the headers of a record in a large batch.
const headersMost = 4 << 10

// HeaderOf finds a header in the headers of a record, as a batch has them: their number, then
// name and value of each. ok is false if it is not there, or the bytes are no headers.
func HeaderOf(b []byte, name string) (value []byte, ok bool) {
	count, n := binary.Varint(b)
	if n <= 0 {
		return nil, false
	}
	for b = b[n:]; count > 0; count-- {
		var key, text []byte
		if key, b, ok = cutBytes(b); !ok {
			return nil, false
		}
		if text, b, ok = cutBytes(b); !ok {
			return nil, false
		}
		if string(key) == name {
			return text, true
		}
	}
	return nil, false
}

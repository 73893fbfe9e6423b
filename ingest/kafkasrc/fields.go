package kafkasrc

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

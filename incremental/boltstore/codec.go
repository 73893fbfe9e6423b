package boltstore

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// errDecode: bytes that no encoder wrote. One error stands for every fault, because
// nothing about the bytes may be shown.
var errDecode = errors.New("the content does not decode")

// A reader decodes a value. After the first fault it returns zeros; done reports it.
// Counts are bounded before anything is allocated by them.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) fail() {
	r.bad, r.b = true, nil
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most are small
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// bytes returns the next n bytes, nil after a fault.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

// count reads a number of things of which there are at most limit.
func (r *reader) count(limit int) int {
	n := r.uvarint()
	if n > uint64(limit) {
		r.fail()
		return 0
	}
	return int(n)
}

// things reads a number of things that take at least one byte each.
func (r *reader) things() int { return r.count(len(r.b)) }

func (r *reader) text() string { return string(r.bytes(r.things())) }

func (r *reader) flag() bool {
	b := r.byte()
	if b > 1 {
		r.fail()
	}
	return b == 1
}

// done reports a fault; bytes left over are one.
func (r *reader) done() error {
	if r.bad || len(r.b) != 0 {
		return errDecode
	}
	return nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendFlag(b []byte, f bool) []byte {
	if f {
		return append(b, 1)
	}
	return append(b, 0)
}

// small are the element types of columns.
type small interface {
	~uint8 | ~uint16 | ~uint32
}

// appendPacked writes a column as its minimum, a width in bits, and the
// differences from the minimum in that width, lowest bits first. A constant
// column takes no bits. The length is not written.
func appendPacked[T small](b []byte, column []T) []byte {
	if len(column) == 0 {
		return b
	}
	lo, hi := column[0], column[0]
	for _, v := range column {
		lo, hi = min(lo, v), max(hi, v)
	}
	width := bits.Len32(uint32(hi - lo))
	b = append(binary.AppendUvarint(b, uint64(lo)), byte(width))
	if width == 0 {
		return b
	}
	var acc uint64
	held := 0
	for _, v := range column {
		acc |= uint64(v-lo) << held
		if held += width; held >= 32 {
			b = binary.LittleEndian.AppendUint32(b, uint32(acc))
			acc >>= 32
			held -= 32
		}
	}
	for ; held > 0; held -= 8 {
		b = append(b, byte(acc))
		acc >>= 8
	}
	return b
}

// unpack reads a column of len(out) values.
func unpack[T small](r *reader, out []T) {
	if len(out) == 0 {
		return
	}
	lo, width := r.uvarint(), int(r.byte())
	if r.bad || width > 32 || lo > uint64(^T(0)) {
		r.fail()
		return
	}
	packed := r.bytes((len(out)*width + 7) / 8)
	if r.bad {
		return
	}
	mask, over := uint64(1)<<width-1, uint64(0)
	fast := 0 // values that may be read eight bytes at a time
	if width > 0 && len(packed) >= 8 {
		fast = min(len(out), (len(packed)-8)*8/width)
	}
	at := 0
	for i := range out[:fast] {
		v := lo + binary.LittleEndian.Uint64(packed[at>>3:])>>(at&7)&mask
		out[i] = T(v)
		over |= v
		at += width
	}
	for i := fast; i < len(out); i++ {
		v := lo + load(packed[at>>3:])>>(at&7)&mask
		out[i] = T(v)
		over |= v
		at += width
	}
	if over > uint64(^T(0)) {
		r.fail()
	}
}

// load reads up to eight bytes as a little-endian number.
func load(b []byte) (v uint64) {
	for i := range min(8, len(b)) {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

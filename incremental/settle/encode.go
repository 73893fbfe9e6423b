package settle

import (
	"encoding/binary"
	"errors"
)

// ErrDecode: bytes that Encode did not write. Nothing about them may be shown.
var ErrDecode = errors.New("a history does not decode")

// Flags of a history.
const (
	isFaulty = 1 << iota
	isUpdated
	isKeyed // its records have keys
	flagsOf = 1<<iota - 1
)

// Encode writes a history without its number, which is the key of a store.
func (h *History) Encode() []byte {
	flags := when[byte](h.Faulty, isFaulty) | when[byte](h.Updated, isUpdated) |
		when[byte](len(h.Records) > 0 && h.Records[0].Key != 0, isKeyed)
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 48), h.Person)
	out = append(out, flags)
	out = binary.AppendUvarint(out, uint64(h.Lane))
	out = binary.AppendVarint(out, h.End)
	out = binary.AppendUvarint(out, uint64(h.Epoch))
	out = binary.AppendUvarint(out, uint64(len(h.Records)))
	for i := range h.Records {
		r := &h.Records[i]
		if flags&isKeyed != 0 {
			out = binary.LittleEndian.AppendUint64(out, r.Key)
		}
		out = binary.AppendUvarint(out, uint64(r.Origin))
		out = binary.AppendVarint(out, r.Offset)
		out = binary.AppendUvarint(out, uint64(len(r.Row)))
		out = append(out, r.Row...)
	}
	return out
}

// Decode reads a history. What it returns shares no memory with the bytes.
func Decode(c Change) (History, error) {
	d := decoder{b: c.Bytes}
	h := History{Number: c.Number, Person: d.fixed()}
	flags := d.byte()
	h.Faulty, h.Updated = flags&isFaulty != 0, flags&isUpdated != 0
	h.Lane, h.End, h.Epoch = uint16(d.below(1<<16)), d.signed(), uint32(d.below(1<<32))
	for range d.below(Most + 1) {
		r := Record{}
		if flags&isKeyed != 0 {
			r.Key = d.fixed()
			d.bad = d.bad || r.Key == 0
		}
		r.Origin, r.Offset = uint16(d.below(1<<16)), d.signed()
		r.Row = append([]byte{}, d.take(d.below(uint64(len(d.b))+1))...)
		h.Records = append(h.Records, r)
	}
	if d.bad || len(d.b) > 0 || h.Person == 0 || flags&^flagsOf != 0 || flags&isKeyed != 0 && len(h.Records) == 0 {
		return History{}, ErrDecode
	}
	return h, nil
}

// decoder reads what Encode wrote. After the first fault it returns zeros.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) fixed() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// below is a number that has a bound, in as few bytes as it takes.
func (d *decoder) below(bound uint64) uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || n > 1 && d.b[n-1] == 0 || v >= bound {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || n > 1 && d.b[n-1] == 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return int64(v>>1) ^ -int64(v&1)
}

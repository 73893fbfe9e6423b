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
	countOf // how many records there are, times this
)

// Encode writes a history without its number, which is the key of a store.
func (h *History) Encode() []byte {
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 64), h.Person)
	return h.append(out, &form{rows: whole{}})
}

// Decode reads a history. What it returns shares no memory with the bytes.
func Decode(c Change) (History, error) {
	d := decoder{b: c.Bytes}
	h := History{Number: c.Number, Person: d.fixed()}
	h.head(&d, &form{rows: whole{}})
	h.read(&d, &form{rows: whole{}})
	if d.bad || len(d.b) > 0 || h.Person == 0 {
		return History{}, ErrDecode
	}
	return h, nil
}

// form is how a history is written: where its numbers count from, and how rows are written.
type form struct {
	lane        uint16
	end, offset int64
	rows        interface {
		append(out, row []byte) []byte
		read(d *decoder) []byte
	}
}

// whole writes rows as they are.
type whole struct{}

func (whole) append(out, row []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(row))), row...)
}

func (whole) read(d *decoder) []byte {
	return append([]byte{}, d.take(d.below(uint64(len(d.b))+1))...)
}

func (h *History) append(out []byte, f *form) []byte {
	flags := when[byte](h.Faulty, isFaulty) | when[byte](h.Updated, isUpdated) |
		when[byte](len(h.Records) > 0 && h.Records[0].Key != 0, isKeyed)
	out = append(out, flags|byte(len(h.Records))*countOf)
	out = binary.AppendUvarint(out, uint64(h.Lane^f.lane))
	out = binary.AppendVarint(out, h.End-f.end)
	out = binary.AppendUvarint(out, uint64(h.Epoch))
	for i := range h.Records {
		r := &h.Records[i]
		if flags&isKeyed != 0 {
			out = binary.LittleEndian.AppendUint64(out, r.Key)
		}
		out = binary.AppendUvarint(out, uint64(r.Origin))
		out = binary.AppendVarint(out, r.Offset-f.offset)
		out = f.rows.append(out, r.Row)
	}
	return out
}

// head reads what is before the records.
func (h *History) head(d *decoder, f *form) {
	d.flags = d.byte()
	h.Faulty, h.Updated = d.flags&isFaulty != 0, d.flags&isUpdated != 0
	h.Lane, h.End, h.Epoch = uint16(d.below(1<<16))^f.lane, d.signed()+f.end, uint32(d.below(1<<32))
}

// read reads the records.
func (h *History) read(d *decoder, f *form) {
	flags, n := d.flags, int(d.flags/countOf)
	d.bad = d.bad || n > Most || flags&isKeyed != 0 && n == 0
	for range n {
		r := Record{}
		if flags&isKeyed != 0 {
			r.Key = d.fixed()
			d.bad = d.bad || r.Key == 0
		}
		r.Origin, r.Offset = uint16(d.below(1<<16)), d.signed()+f.offset
		r.Row = f.rows.read(d)
		h.Records = append(h.Records, r)
	}
}

// decoder reads what Encode wrote. After the first fault it returns zeros.
type decoder struct {
	b     []byte
	bad   bool
	flags byte // of the history
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

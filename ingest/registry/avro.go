package registry

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"time"
)

// kind is how a value is written in Avro's binary encoding.
type kind uint8

const (
	null kind = iota
	boolean
	whole // int, long
	float
	double
	text // string
	raw  // bytes
	fixed
	enum
	array
	mapped
	record
	union
)

// node says how a value is passed over, or written as JSON where it is a place, or places are in it.
type node struct {
	kind    kind
	size    int      // of fixed, in bytes
	scale   int      // of a decimal; -1: it is none
	unit    int64    // of a time, in nanoseconds; 0: it is none; day: a date
	symbols [][]byte // of an enum, in quotes
	fields  []field  // of a record
	of      *node    // the elements of an array, the values of a map, passed over
	others  []*node  // the branches of a union

	written  bool             // something of it is
	every    bool             // all of it is
	elements []*node          // of an array, up to the last that is written; nil: null stands there
	members  map[string]*node // of a map, those that are written
}

// field is a field of a record. Its name is written as the place has it, with quotes and colon.
type field struct {
	name []byte
	node *node
}

const day = -1

const (
	deepest = 256     // values may lie in one another: a schema may hold itself
	atLeast = 1 << 16 // values are read of a message, besides four a byte: some have no bytes
)

// reader reads a value of Avro. bad: the bytes are not such a value, and nothing after that was looked at.
type reader struct {
	in, out     []byte
	depth, left int
	bad         bool
}

// appendJSON writes what is looked for in a message as JSON. The text of a message that does not follow its schema is none.
func appendJSON(to []byte, n *node, message []byte) []byte {
	r := reader{in: message, out: to, left: atLeast + 4*len(message)}
	if r.write(n); r.bad || len(r.in) > 0 {
		r.out = append(r.out, ',') // nothing that ends so is JSON
	}
	return r.out
}

// write reads a value and writes it; skip passes over it.
func (r *reader) write(n *node) {
	if !n.written {
		r.skip(n)
		return
	}
	if !r.enter() {
		return
	}
	switch n.kind {
	case record:
		r.writeRecord(n)
	case array:
		r.writeArray(n)
	case mapped:
		r.writeMap(n)
	case union:
		if branch := r.branch(n); branch != nil {
			r.write(branch)
		}
	default:
		r.writeScalar(n)
	}
	r.depth--
}

// enter counts a value, and how deep it lies.
func (r *reader) enter() bool {
	r.depth++
	r.left--
	r.bad = r.bad || r.depth > deepest || r.left < 0
	return !r.bad
}

func (r *reader) branch(n *node) *node {
	i := r.long()
	if i < 0 || i >= int64(len(n.others)) {
		r.bad = true
		return nil
	}
	return n.others[i]
}

func (r *reader) writeRecord(n *node) {
	r.out = append(r.out, '{')
	some := false
	for i := range n.fields {
		f := &n.fields[i]
		if r.bad {
			return
		}
		if !f.node.written {
			r.skip(f.node)
			continue
		}
		if some {
			r.out = append(r.out, ',')
		}
		some = true
		r.out = append(r.out, f.name...)
		r.write(f.node)
	}
	if !r.bad {
		r.out = append(r.out, '}')
	}
}

// writeArray writes the elements up to the last that is looked for.
func (r *reader) writeArray(n *node) {
	r.out = append(r.out, '[')
	i := 0
	r.blocks(func() bool {
		if i >= len(n.elements) && !n.every {
			return false
		}
		if i > 0 {
			r.out = append(r.out, ',')
		}
		switch {
		case n.every:
			r.write(n.of)
		case n.elements[i] != nil:
			r.write(n.elements[i])
		default:
			r.out = append(r.out, "null"...)
			r.skip(n.of)
		}
		i++
		return true
	}, func() { r.skip(n.of) })
	if !r.bad {
		r.out = append(r.out, ']')
	}
}

func (r *reader) writeMap(n *node) {
	r.out = append(r.out, '{')
	some := false
	r.blocks(func() bool {
		key := r.bytes()
		of := n.members[string(key)]
		if n.every {
			of = n.of
		} else if of == nil {
			r.skip(n.of)
			return true
		}
		if some {
			r.out = append(r.out, ',')
		}
		some = true
		r.out = append(appendQuoted(r.out, key), ':')
		r.write(of)
		return true
	}, nil)
	if !r.bad {
		r.out = append(r.out, '}')
	}
}

// blocks reads the blocks of an array or a map: take reads an element, as long as it returns true; then skip does.
func (r *reader) blocks(take func() bool, skip func()) {
	taking := take != nil
	for !r.bad {
		n := r.long()
		if n == 0 {
			return
		}
		if n < 0 {
			size := r.long()
			if !taking {
				r.cut(size)
				continue
			}
			n = -n
		}
		for r.bad = r.bad || n < 0; n > 0 && !r.bad; { // the least number has no opposite
			if taking = taking && take(); taking {
				n--
				continue
			}
			before := len(r.in)
			if skip(); len(r.in) == before {
				break // elements without bytes, of which there may be any number
			}
			n--
		}
	}
}

// skip passes over a value.
func (r *reader) skip(n *node) {
	if !r.enter() {
		return
	}
	switch n.kind {
	case null:
	case boolean:
		r.cut(1)
	case whole, enum:
		r.long()
	case float:
		r.cut(4)
	case double:
		r.cut(8)
	case text, raw:
		r.bytes()
	case fixed:
		r.cut(int64(n.size))
	case array:
		r.blocks(nil, func() { r.skip(n.of) })
	case mapped:
		r.blocks(nil, func() { r.bytes(); r.skip(n.of) })
	case record:
		for i := range n.fields {
			r.skip(n.fields[i].node)
		}
	case union:
		if branch := r.branch(n); branch != nil {
			r.skip(branch)
		}
	}
	r.depth--
}

// writeScalar writes a value that has no parts.
func (r *reader) writeScalar(n *node) {
	switch n.kind {
	case null:
		r.out = append(r.out, "null"...)
	case boolean:
		if b := r.cut(1); len(b) == 1 {
			r.out = strconv.AppendBool(r.out, b[0] != 0)
		}
	case whole:
		if v := r.long(); !r.bad {
			r.writeWhole(v, n.unit)
		}
	case float:
		if b := r.cut(4); b != nil {
			r.writeFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
		}
	case double:
		if b := r.cut(8); b != nil {
			r.writeFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
		}
	case text:
		if b := r.bytes(); !r.bad {
			r.out = appendQuoted(r.out, b)
		}
	case enum:
		if i := r.long(); i >= 0 && i < int64(len(n.symbols)) {
			r.out = append(r.out, n.symbols[i]...)
		} else {
			r.bad = true
		}
	case raw, fixed:
		b := r.cut(int64(n.size))
		if n.kind == raw {
			b = r.bytes()
		}
		if !r.bad {
			r.writeBytes(b, n.scale)
		}
	}
}

// writeWhole writes an integer, a date, or a time as RFC 3339 has it. One that is outside of the years 0 to 9999 stays a number.
func (r *reader) writeWhole(v, unit int64) {
	var at time.Time
	switch {
	case unit == day:
		const most = 10_000 * 366
		at = time.Unix(86400*max(-most, min(v, most)), 0).UTC()
	case unit > 0:
		seconds := int64(time.Second) / unit
		at = time.Unix(v/seconds, v%seconds*unit).UTC()
	}
	year, month, date := at.Date()
	switch {
	case unit == 0 || year < 0 || year > 9999:
		r.out = strconv.AppendInt(r.out, v, 10)
	case unit == day:
		const zero = '0'
		r.out = append(r.out, '"', byte(zero+year/1000), byte(zero+year/100%10), byte(zero+year/10%10), byte(zero+year%10), '-',
			byte(zero+month/10), byte(zero+month%10), '-', byte(zero+date/10), byte(zero+date%10), '"')
	default:
		r.out = at.AppendFormat(r.out, `"`+time.RFC3339Nano+`"`)
	}
}

func (r *reader) writeFloat(v float64, bits int) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.out = append(strconv.AppendFloat(append(r.out, '"'), v, 'g', -1, bits), '"')
		return
	}
	r.out = strconv.AppendFloat(r.out, v, 'f', -1, bits)
}

// mostDigits bounds a decimal, in bytes; longer ones are bytes.
const mostDigits = 64

// writeBytes writes a decimal as a number, and other bytes in base64, as Kafka Connect does.
func (r *reader) writeBytes(b []byte, scale int) {
	if scale < 0 || len(b) > mostDigits {
		r.out = append(base64.StdEncoding.AppendEncode(append(r.out, '"'), b), '"')
		return
	}
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if n.Sign() < 0 {
		r.out = append(r.out, '-')
		n.Neg(n)
	}
	digits := n.Append(nil, 10)
	for len(digits) <= scale {
		digits = append([]byte{'0'}, digits...)
	}
	whole := len(digits) - scale
	if r.out = append(r.out, digits[:whole]...); scale > 0 {
		r.out = append(append(r.out, '.'), digits[whole:]...)
	}
}

// long reads an integer: zigzag, in groups of seven bits.
func (r *reader) long() int64 {
	v, n := binary.Varint(r.in)
	if n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	r.in = r.in[n:]
	return v
}

func (r *reader) bytes() []byte { return r.cut(r.long()) }

// cut takes so many bytes; nil: there are fewer.
func (r *reader) cut(n int64) []byte {
	if r.bad || n < 0 || n > int64(len(r.in)) {
		r.bad = true
		return nil
	}
	out := r.in[:n:n]
	r.in = r.in[n:]
	return out
}

// appendQuoted writes a text as JSON has it. Bytes that are no UTF-8 stay, so decoders refuse them by their name.
func appendQuoted(to, s []byte) []byte {
	const hex = "0123456789abcdef"
	to = append(to, '"')
	start := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, s[start:i]...)
		if start = i + 1; c < ' ' {
			to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			to = append(to, '\\', c)
		}
	}
	return append(append(to, s[start:]...), '"')
}

package dialect

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encoding is how a text is written in bytes, as source.csv.encoding calls it.
type Encoding string

// The encodings. Those that have no name here are in Encodings alone.
const (
	UTF8        Encoding = "utf-8"
	UTF16       Encoding = "utf-16"
	Windows1252 Encoding = "windows-1252"
	Latin1      Encoding = "iso-8859-1"
)

// Encodings are all that are read.
var Encodings = []Encoding{UTF8, UTF16, Windows1252, Latin1, "iso-8859-15", "windows-1250", "windows-1251", "macintosh", "ibm850"}

// Form is how CSV is written. The zero Form: commas between fields, UTF-8, a point before fractions.
type Form struct {
	Delimiter    byte
	Encoding     Encoding
	DecimalComma bool
}

// ofBytes are the encodings in which every byte is a character, and those of ASCII are ASCII's: lines, delimiters and quotes are
// found before anything is converted.
var ofBytes = map[Encoding]*charmap.Charmap{Windows1252: charmap.Windows1252, Latin1: charmap.ISO8859_1, "iso-8859-15": charmap.ISO8859_15,
	"windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "macintosh": charmap.Macintosh, "ibm850": charmap.CodePage850}

// OneByte reports whether each byte is a character, and those of ASCII are ASCII's.
func (e Encoding) OneByte() bool { return ofBytes[e] != nil }

// Has reports whether a line is in the encoding: whether it is valid UTF-8, or each byte from 0x80 on is a character that shows
// something. A control character of that range is in no text: it tells that the encoding is another one. Lines of UTF-16 are
// judged as the UTF-8 that a Transcoder makes of them.
func (e Encoding) Has(line []byte) bool {
	m := ofBytes[e]
	if m == nil {
		return utf8.Valid(line)
	}
	for _, b := range line {
		if b >= utf8.RuneSelf && !shown(m.DecodeByte(b)) {
			return false
		}
	}
	return true
}

func shown(r rune) bool { return r >= 0xa0 && r != utf8.RuneError }

// Append appends a line in UTF-8. ok is false if it is not in the encoding; then the bytes that are no character stand as they
// are, which is no UTF-8.
func (e Encoding) Append(to, line []byte) (out []byte, ok bool) {
	m := ofBytes[e]
	if m == nil {
		return append(to, line...), utf8.Valid(line)
	}
	ok = true
	for _, b := range line {
		r := rune(b)
		if b >= utf8.RuneSelf {
			if r = m.DecodeByte(b); !shown(r) {
				to, ok = append(to, b), false
				continue
			}
		}
		to = utf8.AppendRune(to, r)
	}
	return to, ok
}

// Convert returns a text in UTF-8; false: it is not in the encoding.
func (e Encoding) Convert(text []byte) ([]byte, bool) {
	if e != UTF16 {
		return e.Append(nil, text)
	}
	out := new(Transcoder).Append(nil, text, true)
	return out, utf8.Valid(out)
}

// Transcoder makes UTF-8 of UTF-16 piece by piece. The byte order mark tells the order of the bytes; without one the first
// character has to be one of ASCII. Half a character, and a text that begins otherwise, becomes the byte 0xff, which is in no
// UTF-8: whoever judges the line (Encoding.Has) finds it.
type Transcoder struct {
	order binary.ByteOrder
	rest  []byte // the beginning of a character: at most three bytes
}

// Append appends what a piece of a text holds. final: nothing comes behind it.
func (d *Transcoder) Append(to, piece []byte, final bool) []byte {
	if len(d.rest) > 0 {
		piece = append(d.rest, piece...)
		d.rest = nil
	}
	if d.order == nil && len(piece) >= 2 {
		switch mark := binary.BigEndian.Uint16(piece); {
		case mark == 0xfeff || mark>>8 == 0:
			d.order = binary.BigEndian
		default:
			d.order = binary.LittleEndian
			if mark != 0xfffe && mark&0xff != 0 {
				to = append(to, 0xff)
			}
		}
	}
	for len(piece) >= 2 {
		r, size := rune(d.order.Uint16(piece)), 2
		if utf16.IsSurrogate(r) {
			if len(piece) < 4 && !final {
				break
			}
			if r, size = d.pair(r, piece); r == utf8.RuneError {
				to, piece = append(to, 0xff), piece[size:]
				continue
			}
		}
		to, piece = utf8.AppendRune(to, r), piece[size:]
	}
	if final && len(piece) > 0 {
		return append(to, 0xff)
	}
	d.rest = append([]byte(nil), piece...)
	return to
}

// pair reads the second half of a character that needs two.
func (d *Transcoder) pair(first rune, piece []byte) (r rune, size int) {
	if len(piece) < 4 {
		return utf8.RuneError, 2
	}
	if r = utf16.DecodeRune(first, rune(d.order.Uint16(piece[2:]))); r == utf8.RuneError {
		return r, 2
	}
	return r, 4
}

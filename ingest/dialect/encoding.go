package dialect

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is how a text is written in bytes, as source.csv.encoding calls it.
type Encoding string

// The encodings. Those that have no name here are in Encodings alone.
const (
	UTF8        Encoding = "utf-8"
	UTF16       Encoding = "utf-16"
	Windows1252 Encoding = "windows-1252"
)

// Encodings are all that are read.
var Encodings = []Encoding{UTF8, UTF16, Windows1252, "iso-8859-1", "iso-8859-15", "windows-1250", "windows-1251", "macintosh", "ibm850"}

// Form is how CSV is written. The zero Form: commas between fields, UTF-8, a point before fractions.
type Form struct {
	Delimiter    byte
	Encoding     Encoding
	DecimalComma bool
}

// ofBytes are the encodings in which every byte is a character, and those of ASCII are ASCII's: lines, delimiters and quotes are
// found before anything is converted.
var ofBytes = map[Encoding]*charmap.Charmap{Windows1252: charmap.Windows1252, "iso-8859-1": charmap.ISO8859_1,
	"iso-8859-15": charmap.ISO8859_15, "windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251,
	"macintosh": charmap.Macintosh, "ibm850": charmap.CodePage850}

// OneByte reports whether each byte is a character, and those of ASCII are ASCII's.
func (e Encoding) OneByte() bool { return ofBytes[e] != nil }

// Has reports whether a line is in the encoding: whether it is valid UTF-8, or each byte from 0x80 on is a character that shows
// something. A control character of that range is in no text: it tells that the encoding is another one. Lines of UTF-16 are
// judged as the UTF-8 that a Reader makes of them, which has U+FFFD where there was no character.
func (e Encoding) Has(line []byte) bool {
	m := ofBytes[e]
	if m == nil {
		return utf8.Valid(line) && (e != UTF16 || !bytes.ContainsRune(line, utf8.RuneError))
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
		return append(to, line...), e.Has(line)
	}
	ok = true
	for _, b := range line {
		if r := m.DecodeByte(b); b < utf8.RuneSelf || shown(r) {
			to = utf8.AppendRune(to, r)
		} else {
			to, ok = append(to, b), false
		}
	}
	return to, ok
}

// Convert returns a text in UTF-8; false: it is not in the encoding.
func (e Encoding) Convert(text []byte) ([]byte, bool) {
	if e == UTF16 {
		text, _, _ = transform.Bytes(&transcoder{}, text)
	}
	return e.Append(nil, text)
}

// wide reports whether a text is UTF-16: it has a byte order mark, or every second byte of its beginning is zero, mostly.
func wide(text []byte) bool {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return true
	}
	text = text[:min(len(text), 1<<10)&^1]
	var zeros [2]int
	for i, b := range text {
		if b == 0 {
			zeros[i%2]++
		}
	}
	return min(zeros[0], zeros[1]) == 0 && 8*max(zeros[0], zeros[1]) > 3*len(text)
}

// Reader makes UTF-8 of a text in UTF-16. Lines in the other encodings are found before they are converted (Append).
func (e Encoding) Reader(text io.Reader) io.Reader {
	if e != UTF16 {
		return text
	}
	return transform.NewReader(text, &transcoder{})
}

// transcoder makes UTF-8 of UTF-16. The byte order mark tells the order of the bytes; without one the first character has to be one
// of ASCII. Half a character, and a text that begins otherwise, becomes U+FFFD: whoever judges the line (Encoding.Has) finds it.
type transcoder struct {
	transform.NopResetter
	decoder *encoding.Decoder
}

// Transform implements transform.Transformer.
func (d *transcoder) Transform(dst, src []byte, final bool) (made, used int, err error) {
	if d.decoder == nil {
		switch {
		case len(src) < 2 && !final:
			return 0, 0, transform.ErrShortSrc
		case len(dst) < utf8.UTFMax:
			return 0, 0, transform.ErrShortDst
		}
		order, begin := unicode.LittleEndian, append(bytes.Clone(src[:min(2, len(src))]), 0, 0)
		if begin[0] == 0 || bytes.HasPrefix(begin, []byte("\xfe\xff")) {
			order = unicode.BigEndian
		} else if begin[1] != 0 && !bytes.HasPrefix(begin, []byte("\xff\xfe")) {
			made = utf8.EncodeRune(dst, utf8.RuneError)
		}
		d.decoder = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	}
	more, used, err := d.decoder.Transform(dst[made:], src, final)
	return made + more, used, err
}

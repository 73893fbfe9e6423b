// Package dialect looks at the first bytes of an input and says what they look like: container, encoding, line ends and format;
// of CSV delimiter, header and decimal sign.
//
// # Guarantee
//
// It decides nothing: what it says is for people, who set a key. Sentences have counts, numbers of lines and delimiters, never a
// text of the input (rule V: no value is shown); only Columns and Text do. It takes any bytes.
//
// # Method
//
// Magic numbers, byte order marks and the share of zero bytes tell the container. A text is cut into records by each delimiter in
// turn, and the one counts by which most records have as many fields as the first.
//
// # Cost
//
// At most MostBytes are looked at, each a few times, and MostRecords records.
package dialect

import (
	"bytes"
	"cmp"
	"fmt"
	"unicode/utf8"
)

// MostBytes are looked at, and MostRecords.
const (
	MostBytes   = 256 << 10
	MostRecords = 500
)

// LineEnds are how lines end.
type LineEnds string

// The ends of lines.
const (
	LF   LineEnds = "lf"
	CRLF LineEnds = "crlf"
	CR   LineEnds = "cr"
)

// Format is how records are written.
type Format string

// The formats. Those of source.format have its names.
const (
	Unknown      Format = ""
	CSV          Format = "csv"
	JSON         Format = "json" // an object a line
	Debezium     Format = "debezium"
	DebeziumFlat Format = "debezium-flat"
	FHIR         Format = "fhir"     // a resource a line: source.format is json
	OneJSON      Format = "one-json" // an array, or an object over several lines
)

// Found is what an input looks like.
type Found struct {
	Container Container
	Encoding  Encoding
	LineEnds  LineEnds
	Format    Format
	Delimiter byte     // of CSV; 0: it is none
	Multiline bool     // quoted fields of CSV hold line breaks
	Header    bool     // the first record names the columns
	Columns   []string // fields of the first record of CSV, members of the first object of JSON
	Preamble  int      // lines before the first record
	Decimal   byte     // '.' or ','; 0: there is no number with a fraction
	// Text is the beginning in UTF-8, without byte order mark and preamble, with LF at the ends of its lines, all of them whole.
	Text     []byte
	Findings []Finding // the gravest first
}

// Finding is one thing that was seen.
type Finding struct {
	Of    string // container, encoding, line ends, format, delimiter, multiline, header or decimal
	Why   string // a predicate: `is UTF-16 (it begins with a byte order mark)`
	Key   string // of the configuration; empty: none helps
	Value string // its value, as YAML
	Do    string // what else to do
	Fatal bool   // no configuration reads the input as it is
}

// String is what was seen and what to do, to be put behind the name of an input: `is …: set source.csv.encoding: utf-16`.
func (f Finding) String() string { return f.Why + ": " + cmp.Or(f.Do, f.Set()) }

// Set is the key to set, in words; empty: none helps.
func (f Finding) Set() string {
	switch {
	case f.Key == "":
		return ""
	case f.Value == "":
		return "set " + f.Key
	}
	return "set " + f.Key + ": " + f.Value
}

// Of returns the finding of a kind.
func (d *Found) Of(kind string) (Finding, bool) {
	for _, f := range d.Findings {
		if f.Of == kind {
			return f, true
		}
	}
	return Finding{}, false
}

func (d *Found) note(f Finding) { d.Findings = append(d.Findings, f) }

// Plain reports whether an input is a text in UTF-8 whose lines end in LF, as far as its beginning tells. It costs a hundredth of
// Look.
func Plain(beginning []byte, whole bool) bool {
	if kind, _ := contained(beginning); kind != Text || wide(beginning) {
		return false
	}
	if !whole {
		beginning = cutRune(beginning)
	}
	return utf8.Valid(beginning) && (bytes.IndexByte(beginning, '\n') >= 0 || bytes.IndexByte(beginning, '\r') < 0)
}

// Look looks at the beginning of an input. whole: there is no more than that.
func Look(beginning []byte, whole bool) *Found {
	if len(beginning) > MostBytes {
		beginning, whole = beginning[:MostBytes], false
	}
	d := &Found{}
	kind, found := contained(beginning)
	if d.Container = kind; kind != Text {
		d.note(found)
		return d
	}
	text, ok := d.decode(beginning, whole)
	if !ok {
		d.Container = Binary
		d.Findings = []Finding{{Of: "container", Why: "is no text (it has zero bytes)", Do: asCSV, Fatal: true}}
		return d
	}
	text = d.lines(text, whole)
	if d.Text = d.preamble(text); len(bytes.TrimSpace(d.Text)) == 0 {
		return d
	}
	if !d.json() {
		d.csv()
	}
	d.keysOfCSV()
	return d
}

// decode makes UTF-8 of the text. false: it is none.
func (d *Found) decode(raw []byte, whole bool) ([]byte, bool) {
	if wide(raw) {
		d.Encoding = UTF16
		if !whole {
			raw = raw[:len(raw)&^1]
		}
		text := new(Transcoder).Append(nil, raw, whole)
		d.note(Finding{Of: "encoding", Why: "is UTF-16", Key: "source.csv.encoding", Value: string(UTF16)})
		return bytes.TrimPrefix(bytes.ToValidUTF8(text, []byte("\ufffd")), []byte("\ufeff")), true
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return nil, false
	}
	text := bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !whole {
		text = cutRune(text)
	}
	d.Encoding = UTF8
	if utf8.Valid(text) {
		return text, true
	}
	d.Encoding = Windows1252
	why := fmt.Sprintf("is not UTF-8 (line %d)", 1+bytes.Count(text[:invalidAt(text)], []byte{'\n'}))
	if converted, ok := Windows1252.Convert(text); ok {
		d.note(Finding{Of: "encoding", Why: why + ", and looks like Windows-1252", Key: "source.csv.encoding", Value: string(Windows1252)})
		return converted, true
	}
	d.note(Finding{Of: "encoding", Why: why + ", nor Windows-1252", Key: "source.csv.encoding"})
	return bytes.ToValidUTF8(text, []byte("\ufffd")), true
}

// cutRune takes the beginning of a character off the end.
func cutRune(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

// invalidAt is the place of the first byte that is no UTF-8.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}

// lines finds how lines end, and returns those that are whole, with LF.
func (d *Found) lines(text []byte, whole bool) []byte {
	lf, cr, crlf := bytes.Count(text, []byte{'\n'}), bytes.Count(text, []byte{'\r'}), bytes.Count(text, []byte("\r\n"))
	switch {
	case lf == 0 && cr > 0 && (cr > 1 || text[len(text)-1] != '\r'): // else the LF may still come
		d.LineEnds = CR
		d.note(Finding{Of: "line ends", Why: "ends its lines in CR, as old Macintosh programs do", Do: "convert it: tr '\\r' '\\n'", Fatal: true})
		text = bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
	case crlf > 0 && 2*crlf >= lf:
		d.LineEnds = CRLF
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte{'\n'})
	case lf > 0:
		d.LineEnds = LF
	}
	if last := bytes.LastIndexByte(text, '\n'); !whole && last >= 0 {
		text = text[:last+1]
	}
	return text
}

// preamble passes lines without a value, and the line that tells Excel the delimiter.
func (d *Found) preamble(text []byte) []byte {
	for {
		line, rest, more := bytes.Cut(text, []byte{'\n'})
		if len(bytes.Trim(line, "\r"+string(delimiters))) > 0 {
			if d.Delimiter = SeparatorLine(line); d.Delimiter == 0 || !more {
				return text
			}
		}
		if !more {
			return text
		}
		text = rest
		d.Preamble++
		if d.Delimiter != 0 {
			return text
		}
	}
}

// SeparatorLine is the delimiter of a line `sep=;`, which programs put before the header to tell Excel; 0: it is none.
func SeparatorLine(line []byte) byte {
	if len(line) == 5 && bytes.EqualFold(line[:4], []byte("sep=")) {
		return line[4]
	}
	return 0
}

// keysOfCSV corrects findings whose keys belong to CSV, where the records are JSON.
func (d *Found) keysOfCSV() {
	if d.Format == CSV {
		return
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Of == "encoding" {
			f.Key, f.Value, f.Fatal = "", "", true
			f.Do = "convert it: iconv -f " + string(d.Encoding) + " -t UTF-8"
		}
	}
}

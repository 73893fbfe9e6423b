// Package dialect looks at the first bytes of an input and says what they look like: container, encoding, line ends and format;
// of CSV delimiter and header.
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
// At most MostBytes are looked at, each a few times, and mostRecords records.
package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MostBytes are looked at, and mostRecords.
const (
	MostBytes   = 256 << 10
	mostRecords = 500
)

// Format is how records are written; empty: none of these.
type Format string

// The formats. Those of source.format have its names.
const (
	CSV          Format = "csv"
	JSON         Format = "json" // an object a line
	Debezium     Format = "debezium"
	DebeziumFlat Format = "debezium-flat"
	FHIR         Format = "fhir" // a resource a line: source.format is json
)

// Found is what an input looks like.
type Found struct {
	Encoding  Encoding
	Format    Format
	Delimiter byte     // of CSV; 0: it is none
	Columns   []string // fields of the first record of CSV
	Preamble  int      // lines before the first record
	// Text is the beginning in UTF-8, without byte order mark and preamble, with LF at the ends of its lines, all of them whole.
	Text     []byte
	Findings []Finding // the gravest first
}

// Finding is one thing that was seen and has to be done something about.
type Finding struct {
	Of    string // container, framing, binary, encoding, line ends, format, delimiter or header
	Why   string // a predicate: `is UTF-16`
	Do    string // the key to set, or what else to do
	Fatal bool   // no configuration reads the input as it is
}

// String is to be put behind the name of an input: `is UTF-16: set source.csv.encoding: utf-16`.
func (f Finding) String() string { return f.Why + ": " + f.Do }

// Of returns the finding of a kind.
func (d *Found) Of(kind string) (Finding, bool) {
	if i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Of == kind }); i >= 0 {
		return d.Findings[i], true
	}
	return Finding{}, false
}

func (d *Found) note(f Finding) { d.Findings = append(d.Findings, f) }

const asCSV = "save it as CSV in UTF-8"

// containers are what files begin with. The first that fits counts.
var containers = []struct {
	begin, holds string // holds: somewhere in what is looked at
	what, do     string
}{
	{"PK\x03\x04", "xl/", "an Excel workbook (.xlsx)", asCSV},
	{"PK\x03\x04", "opendocument.spreadsheet", "a spreadsheet (.ods)", asCSV},
	{"PK\x03\x04", "", "a ZIP archive", "unpack it"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "an Excel workbook (.xls)", asCSV},
	{"PAR1\x15", "", "a Parquet file", "write it as CSV or NDJSON"},
	{"\x1f\x8b", "", "packed with gzip", "give it a name that ends in .gz, or unpack it"},
	{"\x28\xb5\x2f\xfd", "", "packed with zstd", "unpack it"},
	{"BZh", "1AY&SY", "packed with bzip2", "unpack it"},
	{"\xfd7zXZ\x00", "", "packed with xz", "unpack it"},
	{"Obj\x01", "", "an Avro file", "write it as NDJSON"},
	{"$FL", "\x00", "an SPSS file", asCSV},
	{"<stata_dta>", "", "a Stata file", asCSV},
	{"SQLite format 3\x00", "", "an SQLite database", "export the table as CSV"},
}

// IsFramed reports whether a message begins as serializers of a schema registry write it: a zero byte and four bytes of the
// schema's number, which is small in every registry.
func IsFramed(message []byte) bool {
	return len(message) > 5 && message[0] == 0 && (message[1] == 0 || bytes.IndexByte([]byte("{[\""), message[5]) >= 0)
}

// contained says what an input is that is no text; ok is false for others.
func contained(text []byte) (f Finding, ok bool) {
	for _, c := range containers {
		if bytes.HasPrefix(text, []byte(c.begin)) && bytes.Contains(text, []byte(c.holds)) {
			return Finding{"container", "is " + c.what, c.do, true}, true
		}
	}
	return Finding{"framing", "begins with a zero byte and a schema number, as messages of a schema registry do",
		"set source.registry.url (anond init --registry), or have a converter write plain JSON", true}, !wide(text) && IsFramed(text)
}

// Plain reports whether an input is a text in UTF-8 whose lines end in LF, as far as its beginning tells. It costs a hundredth of
// Look.
func Plain(beginning []byte, whole bool) bool {
	if _, other := contained(beginning); other || wide(beginning) {
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
	f, other := contained(beginning)
	if !other && bytes.IndexByte(beginning, 0) >= 0 && !wide(beginning) {
		f, other = Finding{"binary", "is no text (it has zero bytes)", asCSV, true}, true
	}
	if other {
		d.note(f)
		return d
	}
	text := d.lines(d.decode(beginning, whole), whole)
	if d.Text = d.preamble(text); len(bytes.TrimSpace(d.Text)) == 0 {
		return d
	}
	if !d.json() {
		d.csv()
	}
	if d.Format != CSV && len(d.Findings) > 0 && d.Findings[0].Of == "encoding" { // the key belongs to CSV
		d.Findings[0].Do, d.Findings[0].Fatal = "convert it: iconv -f "+string(d.Encoding)+" -t UTF-8", true
	}
	return d
}

// decode makes UTF-8 of a text.
func (d *Found) decode(raw []byte, whole bool) []byte {
	if !whole {
		raw = cutRune(raw)
	}
	switch {
	case wide(raw):
		d.Encoding = UTF16
		raw, _ = UTF16.Convert(raw)
		d.note(Finding{Of: "encoding", Why: "is UTF-16", Do: "set source.csv.encoding: utf-16"})
	case utf8.Valid(raw):
		d.Encoding = UTF8
	default:
		// The first byte that is no UTF-8, or a U+FFFD in front of it.
		line := 1 + bytes.Count(raw[:bytes.IndexRune(raw, utf8.RuneError)], []byte{'\n'})
		f := Finding{Of: "encoding", Why: fmt.Sprintf("is not UTF-8 (line %d), nor Windows-1252", line), Do: "set source.csv.encoding"}
		if converted, ok := Windows1252.Convert(raw); ok {
			f.Why, f.Do = fmt.Sprintf("is not UTF-8 (line %d), and looks like Windows-1252", line), "set source.csv.encoding: windows-1252"
			raw = converted
		}
		d.Encoding = Windows1252
		d.note(f)
	}
	return bytes.TrimPrefix(bytes.ToValidUTF8(raw, []byte("\ufffd")), []byte("\ufeff"))
}

// cutRune takes the beginning of a character off the end.
func cutRune(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

// lines returns the lines that are whole, with LF.
func (d *Found) lines(text []byte, whole bool) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte{'\n'})
	if cr := bytes.IndexByte(text, '\r'); cr >= 0 && cr < len(text)-1 && bytes.IndexByte(text, '\n') < 0 { // else the LF may still come
		d.note(Finding{Of: "line ends", Why: "ends its lines in CR, as old Macintosh programs do", Do: "convert it: tr '\\r' '\\n'", Fatal: true})
		text = bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
	}
	if last := bytes.LastIndexByte(text, '\n'); !whole && last >= 0 {
		text = text[:last+1]
	}
	return text
}

// preamble passes lines without a value, and the line that tells Excel the delimiter.
func (d *Found) preamble(text []byte) []byte {
	for d.Delimiter == 0 {
		line, rest, more := bytes.Cut(text, []byte{'\n'})
		separator := SeparatorLine(line)
		if !more || separator == 0 && strings.Trim(string(line), "\r"+delimiters) != "" {
			return text
		}
		text, d.Delimiter = rest, separator
		d.Preamble++
	}
	return text
}

// SeparatorLine is the delimiter of a line `sep=;`, which programs put before the header to tell Excel; 0: it is none.
func SeparatorLine(line []byte) byte {
	if len(line) == 5 && bytes.EqualFold(line[:4], []byte("sep=")) {
		return line[4]
	}
	return 0
}

// json reports whether the records are JSON, and sees of which kind the first is.
func (d *Found) json() bool {
	text := bytes.TrimLeft(d.Text, " \t\n")
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	line = bytes.TrimSpace(line)
	switch {
	case text[0] == '{' && len(line) == 1, text[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(text[1:], " \t\n"), []byte("{")):
		d.note(Finding{Of: "format", Why: "is one JSON text over several lines, or an array", Do: "write an object a line: jq -c '.[]'",
			Fatal: true})
		return true
	case text[0] != '{':
		return false
	}
	members, inside := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if d.Format = JSON; json.Unmarshal(line, &members) != nil {
		return true
	}
	if json.Unmarshal(members["payload"], &inside) != nil {
		inside = members
	}
	has := func(in map[string]json.RawMessage, names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return in[name] != nil })
	}
	op := slices.Contains([]string{`"c"`, `"r"`, `"u"`, `"d"`}, string(inside["op"]))
	switch {
	case op && has(inside, "before", "after"):
		d.Format = Debezium
	case op, has(inside, "__op", "__deleted"):
		d.Format = DebeziumFlat
	case has(members, "resourceType"):
		d.Format = FHIR
	}
	return true
}

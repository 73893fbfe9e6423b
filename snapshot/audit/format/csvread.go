package format

import (
	"bytes"
	"unicode/utf8"
)

// CsvReader reads RFC 4180 as releases use it: UTF-8, LF, every line the same
// number of fields, no stray quotes. Fields point into the file's bytes (only
// a field with doubled quotes is copied), so they stay valid for as long as
// the data does and a row costs no allocation.
type CsvReader struct {
	File   string
	data   []byte
	Pos    int
	At     int // line on which the next row starts
	Line   int // line on which the current row started
	want   int // fields per row; fixed by the header
	Fields [][]byte
	// Neighbouring rows mostly begin alike. The first fields, so many, are not looked at
	// again where the bytes of them all are those of the row above: the same bytes from
	// the begin of a line to behind a comma are the same fields.
	Alike int
	lead  []byte // those bytes of the row above, the last comma included; nil: not known
	Kept  int    // fields of the row above that the current row has, too, as far as its bytes tell
	// Where all rows of a class are equal, the row above is looked for as a whole.
	Repeats bool
	above   []byte // its bytes, the LF included; nil: there is none
	lines   int    // it has
	Spare   int    // fields that are quoted without need
}

// NewCSV checks the encoding and reads the header.
func NewCSV(file string, data []byte) (*CsvReader, []string, error) {
	if !utf8.Valid(data) {
		return nil, nil, Unreadable(file, 0, "is not UTF-8")
	}
	r := &CsvReader{File: file, data: data, At: 1}
	ok, err := r.Next()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, Unreadable(file, 1, "header missing")
	}
	header := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		header[i] = string(f)
	}
	r.want = len(header)
	return r, header, nil
}

func (r *CsvReader) Fail(text string, args ...any) error {
	return Unreadable(r.File, r.Line, text, args...)
}

// Next reads one row into r.fields; false means the end of the file.
func (r *CsvReader) Next() (bool, error) {
	r.Line = r.At
	if r.Pos == len(r.data) {
		return false, nil
	}
	begin := r.Pos
	if r.above != nil && bytes.HasPrefix(r.data[r.Pos:], r.above) {
		r.Kept, r.Pos, r.At = len(r.Fields), r.Pos+len(r.above), r.At+r.lines
		return true, nil
	}
	if r.Kept = 0; r.lead != nil && bytes.HasPrefix(r.data[r.Pos:], r.lead) {
		r.Kept, r.Pos = r.Alike, r.Pos+len(r.lead)
		if r.Pos == len(r.data) {
			return false, r.Fail("last line does not end in LF")
		}
	} else {
		r.lead = nil
	}
	r.Fields = r.Fields[:r.Kept]
	for {
		var err error
		if r.data[r.Pos] == '"' {
			err = r.quoted()
		} else {
			err = r.plain()
		}
		if err != nil {
			return false, err
		}
		if r.Pos == len(r.data) {
			return false, r.Fail("last line does not end in LF")
		}
		end := r.data[r.Pos]
		r.Pos++
		if end == '\n' {
			break
		}
		if r.Pos == len(r.data) {
			return false, r.Fail("last line does not end in LF")
		}
		if len(r.Fields) == r.Alike && r.At == r.Line {
			r.lead = r.data[begin:r.Pos]
		}
	}
	r.At++
	if r.want > 0 && len(r.Fields) != r.want {
		return false, r.Fail("%d fields, the header has %d", len(r.Fields), r.want)
	}
	if r.Repeats {
		r.above, r.lines = r.data[begin:r.Pos], r.At-r.Line
	}
	return true, nil
}

func (r *CsvReader) plain() error {
	i := r.Pos
	for ; i < len(r.data); i++ {
		switch r.data[i] {
		case ',', '\n':
			r.Fields = append(r.Fields, r.data[r.Pos:i])
			r.Pos = i
			return nil
		case '"':
			return r.Fail("quote inside an unquoted field")
		case '\r':
			return r.Fail("carriage return; lines end in LF")
		}
	}
	return r.Fail("last line does not end in LF")
}

func (r *CsvReader) quoted() error {
	start, i, escaped := r.Pos+1, r.Pos+1, false
	for {
		j := bytes.IndexByte(r.data[i:], '"')
		if j < 0 {
			return r.Fail("quoted field is not closed")
		}
		i += j
		if i+1 < len(r.data) && r.data[i+1] == '"' {
			escaped = true
			i += 2
			continue
		}
		break
	}
	field := r.data[start:i]
	r.At += bytes.Count(field, []byte{'\n'})
	if !bytes.ContainsAny(field, ",\"\r\n") {
		r.Spare++
	}
	if escaped {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	r.Fields = append(r.Fields, field)
	r.Pos = i + 1
	if r.Pos < len(r.data) && r.data[r.Pos] != ',' && r.data[r.Pos] != '\n' {
		return r.Fail("text after a closing quote")
	}
	return nil
}

// CountRows counts the rows left, used to size columns; it over-counts when a
// quoted field holds a line break, which costs memory only.
func (r *CsvReader) CountRows() int {
	return bytes.Count(r.data[r.Pos:], []byte{'\n'})
}

// ParseCount reads a canonical unsigned decimal below 2^31: no sign, no
// leading zero.
func ParseCount(b []byte) (uint32, bool) {
	if len(b) == 0 || len(b) > 10 || (b[0] == '0' && len(b) > 1) {
		return 0, false
	}
	n := uint64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n < 1<<31
}

package audit

import (
	"bytes"
	"unicode/utf8"
)

// csvReader reads RFC 4180 as releases use it: UTF-8, LF, every line the same
// number of fields, no stray quotes. Fields point into the file's bytes (only
// a field with doubled quotes is copied), so they stay valid for as long as
// the data does and a row costs no allocation.
type csvReader struct {
	file   string
	data   []byte
	pos    int
	at     int // line on which the next row starts
	line   int // line on which the current row started
	want   int // fields per row; fixed by the header
	fields [][]byte
	// Neighbouring rows mostly begin alike. The first fields, so many, are not looked at
	// again where the bytes of them all are those of the row above: the same bytes from
	// the begin of a line to behind a comma are the same fields.
	alike int
	lead  []byte // those bytes of the row above, the last comma included; nil: not known
	kept  int    // fields of the row above that the current row has, too, as far as its bytes tell
	// Where all rows of a class are equal, the row above is looked for as a whole.
	repeats bool
	above   []byte // its bytes, the LF included; nil: there is none
	lines   int    // it has
	spare   int    // fields that are quoted without need
}

// newCSV checks the encoding and reads the header.
func newCSV(file string, data []byte) (*csvReader, []string, error) {
	if !utf8.Valid(data) {
		return nil, nil, unreadable(file, 0, "is not UTF-8")
	}
	r := &csvReader{file: file, data: data, at: 1}
	ok, err := r.next()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, unreadable(file, 1, "header missing")
	}
	header := make([]string, len(r.fields))
	for i, f := range r.fields {
		header[i] = string(f)
	}
	r.want = len(header)
	return r, header, nil
}

func (r *csvReader) fail(text string, args ...any) error {
	return unreadable(r.file, r.line, text, args...)
}

// next reads one row into r.fields; false means the end of the file.
func (r *csvReader) next() (bool, error) {
	r.line = r.at
	if r.pos == len(r.data) {
		return false, nil
	}
	begin := r.pos
	if r.above != nil && bytes.HasPrefix(r.data[r.pos:], r.above) {
		r.kept, r.pos, r.at = len(r.fields), r.pos+len(r.above), r.at+r.lines
		return true, nil
	}
	if r.kept = 0; r.lead != nil && bytes.HasPrefix(r.data[r.pos:], r.lead) {
		r.kept, r.pos = r.alike, r.pos+len(r.lead)
		if r.pos == len(r.data) {
			return false, r.fail("last line does not end in LF")
		}
	} else {
		r.lead = nil
	}
	r.fields = r.fields[:r.kept]
	for {
		var err error
		if r.data[r.pos] == '"' {
			err = r.quoted()
		} else {
			err = r.plain()
		}
		if err != nil {
			return false, err
		}
		if r.pos == len(r.data) {
			return false, r.fail("last line does not end in LF")
		}
		end := r.data[r.pos]
		r.pos++
		if end == '\n' {
			break
		}
		if r.pos == len(r.data) {
			return false, r.fail("last line does not end in LF")
		}
		if len(r.fields) == r.alike && r.at == r.line {
			r.lead = r.data[begin:r.pos]
		}
	}
	r.at++
	if r.want > 0 && len(r.fields) != r.want {
		return false, r.fail("%d fields, the header has %d", len(r.fields), r.want)
	}
	if r.repeats {
		r.above, r.lines = r.data[begin:r.pos], r.at-r.line
	}
	return true, nil
}

func (r *csvReader) plain() error {
	i := r.pos
	for ; i < len(r.data); i++ {
		switch r.data[i] {
		case ',', '\n':
			r.fields = append(r.fields, r.data[r.pos:i])
			r.pos = i
			return nil
		case '"':
			return r.fail("quote inside an unquoted field")
		case '\r':
			return r.fail("carriage return; lines end in LF")
		}
	}
	return r.fail("last line does not end in LF")
}

func (r *csvReader) quoted() error {
	start, i, escaped := r.pos+1, r.pos+1, false
	for {
		j := bytes.IndexByte(r.data[i:], '"')
		if j < 0 {
			return r.fail("quoted field is not closed")
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
	r.at += bytes.Count(field, []byte{'\n'})
	if !bytes.ContainsAny(field, ",\"\r\n") {
		r.spare++
	}
	if escaped {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	r.fields = append(r.fields, field)
	r.pos = i + 1
	if r.pos < len(r.data) && r.data[r.pos] != ',' && r.data[r.pos] != '\n' {
		return r.fail("text after a closing quote")
	}
	return nil
}

// countRows counts the rows left, used to size columns; it over-counts when a
// quoted field holds a line break, which costs memory only.
func (r *csvReader) countRows() int {
	return bytes.Count(r.data[r.pos:], []byte{'\n'})
}

// parseCount reads a canonical unsigned decimal below 2^31: no sign, no
// leading zero.
func parseCount(b []byte) (uint32, bool) {
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

package filesrc

import (
	"bytes"

	"anond/internal/csvfields"
)

// splitter finds the records of a text. It is a function of the text from the
// start of a record on, never of how much of it is buffered, so that a restart
// anywhere finds the same records.
//
// A record is one line. Only where multi-line fields are declared may it go over
// several, and only a whole CSV record does: with every quote in its place, no
// longer than max, and with as many fields as the header. Else the first line
// is a record by itself, which the decoder refuses, and reading goes on at the
// line after it. So a quote that is never closed, or closed at a place where
// none can be, costs its own line only.
type splitter struct {
	csv       bool
	multiline bool   // CSV fields in quotes may hold line breaks
	columns   int    // of the header; 0: not known yet
	max       int    // bytes of the longest record taken
	delimiter byte   // of CSV
	header    []byte // as it stands; nil: not read yet
}

// found says what a text starts with.
type found int

const (
	incomplete found = iota // the end of the record is not in the text
	complete
	tooLong // longer than max: see startLong
)

// scan finds the record at the start of text: text[:end] without its line
// break, the next one at text[next:]. final: the text ends here, and a last line
// without line break is a record.
//
// A line that is longer than max is one record, which the decoder refuses.
func (s splitter) scan(text []byte, final bool) (end, next int, what found) {
	window := text
	if len(window) > s.max+2 {
		window = window[:s.max+2] // the longest record and CRLF
	}
	cut := len(window) < len(text)
	end = bytes.IndexByte(window, '\n')
	switch {
	case end >= 0:
		next = end + 1
	case cut:
		return 0, 0, tooLong
	case !final:
		return 0, 0, incomplete
	default:
		end, next = len(text), len(text)
	}
	if s.multiline && next > end && bytes.IndexByte(window[:end], '"') >= 0 {
		of := csvfields.Splitter{Delimiter: s.delimiter, Multiline: true}
		switch last, fields, what := of.Record(window, final && !cut); {
		case what == csvfields.Unclosed && !cut && !final:
			return 0, 0, incomplete
		case what == csvfields.None && (s.columns == 0 || fields == s.columns) && len(trimCR(window[:last])) <= s.max:
			end, next = last, min(last+1, len(window))
		}
	}
	if end = len(trimCR(text[:end])); end > s.max {
		return 0, 0, tooLong
	}
	return end, next, complete
}

// trimCR takes the CR of a CRLF away, also of one whose LF did not come (yet).
func trimCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// blank reports whether a line holds no record. JSON's white space is not a
// text. In CSV a row whose fields are all empty says nothing of anybody, and
// spreadsheets leave such rows below a table; a space is a value.
func (s splitter) blank(line []byte) bool {
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case s.csv && b == s.delimiter:
		case s.csv && b == '"' && i+1 < len(line) && line[i+1] == '"' && (i+2 == len(line) || line[i+2] == s.delimiter):
			i++
		case !s.csv && (b == ' ' || b == '\t' || b == '\r'):
		default:
			return false
		}
	}
	return true
}

// again reports whether a line is the header of its file once more, as it stands where tables were joined. Of a table of one
// column it may be a value.
func (s splitter) again(line []byte) bool {
	return s.csv && len(s.header) > 0 && bytes.Equal(line, s.header) && bytes.IndexByte(line, s.delimiter) >= 0
}

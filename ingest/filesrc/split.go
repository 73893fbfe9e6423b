package filesrc

import "bytes"

// splitter finds the records of a text. It is a function of the text from the
// start of a record on, never of how much of it is buffered, so that a restart
// anywhere finds the same records.
type splitter struct {
	csv bool
	max int // bytes of the longest record taken
}

// found says what a text starts with.
type found int

const (
	incomplete found = iota // the end of the record is not in the text
	complete
	tooLong // longer than max: see skipFrom
)

// scan finds the record at the start of text: text[:end] without its line
// break, the next one at text[next:]. final: the text ends here.
//
// A record that is too long ends at the first line break at or after max bytes,
// inside quotes or not: a stray quote in a CSV file must neither swallow all
// that follows nor make a followed file wait for ever.
func (s splitter) scan(text []byte, final bool) (end, next int, what found) {
	window := text
	if len(window) > s.max+2 {
		window = window[:s.max+2] // the longest record and CRLF
	}
	end = s.lineBreak(window)
	switch {
	case end >= 0:
		next = end + 1
	case len(text) > s.max+2:
		return 0, 0, tooLong
	case !final:
		return 0, 0, incomplete
	default:
		end, next = len(text), len(text)
	}
	if end > 0 && next > end && text[end-1] == '\r' {
		end--
	}
	if end > s.max {
		return 0, 0, tooLong
	}
	return end, next, complete
}

// lineBreak returns the index of the LF that ends the record, or -1.
func (s splitter) lineBreak(text []byte) int {
	lf := bytes.IndexByte(text, '\n')
	if !s.csv {
		return lf
	}
	line := text
	if lf >= 0 {
		line = text[:lf]
	}
	if bytes.IndexByte(line, '"') < 0 {
		return lf
	}
	return quotedLineBreak(text)
}

// quotedLineBreak is lineBreak for a CSV record with quotes (RFC 4180: a quote
// opens a field only at its start). A record with misplaced quotes ends at the
// line break after them, and the decoder refuses it.
func quotedLineBreak(text []byte) int {
	const (
		start  = iota // of a field
		plain         // in a field without quotes
		quoted        // in quotes
		closed        // after a quote within quotes: the end, or the first of two
	)
	state := start
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case state == quoted:
			skip := bytes.IndexByte(text[i:], '"')
			if skip < 0 {
				return -1
			}
			i += skip
			state = closed
		case c == '"' && (state == start || state == closed):
			state = quoted
		case c == '\n':
			return i
		case c == ',':
			state = start
		default:
			state = plain
		}
	}
	return -1
}

// blank reports whether a line holds no record. JSON's white space is not a
// text; in CSV a blank is a value.
func (s splitter) blank(line []byte) bool {
	if s.csv {
		return len(line) == 0
	}
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}

// Package csvfields reads records of CSV: sources, hierarchies and lists have one grammar, that of RFC 4180 with a delimiter that
// may be another one than the comma.
//
// # Guarantee
//
// A quote opens a field only at its start, a closed field ends there, and no line break stands outside quotes. What is not so is a
// fault, whatever the bytes, and no fault has a text of the input (rule V: no value is shown).
//
// # Cost
//
// One pass. Fields alias the record, but those with doubled quotes, which are copied once; nothing is allocated for a record
// like the one before.
package csvfields

import (
	"bytes"
	"cmp"
	"strings"
)

// Fault says why a text is no record; empty: it is one.
type Fault string

// The faults of a record.
const (
	None      Fault = ""
	Malformed Fault = "quotes must enclose a whole field and be doubled inside it"
	Unclosed  Fault = "a quote is not closed" // or a text, of which there may be more, is no whole record yet
)

// Splitter splits a record into its fields. The memory of its results is reused.
type Splitter struct {
	Delimiter byte // 0 means a comma
	Multiline bool // line breaks may stand in quotes
	found     [][]byte
	arena     []byte // fields that held doubled quotes
}

// Fields returns the fields of a record with or without its line break. They are valid until the next call. Of a text that is
// none there are the fields before the fault.
func (s *Splitter) Fields(line []byte) ([][]byte, Fault) {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = bytes.TrimSuffix(line[:n-1], []byte{'\r'})
	}
	s.found, s.arena = s.found[:0], s.arena[:0]
	delimiter := cmp.Or(s.Delimiter, ',')
	for {
		field, rest, more, why := s.next(line, delimiter)
		if why != None {
			return s.found, why
		}
		s.found = append(s.found, field)
		if !more {
			return s.found, None
		}
		line = rest
	}
}

// next cuts the first field off. more says that a delimiter follows it.
func (s *Splitter) next(line []byte, delimiter byte) (field, rest []byte, more bool, why Fault) {
	if len(line) > 0 && line[0] == '"' {
		return s.nextQuoted(line[1:], delimiter)
	}
	end := bytes.IndexByte(line, delimiter)
	if end < 0 {
		end = len(line)
	} else {
		more, rest = true, line[end+1:]
	}
	field = line[:end:end]
	for _, b := range field {
		if b == '"' || b == '\n' || b == '\r' {
			return nil, nil, false, Malformed
		}
	}
	return field, rest, more, None
}

// nextQuoted cuts off a quoted field whose opening quote is gone.
func (s *Splitter) nextQuoted(line []byte, delimiter byte) (field, rest []byte, more bool, why Fault) {
	start := len(s.arena)
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 || !s.Multiline && bytes.IndexByte(line[:quote], '\n') >= 0 {
			return nil, nil, false, Unclosed
		}
		if quote+1 < len(line) && line[quote+1] == '"' {
			s.arena = append(s.arena, line[:quote+1]...)
			line = line[quote+2:]
			continue
		}
		field, rest = line[:quote:quote], line[quote+1:]
		if len(s.arena) > start {
			s.arena = append(s.arena, field...)
			field = s.arena[start:len(s.arena):len(s.arena)]
		}
		if len(rest) == 0 {
			return field, nil, false, None
		}
		if rest[0] != delimiter {
			return nil, nil, false, Malformed
		}
		return field, rest[1:], true, None
	}
}

// Record finds the record of possibly several lines at the start of a text: the index of the LF that ends it (final: or the end
// of the text), and how many fields it has.
func (s *Splitter) Record(text []byte, final bool) (end, fields int, why Fault) {
	const (
		start  = iota // of a field
		plain         // in a field without quotes
		quoted        // in quotes
		closed        // after a quote within quotes: the end, or the first of two
	)
	state, fields := start, 1
	delimiter := cmp.Or(s.Delimiter, ',')
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case state == quoted:
			skip := bytes.IndexByte(text[i:], '"')
			if skip < 0 {
				return 0, 0, Unclosed
			}
			i += skip
			state = closed
		case c == '"' && (state == start || state == closed):
			state = quoted
		case c == '\n':
			return i, fields, None
		case c == delimiter:
			state = start
			fields++
		case c == '"', c == '\r' && !crlf(text[i:]), state == closed && c != '\r':
			return 0, 0, Malformed
		default:
			state = plain
		}
	}
	if final && state != quoted {
		return len(text), fields, None
	}
	return 0, 0, Unclosed
}

// mostRecord bounds a record of several lines that Next looks for: a quote that nobody closes costs no more than that.
const mostRecord = 16 << 10

// Next returns the fields of the record that a text begins with, the rest of the text, and whether the record has several lines. A
// stray quote, or one record that has not the columns (0: it is not known how many there are), ends with its line.
func (s *Splitter) Next(text []byte, columns int) (fields [][]byte, why Fault, rest []byte, several bool) {
	window := text[:min(len(text), mostRecord)]
	end, n, fault := s.Record(window, len(window) == len(text))
	line := bytes.IndexByte(text, '\n')
	if line < 0 {
		line = len(text)
	}
	if fault != None || end > line && columns > 0 && n != columns {
		end = line
	}
	next := min(len(text), end+1)
	fields, why = s.Fields(text[:next])
	return fields, why, text[next:], end > line
}

// crlf reports that a CR begins a line break, or may do so.
func crlf(text []byte) bool { return len(text) == 1 || text[1] == '\n' }

// Append appends a field as a record has it: in quotes if it would be read otherwise without them.
func Append(to []byte, field string, delimiter byte) []byte {
	if strings.IndexByte(field, delimiter) < 0 && strings.IndexByte(field, '"') < 0 {
		return append(to, field...)
	}
	return append(append(append(to, '"'), strings.ReplaceAll(field, `"`, `""`)...), '"')
}

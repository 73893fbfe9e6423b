package ingest

import (
	"bytes"
	"slices"

	"anond/equivclass"
)

// csvDecoder takes one RFC 4180 record a message, with or without its line
// break. Without a header the fields are all attributes in schema order,
// identifiers and dropped ones included. An empty field, quoted or not, is
// missing.
type csvDecoder struct {
	schema  *equivclass.Schema
	split   csvSplitter
	columns []int // attribute of each column, -1: not needed
	header  []string
	broken  bool // the header does not fit the schema
}

func newCSVDecoder(schema *equivclass.Schema) *csvDecoder {
	d := &csvDecoder{schema: schema}
	d.adopt(nil)
	return d
}

func (d *csvDecoder) decode(value []byte, header []string, row equivclass.Row) Outcome {
	if !slices.Equal(header, d.header) {
		d.adopt(header)
	}
	if d.broken {
		return Outcome{Reason: ReasonHeader}
	}
	fields, ok := d.split.fields(value)
	if !ok {
		return Outcome{Reason: ReasonMalformedCSV}
	}
	if len(fields) != len(d.columns) {
		return Outcome{Reason: ReasonFieldCount}
	}
	for i, field := range fields {
		if at := d.columns[i]; at >= 0 && len(field) > 0 {
			row[at] = field
		}
	}
	return Outcome{}
}

// adopt computes the columns of another header.
func (d *csvDecoder) adopt(header []string) {
	d.header = slices.Clone(header)
	d.broken = false
	names := header
	if names == nil {
		for _, a := range d.schema.Attributes() {
			names = append(names, a.Name)
		}
	} else if CheckHeader(d.schema, header) != nil {
		d.broken = true
		return
	}
	d.columns = d.columns[:0]
	for _, name := range names {
		at := slices.IndexFunc(d.schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == name && needed(a.Role) })
		d.columns = append(d.columns, at)
	}
}

// csvSplitter splits one CSV record into fields. It is RFC 4180 to the letter:
// a quote opens a field only at its start, a closed field ends there, and no
// line break stands outside quotes. The memory of its results is reused.
type csvSplitter struct {
	found [][]byte
	arena []byte // fields that held doubled quotes
}

// fields returns the fields of a record, valid until the next call.
func (s *csvSplitter) fields(line []byte) ([][]byte, bool) {
	line = trimLineBreak(line)
	s.found, s.arena = s.found[:0], s.arena[:0]
	for {
		field, rest, more, ok := s.next(line)
		if !ok {
			return nil, false
		}
		s.found = append(s.found, field)
		if !more {
			return s.found, true
		}
		line = rest
	}
}

// next cuts the first field off. more says that a comma follows it.
func (s *csvSplitter) next(line []byte) (field, rest []byte, more, ok bool) {
	if len(line) > 0 && line[0] == '"' {
		return s.nextQuoted(line[1:])
	}
	comma := bytes.IndexByte(line, ',')
	if comma < 0 {
		comma = len(line)
	} else {
		more, rest = true, line[comma+1:]
	}
	field = line[:comma:comma]
	for _, b := range field {
		if b == '"' || b == '\n' || b == '\r' {
			return nil, nil, false, false
		}
	}
	return field, rest, more, true
}

// nextQuoted cuts off a quoted field whose opening quote is gone.
func (s *csvSplitter) nextQuoted(line []byte) (field, rest []byte, more, ok bool) {
	start := len(s.arena)
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			return nil, nil, false, false
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
			return field, nil, false, true
		}
		return field, rest[1:], true, rest[0] == ','
	}
}

// trimLineBreak takes one LF or CRLF off the end.
func trimLineBreak(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}

package decode

import (
	"bytes"
	"slices"

	"anond/equivclass"
)

// csvDecoder takes one RFC 4180 record a message, with or without its line
// break. Fields hold line breaks only if that is declared. Without a header the
// fields are all attributes in schema order, identifiers and dropped ones
// included. An empty field, quoted or not, is missing.
type csvDecoder struct {
	schema  *equivclass.Schema
	split   csvSplitter
	columns []int // attribute of each column, -1: not needed
	subject int   // its column; -1: none
	behind  bool  // it stands behind a sensitive one
	header  []string
	broken  bool // the header does not fit the schema
}

func newCSVDecoder(schema *equivclass.Schema, multiline bool) *csvDecoder {
	d := &csvDecoder{schema: schema, split: csvSplitter{multiline: multiline}}
	d.adopt(nil)
	return d
}

func (d *csvDecoder) decode(value []byte, header []string, row equivclass.Row, whole bool) Outcome {
	if !slices.Equal(header, d.header) {
		d.adopt(header)
	}
	if d.broken {
		return Outcome{Reason: ReasonHeader}
	}
	fields, why := d.split.fields(value)
	if why == equivclass.Accepted && len(fields) != len(d.columns) {
		why = ReasonFieldCount
	}
	if why != equivclass.Accepted {
		d.readSubject(whole && why == ReasonFieldCount, row)
		return Outcome{Reason: why}
	}
	for i, field := range fields {
		if at := d.columns[i]; at >= 0 && len(field) > 0 {
			row[at] = field
		}
	}
	return Outcome{}
}

// readSubject reads the subject of a record that has not the fields that it should have. What a sensitive value adds or
// takes away does not move the fields in front of it, nor, counted from the end if that was read, those behind it.
func (d *csvDecoder) readSubject(toEnd bool, row equivclass.Row) {
	at := d.subject
	if at >= 0 && d.behind {
		at -= len(d.columns) - len(d.split.found)
	}
	if at >= 0 && at < len(d.split.found) && (toEnd || !d.behind) {
		row[d.columns[d.subject]] = d.split.found[at]
	}
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
	if d.subject = -1; d.schema.SubjectIndex() >= 0 {
		d.subject = slices.Index(d.columns, d.schema.SubjectIndex())
		d.behind = slices.ContainsFunc(d.schema.Sensitive(), func(a int) bool { return slices.Index(d.columns, a) < d.subject })
	}
}

// csvSplitter splits one CSV record into fields. It follows RFC 4180 strictly:
// a quote opens a field only at its start, a closed field ends there, and no
// line break stands outside quotes. The memory of its results is reused.
type csvSplitter struct {
	multiline bool // line breaks may stand in quotes
	found     [][]byte
	arena     []byte // fields that held doubled quotes
}

// fields returns the fields of a record, valid until the next call, or why it
// has none.
func (s *csvSplitter) fields(line []byte) ([][]byte, equivclass.Reason) {
	line = trimLineBreak(line)
	s.found, s.arena = s.found[:0], s.arena[:0]
	for {
		field, rest, more, why := s.next(line)
		if why != equivclass.Accepted {
			return nil, why
		}
		s.found = append(s.found, field)
		if !more {
			return s.found, equivclass.Accepted
		}
		line = rest
	}
}

// next cuts the first field off. more says that a comma follows it.
func (s *csvSplitter) next(line []byte) (field, rest []byte, more bool, why equivclass.Reason) {
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
			return nil, nil, false, ReasonMalformedCSV
		}
	}
	return field, rest, more, equivclass.Accepted
}

// nextQuoted cuts off a quoted field whose opening quote is gone.
func (s *csvSplitter) nextQuoted(line []byte) (field, rest []byte, more bool, why equivclass.Reason) {
	start := len(s.arena)
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 || !s.multiline && bytes.IndexByte(line[:quote], '\n') >= 0 {
			return nil, nil, false, ReasonUnclosedQuote
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
			return field, nil, false, equivclass.Accepted
		}
		if rest[0] != ',' {
			return nil, nil, false, ReasonMalformedCSV
		}
		return field, rest[1:], true, equivclass.Accepted
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

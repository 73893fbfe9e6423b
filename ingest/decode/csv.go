package decode

import (
	"slices"

	"anond/equivclass"
	"anond/ingest/dialect"
	"anond/internal/csvfields"
)

// csvDecoder takes one RFC 4180 record a message, with or without its line
// break. Fields hold line breaks only if that is declared. Without a header the
// fields are all attributes in schema order, identifiers and dropped ones
// included. An empty field, quoted or not, is missing.
//
// A record that has sensitive values alone is refused for its first quasi-identifier. A file passes it as blank where these are missing,
// too: if others of these were published, everybody would know that theirs are not missing (rule B, buckets).
type csvDecoder struct {
	schema  *equivclass.Schema
	split   csvfields.Splitter
	code    dialect.Encoding // one in which each byte is a character; empty: UTF-8, which values are anyway
	text    []byte           // the present record in UTF-8
	others  bool             // columns that are no attribute are passed over
	columns []int            // attribute of each column, -1: not needed
	subject int              // its column; -1: none
	behind  bool             // it stands behind a sensitive one
	header  []string
	broken  bool // the header does not fit the schema
}

func newCSVDecoder(schema *equivclass.Schema, opts Options) *csvDecoder {
	d := &csvDecoder{schema: schema, split: csvfields.Splitter{Delimiter: opts.Form.Delimiter, Multiline: opts.Multiline},
		others: opts.DropOthers}
	if opts.Form.Encoding.OneByte() {
		d.code = opts.Form.Encoding
	}
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
	inCode := true
	if d.code != "" {
		d.text, inCode = d.code.Append(d.text[:0], value)
		value = d.text
	}
	fields, fault := d.split.Fields(value)
	why := equivclass.Accepted
	switch {
	case fault == csvfields.Unclosed:
		why = ReasonUnclosedQuote
	case fault != csvfields.None:
		why = ReasonMalformedCSV
	case len(fields) != len(d.columns):
		why = ReasonFieldCount
	case !inCode:
		why = ReasonEncoding
	}
	if why != equivclass.Accepted {
		d.readSubject(fields, whole && fault == csvfields.None, row)
		return Outcome{Reason: why}
	}
	somebody := false
	for i, field := range fields {
		if len(field) == 0 {
			continue
		}
		at := d.columns[i]
		if at >= 0 {
			row[at] = field
		}
		somebody = somebody || at < 0 || d.schema.Attributes()[at].Role != equivclass.Sensitive
	}
	if known := d.schema.Blind(); !somebody && len(known) > 0 {
		return Outcome{Reason: equivclass.ReasonMissing, Attribute: d.schema.Attributes()[known[0]].Name}
	}
	return Outcome{}
}

// readSubject reads the subject of a record that has not the fields that it should have. What a sensitive value adds or
// takes away does not move the fields in front of it, nor, counted from the end if that was read, those behind it.
func (d *csvDecoder) readSubject(fields [][]byte, toEnd bool, row equivclass.Row) {
	at := d.subject
	if at >= 0 && d.behind {
		at -= len(d.columns) - len(fields)
	}
	if at >= 0 && at < len(fields) && (toEnd || !d.behind) {
		row[d.columns[d.subject]] = fields[at]
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
	} else if CheckHeader(d.schema, header, d.others) != nil {
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

package decode

import (
	"bytes"

	"anond/equivclass"
)

// deleteReader finds out whom a delete is about: whom the `before` of a Debezium event names, else
// whom the key of the message names.
//
// A key is a JSON object that has the subject where the records have it, bare or wrapped by a
// converter into {"schema":…,"payload":…}; or a JSON string or number, which is the subject; or
// else, but in Debezium's format, the subject itself as text.
type deleteReader struct {
	key     objectReader
	subject int
	name    string
	clean   func([]byte) ([]byte, equivclass.Reason)
	row     equivclass.Row // of the key
	format  Format         // in that of plain records a key that is no JSON is the subject
}

func newDeleteReader(schema *equivclass.Schema, pointers map[string]string, format Format) (*deleteReader, error) {
	i := schema.SubjectIndex()
	a := schema.Attributes()[i]
	d := &deleteReader{subject: i, name: a.Name, clean: a.Clean, format: format}
	d.row = make(equivclass.Row, len(schema.Attributes()))
	var err error
	d.key, err = newObjectReader(schema, pointers)
	return d, err
}

// refused leaves in the row of a message that changes a person the subject that its key names, unless the message itself does.
func (d *deleteReader) refused(key []byte, row equivclass.Row) {
	if row[d.subject] == nil {
		row[d.subject] = d.ofKey(key)
	}
}

// person leaves in the row the subject of a delete, or of a tombstone, and nothing else. A
// tombstone that names nobody stays one.
func (d *deleteReader) person(o Outcome, key []byte, row equivclass.Row) Outcome {
	subject := d.valid(row[d.subject])
	clear(row)
	if subject == nil {
		subject = d.valid(d.ofKey(key))
	}
	switch {
	case subject != nil:
		row[d.subject] = subject
		return Outcome{Delete: true}
	case o.Reason == ReasonTombstone:
		return o
	}
	return Outcome{Reason: ReasonNoPerson, Attribute: d.name}
}

// valid is a subject as records of the person have it; nil: no record can have it.
func (d *deleteReader) valid(raw []byte) []byte {
	if raw == nil {
		return nil
	}
	text, why := d.clean(raw)
	if why != equivclass.Accepted || len(text) == 0 {
		return nil
	}
	return text
}

// ofKey reads the subject of a key; nil: it names nobody.
func (d *deleteReader) ofKey(key []byte) []byte {
	text := bytes.Trim(key, " \t\r\n") // what JSON takes for space
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	r := &d.key
	clear(d.row)
	switch r.open(text); text[0] {
	case '{':
		return d.ofObject(text)
	case '"':
		out, _, err := r.readText(d.subject)
		if o := r.finish(Outcome{}, err); !o.Accepted() {
			return nil
		}
		return out
	case '[':
		return nil
	}
	if kind := r.dec.PeekKind(); d.format != CSV && kind == '0' && r.finish(Outcome{}, r.dec.SkipValue()).Accepted() {
		return integerOf(text)
	}
	if d.format == JSON || d.format == CSV {
		return key
	}
	r.open(text)
	if o := r.finish(Outcome{}, r.dec.SkipValue()); !o.Accepted() {
		return nil
	}
	return text
}

// ofObject reads the subject of an object, or of its payload.
func (d *deleteReader) ofObject(text []byte) []byte {
	r := &d.key
	if _, err := r.readRow(d.row); !r.finish(Outcome{}, err).Accepted() {
		return nil
	}
	if d.row[d.subject] != nil {
		return d.row[d.subject]
	}
	r.open(text)
	if _, err := r.dec.ReadToken(); err != nil {
		return nil
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.readName()
		if err == nil && string(name) == "payload" && r.dec.PeekKind() == '{' {
			_, err = r.readRow(d.row)
		} else if err == nil {
			err = r.dec.SkipValue()
		}
		if err != nil {
			return nil
		}
	}
	return d.row[d.subject]
}

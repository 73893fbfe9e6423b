package ingest

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"anond/equivclass"
)

// flatDecoder takes flat change events (Debezium's transform ExtractNewRecordState), bare or wrapped by a converter: an object
// with the row, and the operation in `__op` or `op` (add.fields) and `__deleted` (delete.handling.mode: rewrite). As in format
// debezium only inserts are taken (rule N: nothing is removed), and a delete is one of a person where deletes are taken. An
// event without an operation is refused, since it may be an update.
type flatDecoder struct {
	members objectReader
	row     equivclass.Row
	subject int
	deletes bool
	// of the present event
	op, other string // other: in `op`, which counts where there is no `__op`
	deleted   bool
	fault     Outcome // of the row in a wrapper
	null      bool    // the wrapper holds nothing
}

func newFlatDecoder(schema *equivclass.Schema, pointers map[string]string, deletes bool) (*flatDecoder, error) {
	members, err := newObjectReader(schema, pointers)
	d := &flatDecoder{members: members, subject: schema.SubjectIndex(), deletes: deletes && schema.SubjectIndex() >= 0}
	d.members.epochDays, d.members.others = true, d.readOther
	return d, err
}

func (d *flatDecoder) decode(value []byte, _ []string, row equivclass.Row, _ bool) Outcome {
	r := &d.members
	r.open(value)
	d.row, d.op, d.other, d.deleted, d.fault, d.null = row, "", "", false, Outcome{}, false
	switch r.dec.PeekKind() {
	case 'n':
		return r.finish(Outcome{Reason: ReasonTombstone}, r.dec.SkipValue())
	case '{':
	default:
		return r.finish(Outcome{Reason: ReasonNotAnObject}, r.dec.SkipValue())
	}
	fault, err := r.readRow(row)
	if fault.Accepted() {
		fault = d.fault
	}
	if d.op == "" {
		d.op = d.other
	}
	switch {
	case d.null:
		fault = Outcome{Reason: ReasonTombstone}
	case (d.op == `"d"` || d.deleted) && d.deletes:
		fault = Outcome{Delete: true}
	case d.op == "" && !d.deleted:
		fault = Outcome{Reason: ReasonEnvelope}
	case d.op != `"c"` && d.op != `"r"` || d.deleted:
		fault = Outcome{Reason: ReasonUnsupported}
	}
	return r.finish(fault, err)
}

func (d *flatDecoder) readOther(name []byte) (err error) {
	dec := d.members.dec
	var raw jsontext.Value
	switch string(name) {
	case "__op", "op":
		if raw, err = dec.ReadValue(); string(name) == "op" {
			d.other = string(raw)
		} else {
			d.op = string(raw)
		}
	case "__deleted":
		raw, err = dec.ReadValue()
		d.deleted = strings.Trim(string(raw), `"`) == "true"
	case "payload":
		filled := func(f []byte) bool { return f != nil }
		if kind := dec.PeekKind(); d.op+d.other != "" || d.deleted || slices.ContainsFunc(d.row, filled) || kind != '{' && kind != 'n' {
			return dec.SkipValue()
		} else if d.null = kind == 'n'; d.null {
			return dec.SkipValue()
		}
		d.fault, err = d.members.readRow(d.row)
	default:
		return dec.SkipValue()
	}
	return err
}

// ofEvents are members that say what a flat change event does.
var ofEvents = []string{"__op", "__deleted", "op"}

// suspecting tells of members in plain records that say that these are flat change events: an update or a delete would count as
// a person of its own.
func (r *objectReader) suspecting(tell func(member string)) {
	names := slices.DeleteFunc(slices.Clone(ofEvents), func(n string) bool {
		return slices.ContainsFunc(r.attributes, func(a equivclass.Attribute) bool { return a.Name == n })
	})
	r.others = func(name []byte) error {
		if !slices.Contains(names, string(name)) {
			return r.dec.SkipValue()
		}
		member := string(name)
		raw, err := r.dec.ReadValue()
		if text := strings.Trim(string(raw), `"`); slices.Contains([]string{"c", "r", "u", "d", "true", "false"}, text) {
			tell(member)
		}
		return err
	}
}

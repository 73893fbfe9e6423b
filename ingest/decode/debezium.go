package decode

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"anond/equivclass"
)

// debeziumDecoder takes Debezium change events, bare or wrapped by a converter
// into {"schema":…,"payload":…}. Only inserts are taken (rule N: nothing is
// removed): the "after" of op c (create) and r (snapshot read), and where updates are (Options.Updates) that of op u. Other
// operations are refused as unsupported_operation, and so is a null payload,
// which is a tombstone. A number for a date attribute counts days since
// 1970-01-01, Debezium's default, unless DateForm says otherwise.
//
// Where deletes are taken (Options.Deletes), op d is a delete of the person in its "before", or in the
// key of the message (deleteReader). Of an update, and of a delete that is refused, the row has that person.
//
// Flat events are format debezium-flat (decode_flat.go): the row of a delete is in the event itself.
type debeziumDecoder struct {
	members objectReader
	before  equivclass.Row // nil: there is no subject
	deletes bool           // are taken
	kinds   bool           // are asked for
	updates bool           // are taken
	subject int
	flat    bool
	event   envelope       // the present one
	row     equivclass.Row // its own
}

func newDebeziumDecoder(schema *equivclass.Schema, opts Options, flat bool) (*debeziumDecoder, error) {
	members, err := newObjectReader(schema, opts.Paths)
	members.epochDays = make([]bool, len(schema.Attributes()))
	for i, a := range schema.Attributes() {
		members.epochDays[i] = a.Type == equivclass.Date && opts.Dates[a.Name].Format == ""
	}
	d := &debeziumDecoder{members: members, subject: schema.SubjectIndex(), flat: flat, kinds: opts.Kinds, updates: opts.Updates}
	if flat {
		d.members.others = d.readFlat
	}
	if d.subject >= 0 {
		d.deletes, d.before = opts.Deletes, make(equivclass.Row, len(schema.Attributes()))
	}
	return d, err
}

// envelope gathers what an event says. Nothing in it is a record's value.
type envelope struct {
	ops, afters, payloads int
	befores               int // counted where deletes are taken
	insert, delete        bool
	update                bool
	hasAfter              bool // after is an object
	nullPayload           bool
	badShape              bool
	gone                  bool    // a flat event says so
	fault                 Outcome // of the record in after
}

func (d *debeziumDecoder) decode(value []byte, _ []string, row equivclass.Row, _ bool) Outcome {
	r := &d.members
	r.open(value)
	switch r.dec.PeekKind() {
	case '{':
		e, err := &d.event, error(nil)
		d.event, d.row = envelope{}, row
		clear(d.before)
		if d.flat {
			var fault Outcome
			if fault, err = r.readRow(row); !fault.Accepted() {
				e.fault = fault
			}
			e.hasAfter = true
		} else {
			err = d.readEnvelope(row, e, true)
		}
		if e.gone {
			e.ops, e.insert, e.delete, e.update = max(1, e.ops), false, true, false
		}
		o := r.finish(e.outcome(d.updates), err)
		if e.update && d.kinds && (o.Accepted() || o.Attribute != "" || o.Reason == ReasonUnsupported) {
			o.Kind = Updates
		}
		if o.Reason != ReasonUnsupported || d.before == nil {
			return o
		}
		if !d.flat && (e.delete || row[d.subject] == nil) {
			row[d.subject] = d.before[d.subject]
		}
		if e.delete && d.deletes {
			return Outcome{Delete: true}
		}
		return o
	case 'n':
		return r.finish(Outcome{Reason: ReasonTombstone}, r.dec.SkipValue())
	default:
		return r.finish(Outcome{Reason: ReasonNotAnObject}, r.dec.SkipValue())
	}
}

// outcome judges a complete event. One that says a thing twice, in wrapper and
// payload, is refused: which of the two is meant cannot be known.
func (e *envelope) outcome(updates bool) Outcome {
	switch {
	case e.badShape || e.ops > 1 || e.afters > 1 || e.befores > 1 || e.payloads > 1:
		return Outcome{Reason: ReasonEnvelope}
	case e.ops == 0 && e.nullPayload:
		return Outcome{Reason: ReasonTombstone}
	case e.ops == 0:
		return Outcome{Reason: ReasonEnvelope}
	case !e.insert && !(e.update && updates):
		return Outcome{Reason: ReasonUnsupported}
	case !e.hasAfter:
		return Outcome{Reason: ReasonEnvelope}
	default:
		return e.fault
	}
}

func (d *debeziumDecoder) readEnvelope(row equivclass.Row, e *envelope, outer bool) error {
	dec := d.members.dec
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := d.members.readName()
		if err != nil {
			return err
		}
		switch {
		case string(name) == "op":
			err = d.readOp(e)
		case string(name) == "after":
			err = d.readAfter(row, e)
		case string(name) == "before" && d.before != nil:
			err = d.readBefore(e)
		case string(name) == "payload" && outer:
			err = d.readPayload(row, e)
		default:
			err = dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (d *debeziumDecoder) readOp(e *envelope) error {
	e.ops++
	kind := d.members.dec.PeekKind()
	raw, err := d.members.dec.ReadValue()
	if err != nil {
		return err
	}
	e.badShape = e.badShape || kind != '"'
	e.insert, e.update, e.delete = string(raw) == `"c"` || string(raw) == `"r"`, string(raw) == `"u"`, string(raw) == `"d"`
	return nil
}

// readBefore reads the row that a delete removes, of which the source may send its key alone.
func (d *debeziumDecoder) readBefore(e *envelope) error {
	if d.deletes {
		e.befores++
	}
	if kind := d.members.dec.PeekKind(); kind != '{' {
		e.badShape = e.badShape || d.deletes && kind != 'n'
		return d.members.dec.SkipValue()
	}
	_, err := d.members.readRow(d.before)
	return err
}

func (d *debeziumDecoder) readAfter(row equivclass.Row, e *envelope) error {
	e.afters++
	kind := d.members.dec.PeekKind()
	if kind != '{' {
		e.badShape = e.badShape || kind != 'n'
		return d.members.dec.SkipValue()
	}
	e.hasAfter = true
	fault, err := d.members.readRow(row)
	e.fault = fault
	return err
}

func (d *debeziumDecoder) readPayload(row equivclass.Row, e *envelope) error {
	e.payloads++
	switch d.members.dec.PeekKind() {
	case '{':
		return d.readEnvelope(row, e, false)
	case 'n':
		e.nullPayload = true
	default:
		e.badShape = true
	}
	return d.members.dec.SkipValue()
}

// syntaxReason classifies an error of the JSON reader by its kind alone.
func syntaxReason(err error) equivclass.Reason {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return ReasonDuplicate
	}
	return ReasonMalformedJSON
}

// Package decode makes rows of messages: of JSON, CSV and Debezium's change events. It refuses with a reason what is no
// record, and says of each reason whether such a record may be judged again later (RuleOf).
//
// # Guarantee
//
// Decoders never panic, whatever the bytes, and name attributes and reasons only (rule V: no value is shown). What they hand
// out is what the schema takes as a value, in every format alike.
//
// # Cost
//
// Decoding a record allocates nothing.
//
// # Source
//
// RFC 8259 and RFC 7493 for JSON, RFC 4180 for CSV, and Debezium's description of its change events.
package decode

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"anond/equivclass"
	"anond/ingest/dialect"
)

// Format names how a record is written.
type Format string

// The formats of a record.
const (
	JSON     Format = "json"     // one object a message
	CSV      Format = "csv"      // one RFC 4180 record a message
	Debezium Format = "debezium" // a change event; only inserts are taken (rule N: nothing is removed)
	// DebeziumFlat is a change event that is flat: the row, and in it the operation.
	DebeziumFlat Format = "debezium-flat"
)

// DefaultMaxBytes bounds a record if nothing else is said.
const DefaultMaxBytes = 1 << 20

// The reasons for which a decoder refuses a record. They are stable codes for
// dead letters and metrics, and never carry a value (rule V: no value is ever
// shown).
const (
	ReasonTooLarge      equivclass.Reason = "too_large"
	ReasonMalformedJSON equivclass.Reason = "malformed_json" // syntax, trailing bytes
	ReasonDuplicate     equivclass.Reason = "duplicate_member"
	ReasonNotAnObject   equivclass.Reason = "not_an_object"
	ReasonNested        equivclass.Reason = "nested_value" // object or array where a text or number belongs
	ReasonMalformedCSV  equivclass.Reason = "malformed_csv"
	ReasonUnclosedQuote equivclass.Reason = "unclosed_quote" // a quoted field does not end on its line, or at all
	ReasonFieldCount    equivclass.Reason = "wrong_field_count"
	ReasonHeader        equivclass.Reason = "wrong_header"       // the columns are not those of the schema, see CheckHeader
	ReasonEnvelope      equivclass.Reason = "malformed_envelope" // JSON, but no Debezium event
	ReasonUnsupported   equivclass.Reason = "unsupported_operation"
	ReasonTombstone     equivclass.Reason = "tombstone"              // only as an ignored reason: refused, it is an unsupported_operation
	ReasonNoPerson      equivclass.Reason = "delete_without_subject" // whom a delete is about cannot be told
	ReasonGrown         equivclass.Reason = "grown_line"             // the rest of a line that was read before it was whole
	ReasonEncoding      equivclass.Reason = "not_in_encoding"        // a byte is no character of Form.Encoding
	ReasonFramed        equivclass.Reason = "schema_registry_framing"
	ReasonUnavailable   equivclass.Reason = "unavailable_value" // Debezium says that the database did not send it
	ReasonEncoded       equivclass.Reason = "encoded_decimal"   // Debezium's bytes of a decimal, in base64
)

// The reasons for which a line of a file is counted without being a record.
const (
	ReasonBlank      equivclass.Reason = "blank_line"
	ReasonHeaderLine equivclass.Reason = "header_line"
	ReasonContinued  equivclass.Reason = "continued_line" // a further line of a record with multi-line fields
)

// The reasons for which offsets of a source are counted without being a record.
const (
	ReasonGap          equivclass.Reason = "gap"           // deleted before they were read (on_gap: continue)
	ReasonCorruptBatch equivclass.Reason = "corrupt_batch" // in a batch that cannot be read (on_corrupt: skip)
	ReasonRewritten    equivclass.Reason = "rewritten"     // written to the topic more than once
)

// Outcome says what became of a message. The zero Outcome is an accepted record.
type Outcome struct {
	Reason    equivclass.Reason // Accepted, or why not
	Attribute string            // the attribute at fault, if one is
	Ignored   bool              // left out by configuration, counted, not dead-lettered
	// Delete: the message deletes the person whose subject the row has, and nothing else
	// (Options.Deletes).
	Delete bool
	// Kind says what the message does, as far as that can be read and is asked for (Options.Kinds).
	Kind Kind
}

// Kind is what a message does to the rows of its source.
type Kind uint8

// The kinds. Deletes are told by Changes.
const (
	Inserts Kind = iota
	Updates
	// Unclear: it cannot be read, and may be either.
	Unclear
)

// Changes reports whether the message updates or deletes what another one has inserted, taken or not.
func (o Outcome) Changes() bool {
	return o.Delete || o.Reason == ReasonUnsupported || o.Reason == ReasonTombstone
}

// Accepted reports whether the message is a record of the dataset.
func (o Outcome) Accepted() bool { return o.Reason == equivclass.Accepted && !o.Delete }

// Decoder turns messages into rows. It never panics, whatever the bytes, and
// its outcomes name attributes only. Not safe for concurrent use.
type Decoder interface {
	// Decode reads one message into row, which has one entry an attribute.
	//
	// The entries of an accepted row are clean (equivclass.Attribute.Clean): what
	// cannot be a value is refused here, in every format. They alias value or
	// memory of the decoder: they are valid until the next call, and value must
	// not change before. A missing value is nil, and whether that is acceptable is
	// the machine's to say (Schema.Missing). JSON null, an absent member, and a
	// JSON string or CSV field that is empty or all white space are missing: with
	// missing: value the missing value is the empty text, so the two could not be
	// told apart in a release anyway, and CSV has no way to write the difference.
	// Identifiers and dropped
	// attributes stay nil: their bytes are checked as syntax and never copied.
	// The row of a message that is not accepted has the subject and the key of the record, where these can be read, and nothing else.
	//
	// header holds the columns of a CSV file; nil means the schema's order.
	Decode(value []byte, header []string, row equivclass.Row) Outcome
	// DecodeKeyed is Decode for a message with a key, in which a delete may name its person.
	DecodeKeyed(key, value []byte, header []string, row equivclass.Row) Outcome
	// TooLarge is the outcome of a message of which the source has kept only the
	// beginning (Record.Cut). The row is that of a message that is not accepted.
	TooLarge(beginning []byte, header []string, row equivclass.Row) Outcome
}

// Options change what decoders refuse.
type Options struct {
	// MaxBytes is the largest message taken; 0 means DefaultMaxBytes.
	MaxBytes int
	// Multiline takes line breaks in the quoted fields of CSV. Without it a record
	// is one line, and a stray quote cannot reach the lines of other people.
	Multiline bool
	// Form is how CSV is written. A source of files makes UTF-8 of UTF-16 itself.
	Form dialect.Form
	// DropOthers passes over the columns of CSV that are no attribute.
	DropOthers bool
	// Dates says how dates are written, by the name of the attribute; the others are YYYY-MM-DD.
	Dates map[string]dialect.DateForm
	// Paths says where attributes lie in JSON, as JSON Pointers by name; the others
	// are members of their name. CSV has no use for it.
	Paths map[string]string
	// Ignore holds the reasons whose messages are counted and left out rather
	// than dead-lettered. "unsupported_operation" covers tombstones, "tombstone"
	// only them (Debezium sends one after each delete).
	Ignore []equivclass.Reason
	// Deletes takes tombstones, and Debezium's deletes, as those of a person (Outcome.Delete) where
	// they name one. The schema needs a subject.
	Deletes bool
	// Kinds asks for Outcome.Kind, and Updates takes updates as records, of which the kind says that they are. The schema needs a subject.
	Kinds, Updates bool
	// Suspect is told, of a plain record, the name of a member by which it is a flat change event; nil: nobody asks. It is
	// called by several goroutines.
	Suspect func(member string)
}

// errUnknownFormat says that a format is none of these.
var errUnknownFormat = errors.New("unknown format")

// New returns the decoder of a format for the records of a schema.
func New(format Format, schema *equivclass.Schema, opts Options) (Decoder, error) {
	if opts.MaxBytes < 0 {
		return nil, fmt.Errorf("largest record %d bytes: use a positive number", opts.MaxBytes)
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	var inner messageDecoder
	var err error
	switch format {
	case JSON:
		inner, err = newJSONDecoder(schema, opts.Paths, opts.Suspect)
	case CSV:
		inner = newCSVDecoder(schema, opts)
	case Debezium:
		inner, err = newDebeziumDecoder(schema, opts, false)
	case DebeziumFlat:
		inner, err = newDebeziumDecoder(schema, opts, true)
	default:
		return nil, fmt.Errorf("%w %q: use json, csv, debezium or debezium-flat", errUnknownFormat, format)
	}
	if err != nil {
		return nil, err
	}
	out := &checkedDecoder{inner: inner, attributes: schema.Attributes(), order: judged(schema), maxBytes: opts.MaxBytes,
		unclear: opts.Kinds && (schema.RecordIndex() >= 0 || format == Debezium || format == DebeziumFlat),
		ignore:  slices.Clone(opts.Ignore), json: format != CSV}
	if out.forms, err = formsOf(format, schema, opts); err != nil {
		return nil, err
	}
	for _, i := range []int{schema.SubjectIndex(), schema.RecordIndex()} {
		if i >= 0 {
			out.kept = append(out.kept, i)
		}
	}
	if schema.SubjectIndex() >= 0 {
		out.deletes = opts.Deletes
		out.changed, err = newDeleteReader(schema, opts.Paths, format)
	}
	return out, err
}

// judged orders the attributes for a decoder as the machine judges them: what adversaries
// know first, the sensitive value last. So the reason of a record with a bad
// quasi-identifier says nothing about its sensitive value (RuleOf).
func judged(schema *equivclass.Schema) []int {
	order := schema.Blind()
	if i := schema.SubjectIndex(); i >= 0 {
		order = append(order, i)
	}
	if i := schema.RecordIndex(); i >= 0 {
		order = append(order, i)
	}
	return append(order, schema.Sensitive()...)
}

// messageDecoder reads one message of bounded size that is not a tombstone.
// The row comes in all nil. Of a message that is refused it has what could be read.
type messageDecoder interface {
	// whole: it is not the beginning of one alone.
	decode(value []byte, header []string, row equivclass.Row, whole bool) Outcome
}

// checkedDecoder holds what all formats share: the size limit, tombstones, what
// makes a text a value, and the reasons that the configuration ignores.
type checkedDecoder struct {
	inner      messageDecoder
	attributes []equivclass.Attribute
	order      []int // of the attributes that are looked at
	kept       []int // of the attributes: what the row of a message that is refused has
	unclear    bool  // nobody knows of a message that cannot be read what it does, and somebody asks
	maxBytes   int
	ignore     []equivclass.Reason
	changed    *deleteReader // whom an update or a delete is about; nil: there is no subject
	deletes    bool          // are taken
	json       bool
	forms      []*form // by attribute; nil: texts are values as they are written
	written    []byte  // texts that a form has made of others, of the present message
}

func (d *checkedDecoder) Decode(value []byte, header []string, row equivclass.Row) Outcome {
	return d.DecodeKeyed(nil, value, header, row)
}

func (d *checkedDecoder) DecodeKeyed(key, value []byte, header []string, row equivclass.Row) Outcome {
	clear(row)
	o := d.judge(value, header, row)
	switch {
	case d.changed == nil || !o.Changes():
	case d.deletes && (o.Delete || o.Reason == ReasonTombstone):
		o = d.changed.person(o, key, row)
	default:
		d.changed.refused(key, row)
	}
	if !o.Accepted() && !o.Delete {
		d.keepKnown(row)
		return d.settle(d.kindOf(o))
	}
	return o
}

// keepKnown leaves in the row of a message that is refused the subject and the key of the record as records have them, and nothing
// else.
func (d *checkedDecoder) keepKnown(row equivclass.Row) {
	var kept [2][]byte
	for k, i := range d.kept {
		if row[i] == nil {
			continue
		}
		if text, why := d.attributes[i].Clean(row[i]); why == equivclass.Accepted && len(text) > 0 {
			kept[k] = text
		}
	}
	clear(row)
	for k, i := range d.kept {
		row[i] = kept[k]
	}
}

// kindOf notes of a message that cannot be read that nobody knows what it does.
func (d *checkedDecoder) kindOf(o Outcome) Outcome {
	if d.unclear && o.Attribute == "" && ReplayRules[o.Reason].Replay == ReplayValue {
		o.Kind = Unclear
	}
	return o
}

func (d *checkedDecoder) judge(value []byte, header []string, row equivclass.Row) Outcome {
	switch {
	case value == nil:
		return Outcome{Reason: ReasonTombstone}
	case len(value) > d.maxBytes:
		d.inner.decode(value, header, row, true)
		return Outcome{Reason: ReasonTooLarge}
	default:
		o := d.inner.decode(value, header, row, true)
		switch {
		case o.Accepted(), o.Attribute != "":
			return d.clean(row, o)
		case d.json && dialect.IsFramed(value):
			o.Reason = ReasonFramed
		case o.Reason == ReasonMalformedJSON && !utf8.Valid(value):
			o.Reason = equivclass.ReasonUTF8 // it says more than the other reason
		}
		return o
	}
}

// clean makes values of the texts of a row. The first attribute at fault, in
// the order of judged, is the one that is named; one fault may be found already.
func (d *checkedDecoder) clean(row equivclass.Row, found Outcome) Outcome {
	d.written = d.written[:0]
	for _, i := range d.order {
		raw, a := row[i], &d.attributes[i]
		switch {
		case a.Name == found.Attribute:
			return found
		case raw == nil:
			continue
		}
		text, why := a.Clean(raw)
		if f := d.forms[i]; why == equivclass.Accepted && f != nil && len(text) > 0 && !f.missing[string(text)] {
			text, why = f.read(&d.written, text)
		}
		if why == equivclass.Accepted && len(text) == len(unavailable) && string(text) == unavailable {
			why = ReasonUnavailable
		}
		if why != equivclass.Accepted {
			return Outcome{Reason: why, Attribute: a.Name, Kind: found.Kind}
		}
		if len(text) == 0 {
			text = nil // white space alone
		}
		row[i] = text
	}
	return Outcome{Kind: found.Kind}
}

func (d *checkedDecoder) TooLarge(beginning []byte, header []string, row equivclass.Row) Outcome {
	clear(row)
	d.inner.decode(beginning, header, row, false)
	d.keepKnown(row)
	return d.settle(d.kindOf(Outcome{Reason: ReasonTooLarge}))
}

// settle applies the configuration to a message that is not accepted. A
// tombstone is a delete (rule N) that may be ignored under a name of its own.
func (d *checkedDecoder) settle(o Outcome) Outcome {
	o.Ignored = slices.Contains(d.ignore, o.Reason)
	if o.Reason == ReasonTombstone && !o.Ignored {
		o.Reason = ReasonUnsupported
		o.Ignored = slices.Contains(d.ignore, o.Reason)
	}
	return o
}

// isKey reports whether the role is of an attribute that says what a message is about.
func isKey(role equivclass.Role) bool {
	return role == equivclass.Subject || role == equivclass.RecordKey
}

// needed reports whether values of the role are ever looked at.
func needed(role equivclass.Role) bool {
	return role != equivclass.Identifier && role != equivclass.Drop
}

package ingest

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"anond/equivclass"
)

// jsonDecoder takes one JSON object a message. It is strict (RFC 8259 with the
// limits of RFC 7493): duplicate names at any depth, invalid UTF-8 and trailing
// bytes are refused, because two readers of such a text may see two records.
// Members that are no attribute are skipped.
//
// A number's text is taken as it is written. Method: one pass over tokens, the
// values copied into an arena that the next message reuses, so that a record
// costs no allocation.
type jsonDecoder struct {
	members objectReader
}

func newJSONDecoder(schema *equivclass.Schema) *jsonDecoder {
	return &jsonDecoder{members: newObjectReader(schema)}
}

func (d *jsonDecoder) decode(value []byte, _ []string, row equivclass.Row) Outcome {
	r := &d.members
	r.open(value)
	if r.dec.PeekKind() != '{' {
		return r.finish(Outcome{Reason: ReasonNotAnObject}, r.dec.SkipValue())
	}
	fault, err := r.readRow(row)
	return r.finish(fault, err)
}

// objectReader reads JSON texts by token and object members into rows.
type objectReader struct {
	dec        *jsontext.Decoder
	input      bytes.Buffer
	attributes []equivclass.Attribute
	index      map[string]int // needed attributes by name
	arena      []byte         // unquoted texts of the present message
	name       []byte         // scratch for member names with escapes
	epochDays  bool           // a number for a date counts days (Debezium)
}

func newObjectReader(schema *equivclass.Schema) objectReader {
	r := objectReader{attributes: schema.Attributes(), index: map[string]int{}}
	r.dec = jsontext.NewDecoder(&r.input)
	for i, a := range r.attributes {
		if needed(a.Role) {
			r.index[a.Name] = i
		}
	}
	return r
}

// open makes the reader start on another text.
func (r *objectReader) open(value []byte) {
	r.input = *bytes.NewBuffer(value)
	r.dec.Reset(&r.input)
	r.arena = r.arena[:0]
}

// finish checks that the text ends after its value. A broken syntax outweighs
// any other fault, so that a reason never depends on the order of members. The
// error itself is dropped: its text may quote the input (rule V: no value is
// ever shown).
func (r *objectReader) finish(fault Outcome, err error) Outcome {
	if err == nil {
		if _, err = r.dec.ReadToken(); err == io.EOF {
			return fault
		}
		return Outcome{Reason: ReasonMalformedJSON}
	}
	return Outcome{Reason: syntaxReason(err)}
}

// readRow reads an object, whose first token is next, into row. The fault is
// the first attribute with a value of the wrong shape.
func (r *objectReader) readRow(row equivclass.Row) (fault Outcome, err error) {
	if _, err := r.dec.ReadToken(); err != nil {
		return fault, err
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.readName()
		if err != nil {
			return fault, err
		}
		i, ok := r.index[string(name)]
		if !ok {
			if err := r.dec.SkipValue(); err != nil {
				return fault, err
			}
			continue
		}
		text, nested, err := r.readText(i)
		if err != nil {
			return fault, err
		}
		if nested && fault.Accepted() {
			fault = Outcome{Reason: ReasonNested, Attribute: r.attributes[i].Name}
		}
		row[i] = text
	}
	_, err = r.dec.ReadToken()
	return fault, err
}

// readName reads a member name. It is valid until the next read.
func (r *objectReader) readName() ([]byte, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	r.name, err = jsontext.AppendUnquote(r.name[:0], raw)
	return r.name, err
}

// readText reads the value of attribute i as text in the arena; nil is missing.
func (r *objectReader) readText(i int) (text []byte, nested bool, err error) {
	kind := r.dec.PeekKind()
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, false, err
	}
	start := len(r.arena)
	switch kind {
	case 'n':
		return nil, false, nil
	case '{', '[':
		return nil, true, nil
	case '"':
		if bytes.IndexByte(raw, '\\') < 0 {
			r.arena = append(r.arena, raw[1:len(raw)-1]...)
		} else if r.arena, err = jsontext.AppendUnquote(r.arena, raw); err != nil {
			return nil, false, err
		}
	default:
		r.arena = r.appendScalar(raw, kind, i)
	}
	if len(r.arena) == start {
		return nil, false, nil
	}
	return r.arena[start:len(r.arena):len(r.arena)], false, nil
}

func (r *objectReader) appendScalar(raw jsontext.Value, kind jsontext.Kind, i int) []byte {
	if r.epochDays && kind == '0' && r.attributes[i].Type == equivclass.Date {
		if day, ok := epochDay(raw); ok {
			return day.AppendFormat(r.arena, time.DateOnly)
		}
	}
	return append(r.arena, raw...)
}

// epochDay reads a count of days since 1970-01-01 within the years 0 to 9999.
// Debezium's milliseconds and microseconds lie outside and stay what they are,
// so that the machine refuses them as not_a_date.
func epochDay(raw []byte) (time.Time, bool) {
	const first, last = -719528, 2932896
	days, err := strconv.Atoi(string(raw))
	if err != nil || days < first || days > last {
		return time.Time{}, false
	}
	return time.Unix(int64(days)*86400, 0).UTC(), true
}

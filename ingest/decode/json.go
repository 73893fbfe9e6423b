package decode

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"anond/equivclass"
	"anond/ingest/pointer"
)

// jsonDecoder takes one JSON object a message. It is strict (RFC 8259 with the
// limits of RFC 7493): duplicate names at any depth, invalid UTF-8 and trailing
// bytes are refused, because two readers of such a text may see two records.
// Members that are no attribute are skipped.
//
// A number's text is taken as it is written. Method: one pass over tokens, the
// values copied into an arena that the next message reuses, so that a record
// costs no allocation. An object like the one before is read without tokens.
type jsonDecoder struct {
	members objectReader
	like    likeBefore
}

func newJSONDecoder(schema *equivclass.Schema, pointers map[string]string, suspect func(member string)) (*jsonDecoder, error) {
	members, err := newObjectReader(schema, pointers)
	d := &jsonDecoder{members: members}
	if d.members.like = &d.like; suspect != nil {
		d.members.suspecting(suspect)
	}
	return d, err
}

func (d *jsonDecoder) decode(value []byte, _ []string, row equivclass.Row, _ bool) Outcome {
	r := &d.members
	if d.like.read(r, value, row) {
		return Outcome{}
	}
	r.open(value)
	d.like.begin()
	if r.dec.PeekKind() != '{' {
		return r.finish(Outcome{Reason: ReasonNotAnObject}, r.dec.SkipValue())
	}
	fault, err := r.readRow(row)
	o := r.finish(fault, err)
	if o.Accepted() {
		d.like.end()
	}
	return o
}

// objectReader reads JSON texts by token and object members into rows.
type objectReader struct {
	dec        *jsontext.Decoder
	input      bytes.Buffer
	attributes []equivclass.Attribute
	order      []int          // of judged
	root       *pointer.Place // of the needed attributes
	arena      []byte         // unquoted texts of the present message
	name       []byte         // scratch for member names with escapes
	epochDays  []bool         // by attribute: a number counts days (Debezium); nil: none does
	// others reads the value of a member of the record that is no attribute; nil: it is skipped.
	others func(name []byte) error
	like   *likeBefore // is shown the members of the record; nil: nobody asks
}

func newObjectReader(schema *equivclass.Schema, pointers map[string]string) (r objectReader, err error) {
	r.attributes, r.order = schema.Attributes(), judged(schema)
	r.root, err = placesOf(r.attributes, pointers)
	r.dec = jsontext.NewDecoder(&r.input)
	return r, err
}

// placesOf are the places of the attributes that are needed. One without a pointer is the
// member of its name.
func placesOf(attributes []equivclass.Attribute, pointers map[string]string) (*pointer.Place, error) {
	root := pointer.New()
	for i, a := range attributes {
		if !needed(a.Role) {
			continue
		}
		steps := []string{a.Name}
		if text, ok := pointers[a.Name]; ok {
			var err error
			if steps, err = pointer.Parse(text); err != nil {
				return nil, fmt.Errorf("path of %s: %w", a.Name, err)
			}
		}
		if other, ok := root.Add(steps, i); !ok {
			return nil, fmt.Errorf("path of %s: it lies in the value of %s, or around it", a.Name, attributes[other].Name)
		}
	}
	return root, nil
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
// the attribute with a value of the wrong shape that is judged first.
func (r *objectReader) readRow(row equivclass.Row) (fault Outcome, err error) {
	err = r.readMembers(r.root, row, &fault)
	return fault, err
}

// readMembers reads an object in which attributes lie.
func (r *objectReader) readMembers(in *pointer.Place, row equivclass.Row, fault *Outcome) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.readName()
		if err != nil {
			return err
		}
		at := in.Member(name)
		if in == r.root && r.like != nil {
			name = r.like.see(r, name, at)
		}
		if at == nil && in == r.root && r.others != nil {
			err = r.others(name)
		} else {
			err = r.readPlace(at, row, fault)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// readElements reads an array in which attributes lie.
func (r *objectReader) readElements(in *pointer.Place, row equivclass.Row, fault *Outcome) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; r.dec.PeekKind() != ']'; i++ {
		if err := r.readPlace(in.Element(i), row, fault); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// readPlace reads the value at a place; nil: no attribute lies there. Above attributes, a
// value that is neither object nor array leaves them missing.
func (r *objectReader) readPlace(at *pointer.Place, row equivclass.Row, fault *Outcome) error {
	switch {
	case at == nil:
		return r.dec.SkipValue()
	case at.Value >= 0:
		return r.readAttribute(at.Value, row, fault)
	}
	switch r.dec.PeekKind() {
	case '{':
		return r.readMembers(at, row, fault)
	case '[':
		return r.readElements(at, row, fault)
	}
	return r.dec.SkipValue()
}

func (r *objectReader) readAttribute(i int, row equivclass.Row, fault *Outcome) error {
	text, nested, err := r.readText(i)
	if err != nil {
		return err
	}
	if nested && (fault.Accepted() || r.before(i, fault.Attribute)) {
		*fault = Outcome{Reason: ReasonNested, Attribute: r.attributes[i].Name}
	}
	row[i] = text
	return nil
}

// before reports whether an attribute is judged before another one.
func (r *objectReader) before(i int, other string) bool {
	first := slices.IndexFunc(r.order, func(j int) bool { return i == j || r.attributes[j].Name == other })
	return first >= 0 && r.order[first] == i
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
	if r.epochDays != nil && r.epochDays[i] && kind == '0' {
		if day, ok := epochDay(raw); ok {
			return day.AppendFormat(r.arena, time.DateOnly)
		}
	}
	if kind == '0' && isKey(r.attributes[i].Role) {
		raw = integerOf(raw)
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

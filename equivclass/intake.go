package equivclass

import (
	"log/slog"
	"slices"
)

// intake is how rows become records of a table: what is judged in which order,
// and the row that was judged last.
type intake struct {
	steps []step
	row   []found // by attribute
	grown []int   // attributes whose dictionary that row extended
}

// found is what a dictionary has of a value: its code, or nothing yet.
type found struct {
	code  Code
	known bool
}

// step judges one attribute of a row.
type step struct {
	attribute int
	name      string
	dict      *Dictionary // of values; nil: a subject or record key
	whole     *Dictionary // of sequences, where these are kept (Packed.Sequences)
}

func newIntake(dicts []*Dictionary, attributes []Attribute, order []int) intake {
	in := intake{row: make([]found, len(attributes))}
	for i := range attributes {
		if !slices.Contains(order, i) {
			order = append(slices.Clip(order), i)
		}
	}
	for _, i := range order {
		a := &attributes[i]
		s := step{attribute: i, name: a.Name, dict: dicts[i]}
		if a.Role != Subject && a.Role != RecordKey && s.dict == nil {
			continue
		}
		in.steps = append(in.steps, s)
	}
	return in
}

// Append takes a row in, or says why not and which attribute is at fault; nothing
// of a refused row is kept. Each value is looked up once.
func (t *Table) Append(row Row) (Reason, string) {
	in := &t.intake
	if why, attribute := in.take(row); why != Accepted {
		return why, attribute
	}
	for k := range in.steps {
		if s := &in.steps[k]; s.dict != nil {
			t.Codes[s.attribute] = append(t.Codes[s.attribute], in.row[s.attribute].code)
		}
	}
	return Accepted, ""
}

// take judges a row and encodes it: of an accepted row every dictionary has its value.
func (in *intake) take(row Row) (Reason, string) {
	for k := range in.steps {
		s := &in.steps[k]
		if why := in.judge(s, row[s.attribute], true); why != Accepted {
			return why, s.name
		}
	}
	in.grown = in.grown[:0]
	for k := range in.steps {
		s := &in.steps[k]
		if v := &in.row[s.attribute]; s.dict != nil && !v.known {
			v.code, in.grown = s.add(row[s.attribute]), append(in.grown, s.attribute)
		}
	}
	return Accepted, ""
}

// Grown returns the attributes of which the row appended last brought a new value,
// in the order in which they are judged. It is valid until the next row.
func (t *Table) Grown() []int { return t.intake.grown }

// Check says what Append would say of a row and takes nothing in: whether every
// value that is kept is admissible, and the subject is there.
func (t *Table) Check(row Row) (Reason, string) { return t.intake.check(row) }

func (in *intake) check(row Row) (Reason, string) {
	for k := range in.steps {
		s := &in.steps[k]
		if why := in.judge(s, row[s.attribute], false); why != Accepted {
			return why, s.name
		}
	}
	return Accepted, ""
}

// judge looks one value of a row up: as it is kept, or as a source sends it.
func (in *intake) judge(s *step, raw []byte, kept bool) (why Reason) {
	switch {
	case s.dict == nil:
		if len(raw) == 0 {
			return ReasonMissing
		}
	case kept && s.whole != nil:
		v := &in.row[s.attribute]
		v.code, v.known, why = s.find(raw)
	default:
		v := &in.row[s.attribute]
		v.code, v.known, why = s.dict.Find(raw)
	}
	return why
}

// Row holds the raw text of one record, one entry for each attribute in schema
// order; nil is a missing value. Attributes that are never stored (identifier,
// drop) stay nil. A Row prints as a fixed word, because it is a person's data.
type Row [][]byte

// String hides the values.
func (r Row) String() string { return "row(redacted)" }

// GoString hides the values from %#v.
func (r Row) GoString() string { return r.String() }

// LogValue hides the values from slog.
func (r Row) LogValue() slog.Value { return slog.StringValue(r.String()) }

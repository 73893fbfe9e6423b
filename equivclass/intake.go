package equivclass

import (
	"slices"
)

// intake is how rows become records of a table: what is judged in which order,
// and the row that was judged last.
type intake struct {
	steps  []step
	flags  []flag
	always uint64 // semi-sensitive attributes without a flag: always sensitive
	semi   bool   // there are semi-sensitive attributes

	row     []found // by attribute
	private uint64
	grown   []int // attributes whose dictionary that row extended
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
	dict      *Dictionary // nil: a subject or a flag
	required  bool        // the value may not be missing
	flag      bool
	flags     uint64 // of a flag: the semi-sensitive attributes that it flags
}

// flag is an attribute that flags others.
type flag struct {
	attribute int
	flags     uint64
}

func newIntake(dicts []*Dictionary, attributes []Attribute, missing Missing, order []int) intake {
	in := intake{row: make([]found, len(attributes))}
	flagged := map[string]uint64{} // semi-sensitive attributes by their flag
	n := 0
	for _, a := range attributes {
		if a.Role == Semi {
			flagged[a.Flag] |= 1 << n
			n++
		}
	}
	in.always, in.semi = flagged[""], n > 0
	for i := range attributes {
		if !slices.Contains(order, i) {
			order = append(slices.Clip(order), i)
		}
	}
	for _, i := range order {
		a := &attributes[i]
		s := step{attribute: i, name: a.Name, dict: dicts[i], required: missing != MissingValue || a.Type.Numeric()}
		switch {
		case a.Role == Flag:
			s.flag, s.flags = true, flagged[a.Name]
			in.flags = append(in.flags, flag{i, s.flags})
		case a.Role != Subject && s.dict == nil:
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
	if in.semi {
		t.Private = append(t.Private, in.private)
	}
	return Accepted, ""
}

// take judges a row and encodes it: of an accepted row every dictionary has its value.
func (in *intake) take(row Row) (Reason, string) {
	if why, attribute := in.check(row); why != Accepted {
		return why, attribute
	}
	in.grown = in.grown[:0]
	for k := range in.steps {
		s := &in.steps[k]
		if v := &in.row[s.attribute]; s.dict != nil && !v.known {
			v.code, in.grown = s.dict.add(row[s.attribute]), append(in.grown, s.attribute)
		}
	}
	return Accepted, ""
}

// Grown returns the attributes of which the row appended last brought a new value,
// in the order in which they are judged. It is valid until the next row.
func (t *Table) Grown() []int { return t.intake.grown }

// Check says what Append would say of a row and takes nothing in: whether every
// value that is kept is admissible, the subject is there and the flags can be read.
func (t *Table) Check(row Row) (Reason, string) { return t.intake.check(row) }

func (in *intake) check(row Row) (Reason, string) {
	in.private = in.always
	for k := range in.steps {
		s := &in.steps[k]
		if why := in.judge(s, row[s.attribute]); why != Accepted {
			return why, s.name
		}
	}
	return Accepted, ""
}

// judge looks one value of a row up.
func (in *intake) judge(s *step, raw []byte) (why Reason) {
	switch {
	case s.flag:
		sensitive, ok := parseFlag(raw)
		if !ok {
			return ReasonFlag
		}
		if sensitive {
			in.private |= s.flags
		}
	case s.dict == nil: // a subject
		if len(raw) == 0 {
			return ReasonMissing
		}
	case raw == nil && s.required:
		return ReasonMissing
	default:
		v := &in.row[s.attribute]
		v.code, v.known, why = s.dict.Find(raw)
	}
	return why
}

// extend adds the flags of n further records, as columns say them.
func (in *intake) extend(private []uint64, columns [][]Code, n int) []uint64 {
	if !in.semi {
		return private
	}
	for r := range n {
		word := in.always
		for _, f := range in.flags {
			if columns[f.attribute][r] == 1 {
				word |= f.flags
			}
		}
		private = append(private, word)
	}
	return private
}

func (in *intake) flagCodes(attribute int, private []uint64) []Code {
	i := slices.IndexFunc(in.flags, func(f flag) bool { return f.attribute == attribute })
	out := make([]Code, len(private))
	for r, word := range private {
		if word&in.flags[i].flags != 0 {
			out[r] = 1
		}
	}
	return out
}

package equivclass

import (
	"slices"
	"strings"
)

// Then stands between the values of a sequence, where what is published of a person is one (NewSequences). No value has it: it is a
// control character, which Clean refuses, and no label of an interval has one. So a sequence has one reading only.
const Then = "\x1f"

// Parts are the values of a sequence, in their order. A single value is a sequence of its own.
func Parts(text string) []string { return strings.Split(text, Then) }

// Joined is the sequence of some values.
func Joined(parts []string) string { return strings.Join(parts, Then) }

// Ever are the values that a sequence has anywhere, each once, in the order of their bytes.
func Ever(text string) []string {
	if !strings.Contains(text, Then) {
		return []string{text}
	}
	parts := Parts(text)
	slices.Sort(parts)
	return slices.Compact(parts)
}

// CompareSequences orders sequences value by value, as CompareTexts; of two of which one begins the other, the shorter one is first.
func CompareSequences(a, b string) int { return slices.CompareFunc(Parts(a), Parts(b), CompareTexts) }

// NewSequences returns the dictionary of the sequences of up to so many values of an attribute, which has none yet. Its codes stand for
// sequences of values as releases show them, whatever the attribute's values are: so Kind is Set.
func NewSequences(a Attribute, most int) *Dictionary {
	return &Dictionary{attribute: a, most: most, byText: map[string]Code{}}
}

// Records is how many values a sequence of the dictionary has at most; 0: it has none, but values.
func (d *Dictionary) Records() int { return d.most }

// Sequence returns the code of a sequence of values as releases show them; one that is new is taken in.
func (d *Dictionary) Sequence(text string) Code {
	if c, known := d.byText[text]; known {
		return c
	}
	return d.addText(text)
}

// shows returns a raw value of a dictionary of values as releases show it.
func (d *Dictionary) shows(raw []byte) (text string, why Reason) {
	code, _, why := d.Find(raw)
	if why != Accepted {
		return "", why
	}
	v, clean, _ := d.read(raw)
	switch {
	case d.Kind() == Tree:
		return d.Text(code), Accepted
	case !d.attribute.Type.Numeric():
		return string(clean), Accepted
	case v == MissingNumber:
		return MissingText, Accepted
	}
	i, _, why := bucketOf(d.attribute.Buckets, v)
	return d.attribute.bucketLabel(int(i)), why
}

// isShown reports whether a text is a value of a dictionary of values as releases show it.
func (d *Dictionary) isShown(text string) bool {
	switch {
	case text == MissingText:
		return d.attribute.Optional
	case d.Bucketed():
		return slices.Contains(d.texts, text)
	}
	shown, why := d.shows([]byte(text))
	return why == Accepted && shown == text
}

// Sequences makes what is kept of some attributes sequences of up to so many values, in a table without records. Check goes on to judge
// single values, as a source sends them; Append takes sequences as SequenceOf makes them.
func (p *Packed) Sequences(attributes []int, most int) {
	for k := range p.intake.steps {
		if s := &p.intake.steps[k]; slices.Contains(attributes, s.attribute) {
			s.whole = NewSequences(s.dict.attribute, most)
			p.Dicts[s.attribute] = s.whole
		}
	}
}

// SequenceOf is the sequence of values as a source sends them, nil being none.
func (p *Packed) SequenceOf(attribute int, raws [][]byte) (text string, why Reason) {
	at := slices.IndexFunc(p.intake.steps, func(s step) bool { return s.attribute == attribute })
	parts := make([]string, len(raws))
	for i, raw := range raws {
		if parts[i], why = p.intake.steps[at].dict.shows(raw); why != Accepted {
			return "", why
		}
	}
	return Joined(parts), Accepted
}

// find looks up a sequence.
func (s *step) find(raw []byte) (code Code, found bool, why Reason) {
	parts := Parts(string(raw))
	if len(parts) > s.whole.most || slices.ContainsFunc(parts, func(part string) bool { return !s.dict.isShown(part) }) {
		return 0, false, ReasonCategory
	}
	code, found = s.whole.byText[string(raw)]
	return code, found, Accepted
}

// add takes in a value that find called new.
func (s *step) add(raw []byte) Code {
	if s.whole != nil {
		return s.whole.addText(string(raw))
	}
	return s.dict.add(raw)
}

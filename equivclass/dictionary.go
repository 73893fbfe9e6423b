package equivclass

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Code stands for one value of an attribute: the leaf number in a hierarchy,
// else the order of first appearance in the stream.
type Code uint32

// Reason is a stable code for why a record cannot be taken. It never carries a value.
type Reason string

// The reasons for which a record's values are refused.
const (
	Accepted          Reason = ""
	ReasonMissing     Reason = "missing_value"
	ReasonNumber      Reason = "not_a_number"
	ReasonInteger     Reason = "not_an_integer"
	ReasonDate        Reason = "not_a_date"
	ReasonHierarchy   Reason = "value_not_in_hierarchy"
	ReasonCategory    Reason = "value_refused" // see CheckCategory
	ReasonOutOfRange  Reason = "value_out_of_range"
	ReasonImplausible Reason = "implausible" // outside of Attribute.Range
)

// MissingText is how a release shows that there is no value, and MissingNumber is that
// number of a numeric attribute. A missing value is one like any other of an attribute that
// is Optional: it is its own cell, a further member of any other one, and behind all values
// in every order.
const (
	MissingText   = "?"
	MissingNumber = math.MaxInt64
)

// Dictionary maps the values of one attribute to codes. It grows with the
// stream unless the attribute has a hierarchy or buckets. Not safe for
// concurrent use while it grows.
type Dictionary struct {
	attribute Attribute
	numbers   []int64 // numeric: value of a code, in units of the attribute
	byNumber  map[int64]Code
	texts     []string // categorical without hierarchy, and bucket labels
	byText    map[string]Code
	most      int // of a sequence (NewSequences); 0: the texts are values
	// What stands for a missing value (Attribute.MissingValues).
	lackingTexts   map[string]bool
	lackingNumbers map[int64]bool
}

// NewDictionary returns the dictionary of an attribute, filled as far as the
// schema already fixes the values.
func NewDictionary(a Attribute) *Dictionary {
	d := &Dictionary{attribute: a, byNumber: map[int64]Code{}, byText: map[string]Code{}}
	if a.Bucketed() {
		for i := range a.Buckets {
			d.texts = append(d.texts, a.bucketLabel(i))
		}
		if a.Optional {
			d.texts = append(d.texts, MissingText)
		}
	}
	if len(a.MissingValues) > 0 {
		d.lackingTexts, d.lackingNumbers = map[string]bool{}, map[int64]bool{}
	}
	for _, text := range a.MissingValues {
		clean, _ := a.Clean([]byte(text))
		d.lackingTexts[string(clean)] = true
		if v, why := a.ParseNumber([]byte(text)); a.Type.Numeric() && why == Accepted {
			d.lackingNumbers[v] = true
		}
	}
	return d
}

func (a *Attribute) bucketLabel(i int) string {
	lo := a.FormatNumber(a.Buckets[i])
	if i+1 == len(a.Buckets) {
		return lo + "+"
	}
	return lo + ".." + a.FormatNumber(a.Buckets[i+1])
}

// Kind tells how values of the dictionary are compared and generalized.
func (d *Dictionary) Kind() Kind {
	switch {
	case d.most > 0:
		return Set
	case d.attribute.Hierarchy != nil:
		return Tree
	case d.attribute.Type.Numeric() && !d.attribute.Bucketed():
		return Number
	default:
		return Set
	}
}

// Attribute returns the attribute that the dictionary serves.
func (d *Dictionary) Attribute() Attribute { return d.attribute }

// Bucketed reports whether the values are the intervals of numbers, which the schema has.
func (d *Dictionary) Bucketed() bool { return d.attribute.Bucketed() && d.most == 0 }

// Len returns the number of codes.
func (d *Dictionary) Len() int {
	switch d.Kind() {
	case Tree:
		return d.attribute.Hierarchy.Leaves()
	case Number:
		return len(d.numbers)
	default:
		return len(d.texts)
	}
}

// Find looks a raw text up. found is false for a value that is admissible but
// new; why tells what makes it inadmissible. The dictionary is not changed, so
// a record can be checked whole before any of its values is taken in (add).
//
// A text is cleaned (Attribute.Clean) only if it is not known as it stands: what
// the dictionary holds is clean already.
func (d *Dictionary) Find(raw []byte) (code Code, found bool, why Reason) {
	numeric := d.attribute.Type.Numeric()
	if c, ok := d.known(raw); ok && !numeric && string(raw) != MissingText {
		return c, true, Accepted
	}
	v, text, why := d.read(raw)
	if why != Accepted {
		return 0, false, why
	}
	switch {
	case len(d.attribute.Buckets) > 0 && v != MissingNumber:
		if code, found, why = bucketOf(d.attribute.Buckets, v); why == Accepted && d.attribute.Exact {
			code, found = d.byNumber[v]
		}
	case d.Bucketed():
		return Code(len(d.attribute.Buckets)), true, Accepted
	case numeric:
		code, found = d.byNumber[v]
	default:
		if code, found = d.known(text); !found && d.attribute.Hierarchy != nil {
			why = ReasonHierarchy
		}
	}
	return code, found, why
}

// read returns the value of a raw text, nil being none: a number in units, or a text.
func (d *Dictionary) read(raw []byte) (v int64, text []byte, why Reason) {
	a, missing := &d.attribute, raw == nil
	switch {
	case missing:
	case a.Type.Numeric():
		v, why = a.ParseNumber(raw)
		missing = why == Accepted && d.lackingNumbers[v] || why != Accepted && d.lackingTexts[string(bytes.TrimSpace(raw))]
		if r := a.Range; why == Accepted && r != nil && (v < r.Lo || v > r.Hi) {
			why = ReasonImplausible
		}
	default:
		text, why = a.Clean(raw)
		missing = why == Accepted && (len(text) == 0 || d.lackingTexts[string(text)])
		if _, known := d.known(text); why == Accepted && (string(text) == MissingText || !known && a.Hierarchy == nil) &&
			CheckCategory(string(text)) != nil {
			why = ReasonCategory
		}
	}
	switch {
	case !missing:
		return v, text, why
	case !a.Optional:
		return 0, nil, ReasonMissing
	}
	return MissingNumber, []byte(MissingText), Accepted
}

// known looks a text up as it stands.
func (d *Dictionary) known(text []byte) (Code, bool) {
	if d.attribute.Hierarchy != nil {
		return d.attribute.Hierarchy.Leaf(text)
	}
	c, ok := d.byText[string(text)]
	return c, ok
}

// Encode returns the code of a raw text; a value that is new is taken in.
func (d *Dictionary) Encode(raw []byte) (Code, Reason) {
	c, found, why := d.Find(raw)
	if !found && why == Accepted {
		c = d.add(raw)
	}
	return c, why
}

// EncodeLabel is Encode for a value as a release shows it: a bucket by its label,
// or by any number in it, a missing value by its mark.
func (d *Dictionary) EncodeLabel(text string) (Code, Reason) {
	if text == MissingText {
		return d.Encode(nil)
	}
	if i := slices.Index(d.texts, strings.TrimSpace(text)); i >= 0 && d.Bucketed() {
		return Code(i), Accepted
	}
	return d.Encode([]byte(text))
}

// Named returns the code of a category without hierarchy, or of a bucket by its
// label, as a release shows it.
func (d *Dictionary) Named(text string) (code Code, found bool) {
	if !d.Bucketed() {
		code, found = d.byText[text]
		return code, found
	}
	i := slices.Index(d.texts, text)
	return Code(max(i, 0)), i >= 0
}

// add takes in a value that Find called admissible and new.
func (d *Dictionary) add(raw []byte) Code {
	v, text, _ := d.read(raw)
	if d.attribute.Type.Numeric() {
		return d.addNumber(v)
	}
	return d.addText(string(text))
}

func (d *Dictionary) addNumber(v int64) Code {
	c := Code(len(d.numbers))
	d.numbers = append(d.numbers, v)
	d.byNumber[v] = c
	return c
}

func (d *Dictionary) addText(text string) Code {
	c := Code(len(d.texts))
	d.texts = append(d.texts, text)
	d.byText[text] = c
	return c
}

func bucketOf(bounds []int64, v int64) (Code, bool, Reason) {
	i := len(bounds) - 1
	for i >= 0 && v < bounds[i] {
		i--
	}
	if i < 0 {
		return 0, false, ReasonOutOfRange
	}
	return Code(i), true, Accepted
}

// Text returns the canonical text of a code, as a release writes it. This is a
// person's value: it belongs into releases and private exports only.
func (d *Dictionary) Text(c Code) string {
	switch d.Kind() {
	case Tree:
		return d.attribute.Hierarchy.Label(int(c))
	case Number:
		return d.attribute.FormatNumber(d.numbers[c])
	default:
		return d.texts[c]
	}
}

// Label returns what is promised of, and what decides who shares a bucket: the interval of an exact number, else the text.
func (d *Dictionary) Label(c Code) string {
	if a := &d.attribute; a.Exact && d.most == 0 && d.numbers[c] != MissingNumber {
		i, _, _ := bucketOf(a.Buckets, d.numbers[c])
		return a.bucketLabel(int(i))
	}
	return d.Text(c)
}

// Alike gives for each code the first one with the same label: of exact numbers those of an interval are one value for a promise.
func (d *Dictionary) Alike() []Code {
	first, out := map[string]Code{}, make([]Code, d.Len())
	for c := range out {
		label := d.Label(Code(c))
		if _, seen := first[label]; !seen {
			first[label] = Code(c)
		}
		out[c] = first[label]
	}
	return out
}

// Units returns the value of a numeric code, in units of the attribute.
func (d *Dictionary) Units(c Code) int64 { return d.numbers[c] }

// Number returns the value of a numeric code, for estimates.
func (d *Dictionary) Number(c Code) float64 { return d.attribute.Float(d.numbers[c]) }

// Restore appends an entry that state kept, in the order in which it was grown.
// A text is taken as it is: what was a value once stays one, whatever the schema
// or a newer Unicode would make of it.
func (d *Dictionary) Restore(text string) error {
	v, why := int64(MissingNumber), Accepted
	if d.Kind() == Number && text != MissingText {
		v, why = d.attribute.ParseNumber([]byte(text))
	}
	_, number := d.byNumber[v]
	_, known := d.byText[text]
	switch {
	case d.Kind() == Set && !d.Bucketed() && !known:
		d.addText(text)
		return nil
	case d.Kind() == Number && why == Accepted && !number:
		d.addNumber(v)
		return nil
	}
	return &dictionaryError{Attribute: d.attribute.Name, Entry: d.Len()}
}

// dictionaryError says that a stored dictionary does not fit the schema.
type dictionaryError struct {
	Attribute string
	Entry     int
}

func (e *dictionaryError) Error() string {
	return "dictionary of attribute " + strconv.Quote(e.Attribute) + ": entry " + strconv.Itoa(e.Entry) + " does not fit the schema"
}

// Twins returns how many values, beyond the first, differ from another one only by what
// Fold takes away. They count as different.
func (d *Dictionary) Twins() (n int) {
	if d.attribute.Type.Numeric() {
		return 0
	}
	seen := make(map[string]bool, d.Len())
	for c := range Code(d.Len()) {
		fold := string(Fold([]byte(d.Text(c))))
		if seen[fold] {
			n++
		}
		seen[fold] = true
	}
	return n
}

// Frozen returns a read-only view of the dictionary as it is now, which other
// goroutines may read while the dictionary grows. It must not be encoded into.
func (d *Dictionary) Frozen() *Dictionary {
	return &Dictionary{attribute: d.attribute, most: d.most, numbers: d.numbers[:len(d.numbers):len(d.numbers)],
		texts: d.texts[:len(d.texts):len(d.texts)]}
}

// Under returns the dictionary as another version of its attribute reads it, frozen, and the codes there, nil if they are the same. A
// leaf that its hierarchy lacks has none. most: of a sequence; 0: the texts are values.
func (d *Dictionary) Under(a Attribute, most int) (*Dictionary, []Code) {
	if d.Kind() != Tree {
		out := *d.Frozen()
		out.attribute, out.most = a, most
		return &out, nil
	}
	out, codes, same := NewDictionary(a), make([]Code, d.Len()), true
	for c := range codes {
		at, found := a.Hierarchy.Leaf([]byte(d.Text(Code(c))))
		if codes[c] = at; !found {
			codes[c] = ^Code(0)
		}
		same = same && (!found || at == Code(c))
	}
	if same {
		codes = nil
	}
	return out, codes
}

// Prefix returns a read-only view of the first n entries. A dictionary that the
// schema fixes (hierarchy, buckets) is always whole.
func (d *Dictionary) Prefix(n int) *Dictionary {
	f := d.Frozen()
	switch {
	case f.Kind() == Number:
		f.numbers = f.numbers[:n]
	case f.Kind() == Set && !f.Bucketed():
		f.texts = f.texts[:n]
	}
	return f
}

package query

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"anond/equivclass"
)

// Bound is a query over the attributes of a table: what it sums, and for
// each attribute it restricts which values satisfy it.
type Bound struct {
	Sum   int // the attribute summed; -1: count
	Mean  bool
	Preds []Predicate // of a mean: there is a number, too
	// Absent are the values asked for that the release shows nowhere.
	Absent []AbsentValue
}

// AbsentValue names a value of a condition: the Value-th one asked of Attribute.
type AbsentValue struct {
	Attribute string `json:"attribute"`
	Value     int    `json:"value"`
}

// Predicate says which values of one attribute are asked for.
type Predicate struct {
	Attribute int
	Match     []bool  // by code
	Spans     []Span  // Number: disjoint, ascending
	before    []int32 // Tree: how many of the leaves before each one match
	first     bool    // of histories: it asks of the first record alone
}

// Span is an interval of numbers.
type Span struct {
	Lo, Hi         float64
	LoOpen, HiOpen bool
}

func (s Span) empty() bool { return s.Lo > s.Hi || s.Lo == s.Hi && (s.LoOpen || s.HiOpen) }

func (s Span) holds(v float64) bool {
	return (v > s.Lo || v == s.Lo && !s.LoOpen) && (v < s.Hi || v == s.Hi && !s.HiOpen)
}

func (s Span) and(o Span) Span {
	if o.Lo > s.Lo || o.Lo == s.Lo && o.LoOpen {
		s.Lo, s.LoOpen = o.Lo, o.LoOpen
	}
	if o.Hi < s.Hi || o.Hi == s.Hi && o.HiOpen {
		s.Hi, s.HiOpen = o.Hi, o.HiOpen
	}
	return s
}

// AllNumbers are the spans of an attribute that nothing restricts.
var AllNumbers = []Span{{Lo: math.Inf(-1), Hi: math.Inf(1)}}

// Error says what is wrong with a query, where, and what to write instead.
type Error struct {
	At   int // byte offset in the text
	What string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("query, column %d: %s", e.At+1, e.What) }

func queryError(at int, format string, args ...any) error {
	return &Error{At: at, What: fmt.Sprintf(format, args...)}
}

// Bind resolves the texts of a query: attributes by name, values by dictionary.
// The dictionaries are those of the release that is queried. A category that
// they do not have is in no cell of the release, so nothing matches it; Absent
// names it, because it may be a typing error. Conditions on one attribute are
// joined by "and".
func Bind(q Query, dicts []*equivclass.Dictionary) (*Bound, error) {
	out := &Bound{Sum: -1, Mean: q.Mean}
	if q.Sum != "" {
		j, err := attributeNamed(q.Sum, q.SumAt, dicts)
		if err != nil {
			return nil, err
		}
		if dicts[j].Kind() != equivclass.Number || dicts[j].Attribute().Type == equivclass.Date {
			return nil, queryError(q.SumAt, "%q cannot be summed: sum a numeric attribute without buckets", q.Sum)
		}
		out.Sum = j
	}
	for _, c := range q.Where {
		j, err := attributeNamed(c.Attribute, c.At, dicts)
		if err != nil {
			return nil, err
		}
		p, absent, err := bindCondition(c, j, dicts[j])
		if err != nil {
			return nil, err
		}
		out.add(p)
		for _, i := range absent {
			out.Absent = append(out.Absent, AbsentValue{Attribute: c.Attribute, Value: i})
		}
	}
	if q.Mean {
		out.add(numbered(out.Sum, dicts[out.Sum]))
	}
	for i := range out.Preds {
		out.Preds[i].Count(dicts[out.Preds[i].Attribute])
	}
	return out, nil
}

// numbered asks for those who have a number.
func numbered(j int, d *equivclass.Dictionary) Predicate {
	p := Predicate{Attribute: j, Match: make([]bool, d.Len()), Spans: AllNumbers}
	for code := range p.Match {
		p.Match[code] = SpansHold(p.Spans, d.Number(equivclass.Code(code)))
	}
	return p
}

func attributeNamed(name string, at int, dicts []*equivclass.Dictionary) (int, error) {
	for j, d := range dicts {
		if d.Attribute().Name == name {
			return j, nil
		}
	}
	return 0, queryError(at, "the release has no attribute %q: use one of its columns", name)
}

// With is the query with a further condition.
func (q *Bound) With(p Predicate) *Bound {
	out := *q
	out.Preds = slices.Clone(q.Preds)
	for i := range out.Preds {
		out.Preds[i].Match = slices.Clone(out.Preds[i].Match)
	}
	p.Match = slices.Clone(p.Match)
	out.add(p)
	return &out
}

// add joins a predicate with what is asked of its attribute already.
func (q *Bound) add(p Predicate) {
	i := slices.IndexFunc(q.Preds, func(o Predicate) bool { return o.Attribute == p.Attribute })
	if i < 0 {
		q.Preds = append(q.Preds, p)
		return
	}
	old := &q.Preds[i]
	old.first = old.first && p.first
	for c := range old.Match {
		old.Match[c] = old.Match[c] && p.Match[c]
	}
	var both []Span
	for _, a := range old.Spans {
		for _, b := range p.Spans {
			if s := a.and(b); !s.empty() {
				both = append(both, s)
			}
		}
	}
	old.Spans = both
}

// bindCondition also returns which of the values asked for no cell can hold.
func bindCondition(c Condition, j int, d *equivclass.Dictionary) (p Predicate, absent []int, err error) {
	p = Predicate{Attribute: j, Match: make([]bool, d.Len())}
	sequences := slices.ContainsFunc(c.Values, func(v string) bool { return strings.Contains(v, equivclass.Then) })
	switch {
	case c.Seen != "" && d.Attribute().Role == equivclass.Quasi:
		return p, nil, queryError(c.At, "%q has one value a person, and no history: leave out `%s`", c.Attribute, c.Seen)
	case sequences && d.Records() == 0:
		return p, nil, queryError(c.At, "%q has no histories: leave out `then`", c.Attribute)
	case c.Range != nil && d.Kind() != equivclass.Number:
		return p, nil, queryError(c.At, "%q is not numeric and has no ranges: use = or in {…}", c.Attribute)
	case c.Range != nil:
		p.Spans, err = bindRange(c, d)
	case d.Kind() == equivclass.Number:
		p.Spans, err = bindNumbers(c, d)
	case d.Records() > 0:
		p.first = c.Seen == First && !sequences
		absent, err = bindHistories(c, d, p.Match)
		return p, absent, err
	default:
		absent, err = bindCategories(c, d, p.Match)
		return p, absent, err
	}
	for code := range p.Match {
		p.Match[code] = SpansHold(p.Spans, d.Number(equivclass.Code(code)))
	}
	return p, nil, err
}

func SpansHold(spans []Span, v float64) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.holds(v) })
}

func bindRange(c Condition, d *equivclass.Dictionary) ([]Span, error) {
	s := Span{Lo: math.Inf(-1), Hi: math.Inf(1), LoOpen: c.Range.LoOpen, HiOpen: c.Range.HiOpen}
	for _, bound := range []struct {
		text string
		to   *float64
	}{{c.Range.Lo, &s.Lo}, {c.Range.Hi, &s.Hi}} {
		if bound.text == "" {
			continue
		}
		v, err := queryNumber(c, d, bound.text)
		if err != nil {
			return nil, err
		}
		*bound.to = v
	}
	if s.empty() {
		return nil, queryError(c.At, "the range of %q is empty: put the smaller bound first", c.Attribute)
	}
	return []Span{s}, nil
}

func queryNumber(c Condition, d *equivclass.Dictionary, text string) (float64, error) {
	a := d.Attribute()
	if a.Type == equivclass.Integer {
		a.Type = equivclass.Decimal
	}
	v, why := a.ParseNumber([]byte(text))
	for why == equivclass.ReasonOutOfRange && a.Digits < equivclass.MostDigits { // a bound may lie between the attribute's numbers
		a.Digits++
		v, why = a.ParseNumber([]byte(text))
	}
	if why != equivclass.Accepted {
		return 0, queryError(c.At, "a value for %q is %s: write it as %s", c.Attribute, why,
			map[bool]string{true: "YYYY-MM-DD", false: "a decimal number"}[a.Type == equivclass.Date])
	}
	return a.Float(v), nil
}

// bindNumbers returns the points asked for, or the gaps between them.
func bindNumbers(c Condition, d *equivclass.Dictionary) ([]Span, error) {
	points := make([]float64, len(c.Values))
	for i, text := range c.Values {
		v, err := queryNumber(c, d, text)
		if err != nil {
			return nil, err
		}
		points[i] = v
	}
	slices.Sort(points)
	points = slices.Compact(points)
	var out []Span
	if !c.Not {
		for _, v := range points {
			out = append(out, Span{Lo: v, Hi: v})
		}
		return out, nil
	}
	from := Span{Lo: math.Inf(-1)}
	for _, v := range points {
		out = append(out, Span{Lo: from.Lo, Hi: v, LoOpen: from.LoOpen, HiOpen: true})
		from = Span{Lo: v, LoOpen: true}
	}
	return append(out, Span{Lo: from.Lo, Hi: math.Inf(1), LoOpen: from.LoOpen}), nil
}

// bindCategories marks the values asked for, and returns the numbers of those
// that are absent: in no cell of the release, and in no hierarchy.
func bindCategories(c Condition, d *equivclass.Dictionary, match []bool) (absent []int, err error) {
	for i, text := range c.Values {
		switch {
		case markCategory(d, text, match):
		case len(d.Attribute().Buckets) > 0:
			return nil, queryError(c.At, "value %d for %q is none of its buckets: use the label of a bucket, such as %q", i+1, c.Attribute,
				d.Text(0))
		case equivclass.CheckCategory(text) != nil:
			return nil, queryError(c.At, "value %d for %q cannot be a category: use one value or label, or several as in {a, b}", i+1,
				c.Attribute)
		default:
			absent = append(absent, i+1)
		}
	}
	if c.Not {
		for code := range match {
			match[code] = !match[code]
		}
	}
	return absent, nil
}

// markCategory marks a value, or all leaves below a label, and reports whether
// there is one. A text is normalized as those of records are, unless the
// release has it as written. The empty one asks for missing values, as ? does.
func markCategory(d *equivclass.Dictionary, text string, match []bool) bool {
	if text == "" {
		text = equivclass.MissingText
	}
	if markText(d, text, match) {
		return true
	}
	for _, rule := range []equivclass.Text{{}, {Folded: d.Attribute().Text.Folded}} {
		if clean, why := rule.Clean([]byte(text)); why == equivclass.Accepted && markText(d, string(clean), match) {
			return true
		}
	}
	return false
}

func markText(d *equivclass.Dictionary, text string, match []bool) bool {
	if d.Kind() != equivclass.Tree {
		c, found := d.Named(text)
		if found {
			match[c] = true
		}
		return found
	}
	h, found := d.Attribute().Hierarchy, false
	for node := range h.Nodes() {
		if h.Label(node) == text {
			found = true
			for lo, hi := h.Span(node); lo <= hi; lo++ {
				match[lo] = true
			}
		}
	}
	return found
}

// Count prepares the matches of ranges of leaves, once Match is complete.
func (p *Predicate) Count(d *equivclass.Dictionary) {
	if d.Kind() != equivclass.Tree {
		return
	}
	p.before = make([]int32, len(p.Match)+1)
	for c, m := range p.Match {
		p.before[c+1] = p.before[c]
		if m {
			p.before[c+1]++
		}
	}
}

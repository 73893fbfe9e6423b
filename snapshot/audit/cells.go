package audit

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cellKind tells how a cell of a release describes the values of its records.
type cellKind uint8

const (
	cellPoint cellKind = iota // one value
	cellSpan                  // closed interval [lo,hi] of numbers or dates
	cellLabel                 // inner node of a hierarchy
	cellSet                   // {a|b|c}, categories without hierarchy
)

// cell is one parsed cell. Numbers and dates use lo and hi, in units of the last
// digit and in days since 1970-01-01, categories their text.
type cell struct {
	kind    cellKind
	lo, hi  int64
	lacks   bool // of some or all of its records there is no number
	text    string
	members []uint32 // cellSet: ids of its values, ascending
	leaves  bitset   // hierarchy: leaves below the label
	leaf    int32    // hierarchy: index of the leaf, -1 for an inner label
}

type attrType uint8

const (
	typeNumber attrType = iota
	typeDate
	typeCategory
)

// attribute is one quasi-identifier column: its type, its hierarchy, and the
// dictionary of all cells seen in any release or export. Equal ids mean equal
// cells, so classes are compared as slices of integers.
type attribute struct {
	name     string
	typ      attrType
	whole    bool    // integers and dates: an aligned interval [a,a+w) prints as [a,a+w-1]
	digits   int     // decimals: behind the point
	steps    []int64 // widths of aligned intervals, ascending; nil: cells are exact ranges
	hier     *hierarchy
	optional bool // values may be missing, as the manifest says
	ids      map[string]uint32
	cells    []cell
}

// mostUnits bounds numbers, counted in units of the last digit.
const mostUnits = 1_000_000_000_000_000

func newAttribute(name string, typ attrType, h *hierarchy) *attribute {
	return &attribute{name: name, typ: typ, hier: h, ids: map[string]uint32{}}
}

// empty is the attribute without the cells it has seen.
func (a *attribute) empty() *attribute {
	fresh := newAttribute(a.name, a.typ, a.hier)
	fresh.whole, fresh.digits, fresh.steps, fresh.optional = a.whole, a.digits, a.steps, a.optional
	return fresh
}

// intern gives the id of a cell as written in a release; the reason is non-empty
// when the cell is malformed for this attribute.
func (a *attribute) intern(text []byte) (id uint32, reason string) {
	if id, ok := a.ids[string(text)]; ok {
		return id, ""
	}
	c, reason := a.parse(string(text))
	if reason == "" && !a.optional && (c.lacks || c.text == missingValue) {
		reason = neverMissing
	}
	if reason != "" {
		return 0, reason
	}
	id = uint32(len(a.cells))
	a.ids[c.text] = id
	a.cells = append(a.cells, c)
	return id, ""
}

// internValue gives the id of a record's own value, which must be a point.
func (a *attribute) internValue(text []byte) (uint32, string) {
	id, reason := a.intern(text)
	if reason == "" && !a.isValue(&a.cells[id]) {
		return 0, "not a single value"
	}
	return id, reason
}

func (a *attribute) isValue(c *cell) bool {
	if a.hier != nil {
		return c.leaf >= 0
	}
	return c.kind == cellPoint
}

func (a *attribute) parse(text string) (cell, string) {
	switch {
	case a.hier != nil:
		return a.parseLabel(text)
	case a.typ == typeCategory:
		return a.parseCategory(text)
	case text == missingValue: // behind all numbers
		return cell{kind: cellPoint, lo: math.MaxInt64, hi: math.MaxInt64, lacks: true, text: text, leaf: -1}, ""
	}
	numbers, lacks := strings.CutSuffix(text, "|"+missingValue)
	if numbers == "" || numbers[0] != '[' {
		v, reason := a.parseScalar(numbers)
		c := cell{kind: cellPoint, lo: v, hi: v, lacks: lacks, text: text, leaf: -1}
		if lacks {
			c.kind = cellSpan
		}
		return c, reason
	}
	lo, hi, ok := strings.Cut(strings.TrimSuffix(numbers[1:], "]"), ",")
	if !ok || numbers[len(numbers)-1] != ']' {
		return cell{}, "interval is not [lo,hi]"
	}
	from, reason := a.parseScalar(lo)
	if reason != "" {
		return cell{}, reason
	}
	to, reason := a.parseScalar(hi)
	if reason == "" && from >= to {
		reason = "interval is empty or a single value"
	}
	return cell{kind: cellSpan, lo: from, hi: to, lacks: lacks, text: text, leaf: -1}, reason
}

func (a *attribute) parseScalar(text string) (int64, string) {
	if a.typ == typeDate {
		t, err := time.Parse(time.DateOnly, text)
		if err != nil || t.Format(time.DateOnly) != text {
			return 0, "not a date YYYY-MM-DD"
		}
		return t.Unix() / 86400, ""
	}
	whole, fraction, _ := strings.Cut(text, ".")
	v, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", max(0, a.digits-len(fraction))), 10, 64)
	if err != nil || v < -mostUnits || v > mostUnits || a.printScalar(v) != text {
		return 0, "not a number in shortest decimal form, with the digits of the attribute"
	}
	return v, ""
}

// printScalar writes the only text that a number or date has in a release.
func (a *attribute) printScalar(v int64) string {
	if a.typ == typeDate {
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	}
	text, sign := strconv.FormatInt(v, 10), ""
	if a.digits == 0 {
		return text
	}
	if v < 0 {
		text, sign = text[1:], "-"
	}
	text = strings.Repeat("0", max(0, a.digits+1-len(text))) + text
	point := len(text) - a.digits
	return sign + strings.TrimSuffix(text[:point]+"."+strings.TrimRight(text[point:], "0"), ".")
}

// units reads numbers of a manifest in units of the attribute.
func (a *attribute) units(numbers []float64) (out []int64, ok bool) {
	unit := math.Pow10(a.digits)
	for _, f := range numbers {
		v := math.Round(f * unit)
		if math.IsNaN(v) || math.Abs(v) > mostUnits || v/unit != f {
			return nil, false
		}
		out = append(out, int64(v))
	}
	return out, true
}

func (a *attribute) parseLabel(text string) (cell, string) {
	leaves, ok := a.hier.leaves[text]
	if !ok {
		return cell{}, "value or label is not in the hierarchy"
	}
	c := cell{kind: cellLabel, text: text, leaves: leaves, leaf: -1}
	if i, isLeaf := a.hier.leaf[text]; isLeaf {
		c.leaf = i
	}
	return c, ""
}

func (a *attribute) parseCategory(text string) (cell, string) {
	if text == "" || (text[0] != '{' && text[0] != '[' && text[0] != '*' && !strings.ContainsAny(text, "|}")) {
		return cell{kind: cellPoint, text: text, leaf: -1}, ""
	}
	inner, ok := strings.CutSuffix(strings.TrimPrefix(text, "{"), "}")
	parts := strings.Split(inner, "|")
	if !ok || text[0] != '{' || len(parts) < 2 {
		return cell{}, "category is neither a value nor a set {a|b}"
	}
	c := cell{kind: cellSet, text: text, leaf: -1}
	for i, p := range parts {
		if i > 0 && compareTexts(parts[i-1], p) >= 0 {
			return cell{}, "set is not in byte order, a missing value last"
		}
		id, reason := a.intern([]byte(p))
		if reason != "" || a.cells[id].kind != cellPoint {
			return cell{}, cmp.Or(reason, "set holds something that is not a value")
		}
		c.members = append(c.members, id)
	}
	slices.Sort(c.members)
	return c, ""
}

// contains tells whether a record's value lies in a cell.
func (a *attribute) contains(cellID, valueID uint32) bool {
	if cellID == valueID {
		return true
	}
	c, v := &a.cells[cellID], &a.cells[valueID]
	switch {
	case a.hier != nil:
		return c.leaves.covers(int(v.leaf))
	case a.typ == typeCategory:
		_, ok := slices.BinarySearch(c.members, valueID)
		return ok
	}
	return v.text == missingValue && c.lacks || c.lo <= v.lo && v.hi <= c.hi
}

// missingValue is what a release shows where there is no value. It is behind all others.
const missingValue = "?"

// neverMissing is why it is refused in an attribute of which the manifest does not say missing: value.
const neverMissing = "a missing value, which the manifest rules out"

// compareTexts is the canonical order of texts: by bytes, a missing value last.
func compareTexts(x, y string) int {
	last := func(text string) int {
		if text == missingValue {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(last(x), last(y)), strings.Compare(x, y))
}

// compare is the canonical order of cells: numbers and dates by lo then hi,
// everything else by bytes.
func (a *attribute) compare(x, y uint32) int {
	if x == y {
		return 0
	}
	c, d := &a.cells[x], &a.cells[y]
	if a.hier == nil && a.typ != typeCategory {
		return cmp.Or(cmp.Compare(c.lo, d.lo), cmp.Compare(c.hi, d.hi), cmp.Compare(len(c.text), len(d.text)))
	}
	return compareTexts(c.text, d.text)
}

// tight gives the id of the tightest cell over some values: exact range (or the
// smallest declared step around it), lowest common ancestor, or set. scratch is
// reused between calls.
func (a *attribute) tight(values []uint32, scratch *tightScratch) uint32 {
	if same(values) {
		return values[0]
	}
	var text []byte
	switch {
	case a.hier != nil:
		scratch.leaves = scratch.leaves[:0]
		for _, v := range values {
			scratch.leaves = append(scratch.leaves, a.cells[v].leaf)
		}
		text = append(scratch.text[:0], a.hier.common(scratch.leaves)...)
	case a.typ == typeCategory:
		text = a.tightSet(values, scratch)
	default:
		text = a.tightRange(values, scratch)
	}
	scratch.text = text
	id, reason := a.intern(text)
	if reason != "" {
		return noCell
	}
	return id
}

const noCell = math.MaxUint32

type tightScratch struct {
	exact  bool // ignore declared steps: the box that exact rows span
	leaves []int32
	ids    []uint32
	text   []byte
}

func (a *attribute) tightRange(values []uint32, scratch *tightScratch) []byte {
	lo, hi, lacks := int64(math.MaxInt64), int64(math.MinInt64), false
	for _, v := range values { // not all of them are missing
		if c := &a.cells[v]; c.lacks {
			lacks = true
		} else {
			lo, hi = min(lo, c.lo), max(hi, c.hi)
		}
	}
	text := scratch.text[:0]
	if lo == hi {
		text = append(text, a.printScalar(lo)...)
	} else {
		from, to := a.printScalar(lo), a.printScalar(hi)
		if len(a.steps) > 0 && !scratch.exact {
			from, to = a.aligned(lo, hi)
		}
		text = append(append(text, '['), from...)
		text = append(append(append(text, ','), to...), ']')
	}
	if lacks {
		text = append(append(text, '|'), missingValue...)
	}
	return text
}

// aligned is the smallest interval of the nested steps that holds lo..hi, or
// neighbouring intervals of the widest step joined; it ends where the type does.
func (a *attribute) aligned(lo, hi int64) (from, to string) {
	least, most := int64(-mostUnits), int64(mostUnits)
	if a.typ == typeDate { // year 0 to 9999
		least, most = -719_528, 2_932_896
	}
	width := a.steps[len(a.steps)-1]
	for _, w := range a.steps {
		if floor(lo, w) == floor(hi, w) {
			width = w
			break
		}
	}
	start, end := floor(lo, width)*width, (floor(hi, width)+1)*width
	if a.whole {
		end--
	}
	return a.printScalar(max(least, start)), a.printScalar(min(most, end))
}

// floor is how many steps of a width lie below v, counted from 0.
func floor(v, width int64) int64 {
	n := v / width
	if v < 0 && n*width != v {
		n--
	}
	return n
}

func (a *attribute) tightSet(values []uint32, scratch *tightScratch) []byte {
	ids := append(scratch.ids[:0], values...)
	slices.SortFunc(ids, func(x, y uint32) int { return compareTexts(a.cells[x].text, a.cells[y].text) })
	ids = slices.Compact(ids)
	scratch.ids = ids
	var out bytes.Buffer
	out.WriteByte('{')
	for i, id := range ids {
		if i > 0 {
			out.WriteByte('|')
		}
		out.WriteString(a.cells[id].text)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func same(values []uint32) bool {
	for _, v := range values[1:] {
		if v != values[0] {
			return false
		}
	}
	return true
}

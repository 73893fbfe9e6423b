package format

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
	Text    string
	Members []uint32 // cellSet: ids of its values, ascending
	leaves  bitset   // hierarchy: leaves below the label
	leaf    int32    // hierarchy: index of the leaf, -1 for an inner label
}

type attrType uint8

const (
	TypeNumber attrType = iota
	TypeDate
	TypeCategory
)

// Attribute is one quasi-identifier column: its type, its hierarchy, and the
// dictionary of all cells seen in any release or export. Equal ids mean equal
// cells, so classes are compared as slices of integers.
type Attribute struct {
	Name     string
	typ      attrType
	Whole    bool    // integers and dates: an aligned interval [a,a+w) prints as [a,a+w-1]
	Digits   int     // decimals: behind the point
	Steps    []int64 // widths of aligned intervals, ascending; nil: cells are exact ranges
	Hier     *LabelTree
	optional bool // values may be missing, as the manifest says
	ids      map[string]uint32
	Cells    []cell
}

// mostUnits bounds numbers, counted in units of the last digit.
const mostUnits = 1_000_000_000_000_000

func NewAttribute(name string, typ attrType, h *LabelTree) *Attribute {
	return &Attribute{Name: name, typ: typ, Hier: h, ids: map[string]uint32{}}
}

// Empty is the attribute without the cells it has seen.
func (a *Attribute) Empty() *Attribute {
	fresh := NewAttribute(a.Name, a.typ, a.Hier)
	fresh.Whole, fresh.Digits, fresh.Steps, fresh.optional = a.Whole, a.Digits, a.Steps, a.optional
	return fresh
}

// Intern gives the id of a cell as written in a release; the reason is non-empty
// when the cell is malformed for this attribute.
func (a *Attribute) Intern(text []byte) (id uint32, reason string) {
	if id, ok := a.ids[string(text)]; ok {
		return id, ""
	}
	c, reason := a.parse(string(text))
	if reason == "" && !a.optional && (c.lacks || c.Text == missingValue) {
		reason = neverMissing
	}
	if reason != "" {
		return 0, reason
	}
	id = uint32(len(a.Cells))
	a.ids[c.Text] = id
	a.Cells = append(a.Cells, c)
	return id, ""
}

// InternValue gives the id of a record's own value, which must be a point.
func (a *Attribute) InternValue(text []byte) (uint32, string) {
	id, reason := a.Intern(text)
	if reason == "" && !a.IsValue(&a.Cells[id]) {
		return 0, "not a single value"
	}
	return id, reason
}

func (a *Attribute) IsValue(c *cell) bool {
	if a.Hier != nil {
		return c.leaf >= 0
	}
	return c.kind == cellPoint
}

func (a *Attribute) parse(text string) (cell, string) {
	switch {
	case a.Hier != nil:
		return a.parseLabel(text)
	case a.typ == TypeCategory:
		return a.parseCategory(text)
	case text == missingValue: // behind all numbers
		return cell{kind: cellPoint, lo: math.MaxInt64, hi: math.MaxInt64, lacks: true, Text: text, leaf: -1}, ""
	}
	numbers, lacks := strings.CutSuffix(text, "|"+missingValue)
	if numbers == "" || numbers[0] != '[' {
		v, reason := a.parseScalar(numbers)
		c := cell{kind: cellPoint, lo: v, hi: v, lacks: lacks, Text: text, leaf: -1}
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
	return cell{kind: cellSpan, lo: from, hi: to, lacks: lacks, Text: text, leaf: -1}, reason
}

func (a *Attribute) parseScalar(text string) (int64, string) {
	if a.typ == TypeDate {
		t, err := time.Parse(time.DateOnly, text)
		if err != nil || t.Format(time.DateOnly) != text {
			return 0, "not a date YYYY-MM-DD"
		}
		return t.Unix() / 86400, ""
	}
	whole, fraction, _ := strings.Cut(text, ".")
	v, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", max(0, a.Digits-len(fraction))), 10, 64)
	if err != nil || v < -mostUnits || v > mostUnits || a.printScalar(v) != text {
		return 0, "not a number in shortest decimal form, with the digits of the attribute"
	}
	return v, ""
}

// printScalar writes the only text that a number or date has in a release.
func (a *Attribute) printScalar(v int64) string {
	if a.typ == TypeDate {
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	}
	text, sign := strconv.FormatInt(v, 10), ""
	if a.Digits == 0 {
		return text
	}
	if v < 0 {
		text, sign = text[1:], "-"
	}
	text = strings.Repeat("0", max(0, a.Digits+1-len(text))) + text
	point := len(text) - a.Digits
	return sign + strings.TrimSuffix(text[:point]+"."+strings.TrimRight(text[point:], "0"), ".")
}

// Units reads numbers of a manifest in units of the attribute.
func (a *Attribute) Units(numbers []float64) (out []int64, ok bool) {
	unit := math.Pow10(a.Digits)
	for _, f := range numbers {
		v := math.Round(f * unit)
		if math.IsNaN(v) || math.Abs(v) > mostUnits || v/unit != f {
			return nil, false
		}
		out = append(out, int64(v))
	}
	return out, true
}

func (a *Attribute) parseLabel(text string) (cell, string) {
	leaves, ok := a.Hier.Leaves[text]
	if !ok {
		return cell{}, "value or label is not in the hierarchy"
	}
	c := cell{kind: cellLabel, Text: text, leaves: leaves, leaf: -1}
	if i, isLeaf := a.Hier.Leaf[text]; isLeaf {
		c.leaf = i
	}
	return c, ""
}

func (a *Attribute) parseCategory(text string) (cell, string) {
	if text == "" || (text[0] != '{' && text[0] != '[' && text[0] != '*' && !strings.ContainsAny(text, "|}")) {
		return cell{kind: cellPoint, Text: text, leaf: -1}, ""
	}
	inner, ok := strings.CutSuffix(strings.TrimPrefix(text, "{"), "}")
	parts := strings.Split(inner, "|")
	if !ok || text[0] != '{' || len(parts) < 2 {
		return cell{}, "category is neither a value nor a set {a|b}"
	}
	c := cell{kind: cellSet, Text: text, leaf: -1}
	for i, p := range parts {
		if i > 0 && compareTexts(parts[i-1], p) >= 0 {
			return cell{}, "set is not in byte order, a missing value last"
		}
		id, reason := a.Intern([]byte(p))
		if reason != "" || a.Cells[id].kind != cellPoint {
			return cell{}, cmp.Or(reason, "set holds something that is not a value")
		}
		c.Members = append(c.Members, id)
	}
	slices.Sort(c.Members)
	return c, ""
}

// Contains tells whether a record's value lies in a cell.
func (a *Attribute) Contains(cellID, valueID uint32) bool {
	if cellID == valueID {
		return true
	}
	c, v := &a.Cells[cellID], &a.Cells[valueID]
	switch {
	case a.Hier != nil:
		return c.leaves.Covers(int(v.leaf))
	case a.typ == TypeCategory:
		_, ok := slices.BinarySearch(c.Members, valueID)
		return ok
	}
	return v.Text == missingValue && c.lacks || c.lo <= v.lo && v.hi <= c.hi
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

// Compare is the canonical order of cells: numbers and dates by lo then hi,
// everything else by bytes.
func (a *Attribute) Compare(x, y uint32) int {
	if x == y {
		return 0
	}
	c, d := &a.Cells[x], &a.Cells[y]
	if a.Hier == nil && a.typ != TypeCategory {
		return cmp.Or(cmp.Compare(c.lo, d.lo), cmp.Compare(c.hi, d.hi), cmp.Compare(len(c.Text), len(d.Text)))
	}
	return compareTexts(c.Text, d.Text)
}

// Tight gives the id of the tightest cell over some values: exact range (or the
// smallest declared step around it), lowest common ancestor, or set. scratch is
// reused between calls.
func (a *Attribute) Tight(values []uint32, scratch *TightScratch) uint32 {
	if Same(values) {
		return values[0]
	}
	var text []byte
	switch {
	case a.Hier != nil:
		scratch.leaves = scratch.leaves[:0]
		for _, v := range values {
			scratch.leaves = append(scratch.leaves, a.Cells[v].leaf)
		}
		text = append(scratch.text[:0], a.Hier.Common(scratch.leaves)...)
	case a.typ == TypeCategory:
		text = a.tightSet(values, scratch)
	default:
		text = a.tightRange(values, scratch)
	}
	scratch.text = text
	id, reason := a.Intern(text)
	if reason != "" {
		return NoCell
	}
	return id
}

const NoCell = math.MaxUint32

type TightScratch struct {
	Exact  bool // ignore declared steps: the box that exact rows span
	leaves []int32
	ids    []uint32
	text   []byte
}

func (a *Attribute) tightRange(values []uint32, scratch *TightScratch) []byte {
	lo, hi, lacks := int64(math.MaxInt64), int64(math.MinInt64), false
	for _, v := range values { // not all of them are missing
		if c := &a.Cells[v]; c.lacks {
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
		if len(a.Steps) > 0 && !scratch.Exact {
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
func (a *Attribute) aligned(lo, hi int64) (from, to string) {
	least, most := int64(-mostUnits), int64(mostUnits)
	if a.typ == TypeDate { // year 0 to 9999
		least, most = -719_528, 2_932_896
	}
	width := a.Steps[len(a.Steps)-1]
	for _, w := range a.Steps {
		if floor(lo, w) == floor(hi, w) {
			width = w
			break
		}
	}
	start, end := floor(lo, width)*width, (floor(hi, width)+1)*width
	if a.Whole {
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

func (a *Attribute) tightSet(values []uint32, scratch *TightScratch) []byte {
	ids := append(scratch.ids[:0], values...)
	slices.SortFunc(ids, func(x, y uint32) int { return compareTexts(a.Cells[x].Text, a.Cells[y].Text) })
	ids = slices.Compact(ids)
	scratch.ids = ids
	var out bytes.Buffer
	out.WriteByte('{')
	for i, id := range ids {
		if i > 0 {
			out.WriteByte('|')
		}
		out.WriteString(a.Cells[id].Text)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func Same(values []uint32) bool {
	for _, v := range values[1:] {
		if v != values[0] {
			return false
		}
	}
	return true
}

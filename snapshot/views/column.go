package views

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/snapshot"
)

// column is an attribute of a release as a view shows it.
type column struct {
	snapshot.SchemaEntry
	of     equivclass.Attribute
	at     int // of a quasi-identifier: its column in data.csv
	shown  bool
	paths  [][]string        // of a hierarchy, by leaf: from the leaf to the root
	labels map[string]string // what is shown in place of a label or a value; nil: itself
	width  int64             // of the intervals of numbers; 0: cells are those of the release
	leaves map[string]int    // of a hierarchy, by label: how many there are below it
}

// open reads the hierarchy of a column that has one.
func (c *column) open(read func(file string) ([]byte, error)) error {
	c.of = equivclass.Attribute{Name: c.Name, Type: c.Type, Digits: c.Digits}
	if !c.shown || c.Hierarchy == nil || c.Hierarchy.File == "" {
		return nil
	}
	data, err := read(c.Hierarchy.File)
	if err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.Comma, r.FieldsPerRecord = ';', -1
	if c.paths, err = r.ReadAll(); err != nil {
		return fmt.Errorf("%w: the hierarchy of %q: %w", snapshot.ErrDamaged, c.Name, err)
	}
	c.leaves = map[string]int{}
	for _, path := range c.paths {
		for i, label := range path {
			if !slices.Contains(path[:i], label) {
				c.leaves[label]++
			}
		}
	}
	return nil
}

// coarsen makes the cells of a quasi-identifier contain those of the release.
func (c *column) coarsen(by string) bool {
	switch {
	case by == "":
		return true
	case c.paths != nil:
		return c.lift(by)
	case !c.Type.Numeric():
		return false
	}
	f, err := strconv.ParseFloat(by, 64)
	w, ok := c.of.Units(f)
	least := int64(1)
	if h := c.Hierarchy; h != nil && len(h.Steps) > 0 {
		least, _ = c.of.Units(h.Steps[0])
	}
	if err != nil || !ok || w < 1 || w%max(1, least) != 0 {
		return false
	}
	c.width = w
	c.Hierarchy = &snapshot.HierarchyEntry{Steps: []float64{c.of.Float(w)}}
	if scale, _ := c.of.Units(c.Scale); scale > 0 { // to the unit it would tell how many values of few there are
		c.Scale = c.of.Float((scale + w - 1) / w * w)
	}
	return true
}

// label shows labels in place of values. Nothing is promised of labels: each is several values.
func (c *column) label(by string) bool {
	if by == "" {
		return true
	}
	c.Hierarchy, c.Promise = nil, &snapshot.Promise{Most: "1/1"}
	return c.lift(by)
}

// lift maps labels to those of a level, counted from the leaves of the longest lines. A label of that level or above stays.
func (c *column) lift(by string) bool {
	level, ok := levelOf(by)
	depth := 0
	for _, path := range c.paths {
		depth = max(depth, len(path))
	}
	if !ok || level >= depth-1 {
		return false
	}
	top := depth - 1 - level // columns between the level and the root
	c.labels = map[string]string{}
	for up := range depth { // from the root on: the highest place of a label counts
		for _, path := range c.paths {
			at := len(path) - 1 - up
			if at < 0 {
				continue
			}
			to := path[at]
			if up > top {
				to = path[len(path)-1-top]
			}
			if _, known := c.labels[path[at]]; !known {
				c.labels[path[at]] = to
			}
		}
	}
	return true
}

// value is what is shown in place of a value of a sensitive attribute.
func (c *column) value(text string) string { return cmp.Or(c.labels[text], text) }

// sequence is what is shown in place of a history, record by record; a single value is one of its own.
func (c *column) sequence(text string) string {
	parts := equivclass.Parts(text)
	for i := range parts {
		parts[i] = c.value(parts[i])
	}
	return equivclass.Joined(parts)
}

// compareValues is the canonical order of what is shown of a sensitive attribute.
func (c *column) compareValues(a, b string) int {
	switch {
	case strings.Contains(a, equivclass.Then) || strings.Contains(b, equivclass.Then):
		return equivclass.CompareSequences(a, b)
	case c.Values != snapshot.ValuesExact:
		return equivclass.CompareTexts(a, b)
	}
	return cmp.Compare(c.number(a), c.number(b))
}

// number reads an exact number of a file; a missing one is behind all.
func (c *column) number(text string) int64 {
	if text == equivclass.MissingText {
		return equivclass.MissingNumber
	}
	v, _ := c.of.ParseNumber([]byte(text))
	return v
}

// cell is what a view shows of an attribute for a class.
type cell struct {
	text   string
	lo, hi int64 // of numbers
	lacks  bool  // there may be no value
}

// read reads a cell of the release and makes it the view's.
func (c *column) read(text string) cell {
	if !c.Type.Numeric() {
		text = cmp.Or(c.labels[text], text)
		set := c.paths == nil && strings.HasSuffix(text, "|"+equivclass.MissingText+"}")
		return cell{text: text, lacks: text == equivclass.MissingText || set}
	}
	x := cell{text: text}
	if text == equivclass.MissingText {
		x.lo, x.hi, x.lacks = equivclass.MissingNumber, equivclass.MissingNumber, true
		return x
	}
	text, x.lacks = strings.CutSuffix(text, "|"+equivclass.MissingText)
	if lo, hi, interval := strings.Cut(strings.Trim(text, "[]"), ","); interval {
		x.lo, x.hi = c.number(lo), c.number(hi)
	} else {
		x.lo = c.number(text)
		x.hi = x.lo
	}
	if c.width > 0 {
		c.widen(&x)
	}
	return x
}

// widen makes a cell of numbers one of aligned intervals. A closed interval of decimals that ends at a border ends there.
func (c *column) widen(x *cell) {
	lo, hi := x.lo-mod(x.lo, c.width), x.hi-mod(x.hi, c.width)+c.width-1
	if c.Type == equivclass.Decimal && x.lo < x.hi && mod(x.hi, c.width) == 0 {
		hi = x.hi - 1
	}
	of := c.of
	of.Steps = []int64{c.width}
	x.lo, x.hi = of.StepCell(lo, hi)
	text := c.of.FormatNumber(x.lo)
	if x.lo != x.hi {
		text = "[" + text + "," + c.of.FormatNumber(x.hi) + "]"
	}
	if x.lacks {
		text += "|" + equivclass.MissingText
	}
	x.text = text
}

// mod is the rest of a division whose quotient is rounded down.
func mod(v, by int64) int64 { return ((v % by) + by) % by }

// compare is the canonical order of cells, as package render has it.
func (c *column) compare(a, b cell) int {
	if !c.Type.Numeric() {
		return equivclass.CompareTexts(a.text, b.text)
	}
	last := func(x cell) int {
		if x.lacks {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi), cmp.Compare(last(a), last(b)))
}

// loss sums what cells lose, given how many rows have each: quality.ncp of one column, by row.
func (c *column) loss(rows map[string]int) (sum float64) {
	scale, _ := c.of.Units(c.Scale)
	domain, width, seen := scale, int64(0), map[string]bool{}
	for text, n := range rows {
		x, covers := c.read(text), int64(0)
		switch {
		case c.Type.Numeric():
			covers = min(max(scale, 0), x.hi-x.lo)
		case c.paths != nil:
			covers = int64(c.leaves[text] - 1)
		default: // a set, or one category, which neither begins nor ends with a brace
			values := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), "|")
			for _, v := range values {
				seen[v] = true
			}
			covers = int64(len(values) - 1)
		}
		if x.lacks {
			sum += float64(n)
		} else {
			width += int64(n) * covers
		}
	}
	switch {
	case c.paths != nil:
		domain = int64(len(c.paths) - 1)
	case !c.Type.Numeric():
		domain = int64(len(seen) - 1)
	}
	if domain > 0 {
		sum += float64(width) / float64(domain)
	}
	return sum
}

package render

import (
	"slices"

	"anond/equivclass"
	"anond/snapshot"
)

// cell is one generalized cell, tight: exactly what the members span.
type cell struct {
	lo, hi int64  // Number: the bounds as printed, in units, equal for a single value
	text   string // Tree: value or label; Set: value or {a|b|c}
	more   int    // Tree: leaves covered - 1; Set: values listed - 1
	lacks  bool   // some or all of the members have no value (equivclass.MissingText)
}

// compareCells is the canonical order of cells: numbers by lo then hi, text by bytes, and
// a missing value behind these.
func compareCells(number bool, a, b *cell) int {
	if number {
		return compareSpans(a.span(), b.span())
	}
	return equivclass.CompareTexts(a.text, b.text)
}

// span is a cell of numbers by which it is ordered: those without a value are last.
func (x *cell) span() [3]int64 {
	if x.lacks {
		return [3]int64{x.lo, x.hi, 1}
	}
	return [3]int64{x.lo, x.hi, 0}
}

func compareSpans(a, b [3]int64) int { return slices.Compare(a[:], b[:]) }

// appendCell appends a cell as a CSV field.
func (c *column) appendCell(buf []byte, x *cell) []byte {
	switch {
	case !c.number():
		return snapshot.AppendField(buf, x.text)
	case x.lo == x.hi:
		return append(c.of.AppendNumber(buf, x.lo), x.lack()...)
	default:
		buf = c.of.AppendNumber(append(buf, `"[`...), x.lo)
		buf = append(c.of.AppendNumber(append(buf, ','), x.hi), ']')
		return append(append(buf, x.lack()...), '"')
	}
}

// lack is what stands behind a cell of numbers of which some members have none.
func (x *cell) lack() string {
	if x.lacks && x.lo != equivclass.MissingNumber {
		return "|" + equivclass.MissingText
	}
	return ""
}

// boxer finds the cells of classes. It holds scratch and the sets already
// made; each worker has its own.
type boxer struct {
	stepped bool // use the declared interval steps; else the exact range
	ranks   []uint32
	text    []byte
	sets    map[string]string
	few     map[fewValues]cell
}

// fewMost is how many sets of few values a worker remembers.
const fewMost = 1 << 12

// fewValues is a set of values of a column that has at most 64: a bit for each rank.
type fewValues struct {
	of   *column
	bits uint64
}

// cell returns the cell of a class in a column. Cost: the class size (Set: its
// sort on top).
func (b *boxer) cell(c *column, members []equivclass.RecordID) cell {
	switch c.kind {
	case equivclass.Number:
		return b.span(c, members)
	case equivclass.Tree:
		return ancestor(c, members)
	default:
		return b.set(c, members)
	}
}

func (b *boxer) span(c *column, members []equivclass.RecordID) cell {
	x := cell{lo: equivclass.MissingNumber, hi: -equivclass.MissingNumber}
	for _, m := range members {
		if v := c.dict.Units(c.codes.At(int(m))); v == equivclass.MissingNumber {
			x.lacks = true
		} else {
			x.lo, x.hi = min(x.lo, v), max(x.hi, v)
		}
	}
	if x.lo > x.hi {
		x.hi = x.lo // no member has a value
	}
	if b.stepped {
		x.lo, x.hi = c.of.StepCell(x.lo, x.hi)
	}
	return x
}

func ancestor(c *column, members []equivclass.RecordID) cell {
	lo := c.codes.At(int(members[0]))
	hi := lo
	for _, m := range members[1:] {
		lo, hi = min(lo, c.codes.At(int(m))), max(hi, c.codes.At(int(m)))
	}
	node := c.tree.LCA(lo, hi)
	from, to := c.tree.Span(node)
	text := c.tree.Label(node)
	return cell{text: text, more: int(to - from), lacks: text == equivclass.MissingText}
}

func (b *boxer) set(c *column, members []equivclass.RecordID) cell {
	if len(c.order) > 64 {
		return b.setOf(c, members)
	}
	key := fewValues{of: c}
	for _, m := range members {
		key.bits |= 1 << c.rank[c.codes.At(int(m))]
	}
	x, made := b.few[key]
	if !made {
		if x = b.setOf(c, members); len(b.few) < fewMost {
			b.few[key] = x
		}
	}
	return x
}

func (b *boxer) setOf(c *column, members []equivclass.RecordID) cell {
	b.ranks = b.ranks[:0]
	for _, m := range members {
		b.ranks = append(b.ranks, c.rank[c.codes.At(int(m))])
	}
	slices.Sort(b.ranks)
	b.ranks = slices.Compact(b.ranks)
	lacks := c.text(b.ranks[len(b.ranks)-1]) == equivclass.MissingText
	if len(b.ranks) == 1 {
		return cell{text: c.text(b.ranks[0]), lacks: lacks}
	}
	return cell{text: b.setText(c), more: len(b.ranks) - 1, lacks: lacks}
}

// setText writes the values of b.ranks as {a|b|c}; classes share equal texts.
func (b *boxer) setText(c *column) string {
	b.text = append(b.text[:0], '{')
	for i, r := range b.ranks {
		if i > 0 {
			b.text = append(b.text, '|')
		}
		b.text = append(b.text, c.text(r)...)
	}
	b.text = append(b.text, '}')
	if s, ok := b.sets[string(b.text)]; ok {
		return s
	}
	s := string(b.text)
	b.sets[s] = s
	return s
}

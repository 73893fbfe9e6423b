package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"anond/equivclass"
)

// cell is one generalized cell, tight: exactly what the members span.
type cell struct {
	lo, hi int64  // Number: the bounds as printed, in units, equal for a single value
	text   string // Tree: value or label; Set: value or {a|b|c}
	more   int    // Tree: leaves covered - 1; Set: values listed - 1
}

// compareCells is the canonical order of cells: numbers by lo then hi, text by bytes.
func compareCells(number bool, a, b *cell) int {
	if number {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi))
	}
	return strings.Compare(a.text, b.text)
}

// appendCell appends a cell as a CSV field.
func (c *column) appendCell(buf []byte, x *cell) []byte {
	switch {
	case !c.number():
		return appendField(buf, x.text)
	case x.lo == x.hi:
		return c.of.AppendNumber(buf, x.lo)
	default:
		buf = c.of.AppendNumber(append(buf, `"[`...), x.lo)
		return append(c.of.AppendNumber(append(buf, ','), x.hi), `]"`...)
	}
}

// boxer finds the cells of classes. It holds scratch and the set texts already
// made; each worker has its own.
type boxer struct {
	stepped bool // use the declared interval steps; else the exact range
	ranks   []uint32
	text    []byte
	sets    map[string]string
}

// cell returns the cell of a class in a column. Cost: the class size (Set: its
// sort on top).
func (b *boxer) cell(c *column, members []Record) cell {
	switch c.kind {
	case equivclass.Number:
		return b.span(c, members)
	case equivclass.Tree:
		return ancestor(c, members)
	default:
		return b.set(c, members)
	}
}

func (b *boxer) span(c *column, members []Record) cell {
	lo := c.dict.Units(c.codes.At(int(members[0])))
	hi := lo
	for _, m := range members[1:] {
		v := c.dict.Units(c.codes.At(int(m)))
		lo, hi = min(lo, v), max(hi, v)
	}
	if b.stepped {
		lo, hi = c.of.StepCell(lo, hi)
	}
	return cell{lo: lo, hi: hi}
}

func ancestor(c *column, members []Record) cell {
	lo := c.codes.At(int(members[0]))
	hi := lo
	for _, m := range members[1:] {
		lo, hi = min(lo, c.codes.At(int(m))), max(hi, c.codes.At(int(m)))
	}
	node := c.tree.LCA(lo, hi)
	from, to := c.tree.Span(node)
	return cell{text: c.tree.Label(node), more: int(to - from)}
}

func (b *boxer) set(c *column, members []Record) cell {
	b.ranks = b.ranks[:0]
	for _, m := range members {
		b.ranks = append(b.ranks, c.rank[c.codes.At(int(m))])
	}
	slices.Sort(b.ranks)
	b.ranks = slices.Compact(b.ranks)
	if len(b.ranks) == 1 {
		return cell{text: c.dict.Text(c.codes.At(int(members[0])))}
	}
	return cell{text: b.setText(c), more: len(b.ranks) - 1}
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

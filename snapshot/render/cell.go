package render

import (
	"math/bits"
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

// cellKeys are the cells of all classes of a table as a few words each: of two classes the words
// compare, one after the other, as compareCells orders their cells, attribute by attribute. So putting
// n classes in order reads two words where it would read cells of d attributes, which lie apart.
//
// Cost: n d look-ups, and for each attribute a sort of its different cells. Memory: 12 bytes a class
// and word, as long as the table is there, and 4 d a class meanwhile.
type cellKeys struct {
	words int
	of    []uint64 // by class.at
}

// keyField is where in a key the cells of an attribute are.
type keyField struct{ word, shift int }

// rankCells makes the keys of the classes of a table.
func (t *table) rankCells() {
	ranks := make([][]uint32, len(t.cols))
	width := make([]int, len(t.cols))
	t.each(len(t.cols), func(_, from, to int) {
		for j := from; j < to; j++ {
			var different int
			ranks[j], different = t.ranksOf(j)
			width[j] = bits.Len(uint(max(different-1, 0)))
		}
	})
	fields, words := packed(width)
	keys := make([]uint64, words*len(t.classes))
	t.each(len(t.classes), func(_, from, to int) {
		for i := from; i < to; i++ {
			t.classes[i].at = uint32(i)
			for j, f := range fields {
				keys[i*words+f.word] |= uint64(ranks[j][i]) << f.shift
			}
		}
	})
	t.keys = cellKeys{words, keys}
}

// packed places fields of so many bits in words, the first one highest.
func packed(width []int) (fields []keyField, words int) {
	left := 0
	for _, w := range width {
		if left < w || words == 0 {
			words, left = words+1, 64
		}
		left -= w
		fields = append(fields, keyField{words - 1, left})
	}
	return fields, words
}

// ranksOf are, by class, the ranks of the cells of an attribute among its different ones.
func (t *table) ranksOf(j int) (ranks []uint32, different int) {
	if t.cols[j].number() {
		return rankOf(t.classes, func(c *class) [3]int64 { return c.cells[j].span() }, compareSpans)
	}
	return rankOf(t.classes, func(c *class) string { return c.cells[j].text }, equivclass.CompareTexts)
}

// rankOf ranks what classes have.
func rankOf[K comparable](classes []*class, of func(*class) K, order func(a, b K) int) (ranks []uint32, different int) {
	ranks = make([]uint32, len(classes))
	number := map[K]uint32{}
	var found []K
	for i, c := range classes {
		k := of(c)
		n, ok := number[k]
		if !ok {
			n = uint32(len(found))
			number[k], found = n, append(found, k)
		}
		ranks[i] = n
	}
	sorted := slices.Clone(found)
	slices.SortFunc(sorted, order)
	rank := make([]uint32, len(found))
	for r, k := range sorted {
		rank[number[k]] = uint32(r)
	}
	for i, n := range ranks {
		ranks[i] = rank[n]
	}
	return ranks, len(found)
}

// key is the first word of a class's cells; the same of all where there are no keys.
func (t *table) key(c *class) uint64 {
	if t.keys.words == 0 {
		return 0
	}
	return t.keys.of[int(c.at)*t.keys.words]
}

// compareBoxes is the canonical order of what classes span: attribute by attribute.
func (t *table) compareBoxes(a, b *class) int {
	if w := t.keys.words; w > 0 {
		return slices.Compare(t.keys.of[int(a.at)*w:int(a.at+1)*w], t.keys.of[int(b.at)*w:int(b.at+1)*w])
	}
	for j := range t.cols {
		if c := compareCells(t.cols[j].number(), &a.cells[j], &b.cells[j]); c != 0 {
			return c
		}
	}
	return 0
}

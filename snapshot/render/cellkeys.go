package render

import (
	"math/bits"
	"slices"

	"anond/equivclass"
)

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

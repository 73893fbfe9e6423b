package render

import (
	"cmp"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/snapshot"
)

// column is one attribute of the published records.
type column struct {
	name  string
	of    equivclass.Attribute
	kind  equivclass.Kind
	dict  *equivclass.Dictionary
	tree  *equivclass.Hierarchy
	codes equivclass.Column // by record
	scale float64           // of numbers: the width of a cell that loses all
	// rank orders the codes canonically (numbers by value, texts by bytes), so
	// that nothing depends on the order in which the dictionary grew; nil where
	// no order of single values is needed.
	rank   []uint32          // by code
	order  []equivclass.Code // by rank
	quoted [][]byte          // by rank: the value as a CSV field; a sequence as MaxRecords of them
}

func newColumn(a equivclass.Attribute, d *equivclass.Dictionary, codes equivclass.Column) column {
	return column{name: a.Name, of: a, kind: d.Kind(), dict: d, tree: a.Hierarchy, codes: codes}
}

// number reports whether cells of the column are numbers or dates.
func (c *column) number() bool { return c.kind == equivclass.Number }

// text returns the canonical text of the value of a rank.
func (c *column) text(rank uint32) string { return c.dict.Text(c.order[rank]) }

// rankCodes fills rank and quoted for the values that the records of classes
// have: only their order among each other counts. Cost: n + v + u log u for n
// records with u of the v values of the dictionary.
func (c *column) rankCodes(classes ...[]Class) {
	order := c.used(classes)
	texts := make([]string, 0)
	if !c.number() {
		texts = make([]string, c.dict.Len())
		for _, code := range order {
			texts[code] = c.dict.Text(code)
		}
	}
	slices.SortFunc(order, func(x, y equivclass.Code) int {
		if c.number() {
			return cmp.Compare(c.dict.Units(x), c.dict.Units(y))
		}
		if c.dict.Records() > 0 {
			return equivclass.CompareSequences(texts[x], texts[y])
		}
		return equivclass.CompareTexts(texts[x], texts[y])
	})
	c.order = order
	c.rank = make([]uint32, c.dict.Len())
	c.quoted = make([][]byte, len(order))
	var arena []byte
	for rank, code := range order {
		c.rank[code] = uint32(rank)
		from := len(arena)
		if c.number() {
			arena = c.of.AppendNumber(arena, c.dict.Units(code))
		} else {
			arena = c.appendSequence(arena, texts[code])
		}
		c.quoted[rank] = arena[from:len(arena):len(arena)]
	}
}

// appendSequence appends a text, a field for each of its values, and empty ones up to the longest.
func (c *column) appendSequence(buf []byte, text string) []byte {
	n := 0
	for part := range strings.SplitSeq(text, equivclass.Then) {
		if n++; n > 1 {
			buf = append(buf, ',')
		}
		buf = snapshot.AppendField(buf, part)
	}
	for ; n < c.dict.Records(); n++ {
		buf = append(buf, ',')
	}
	return buf
}

// length is how many records the sequence of a rank has.
func (c *column) length(rank uint32) int { return strings.Count(c.text(rank), equivclass.Then) + 1 }

// highest is how many of a bag have its most frequent value: of sequences have it anywhere.
func (c *column) highest(bag []uint32) (high int) {
	if c.dict.Records() == 0 {
		for _, n := range runs(bag) {
			high = max(high, n)
		}
		return high
	}
	people := map[string]int{}
	for v, n := range runs(bag) {
		for _, part := range equivclass.Ever(c.text(v)) {
			people[part] += n
			high = max(high, people[part])
		}
	}
	return high
}

// used are the values that the records of classes have.
func (c *column) used(classes [][]Class) []equivclass.Code {
	seen := make([]bool, c.dict.Len())
	var out []equivclass.Code
	for _, list := range classes {
		for i := range list {
			for _, m := range list[i].Members {
				if code := c.codes.At(int(m)); !seen[code] {
					seen[code] = true
					out = append(out, code)
				}
			}
		}
	}
	return out
}

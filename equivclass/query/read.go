package query

import (
	"slices"
	"strings"

	"anond/equivclass"
)

// CellReader reads the cells of one attribute as a release writes them: a number
// or [lo,hi], a value or a label of the hierarchy, a value or {a|b|c}.
type CellReader struct {
	dict  *equivclass.Dictionary
	nodes map[string]int // Tree: the first node of each label
}

// NewCellReader returns the reader of an attribute. The dictionary takes in
// categories that it did not know.
func NewCellReader(d *equivclass.Dictionary) *CellReader {
	r := &CellReader{dict: d}
	if d.Kind() == equivclass.Tree {
		h := d.Attribute().Hierarchy
		r.nodes = make(map[string]int, h.Nodes())
		for node := range h.Nodes() {
			if _, ok := r.nodes[h.Label(node)]; !ok {
				r.nodes[h.Label(node)] = node
			}
		}
	}
	return r
}

// Read returns the cell of a text, or why it has none.
func (r *CellReader) Read(text string) (Cell, equivclass.Reason) {
	switch r.dict.Kind() {
	case equivclass.Number:
		return r.number(text)
	case equivclass.Tree:
		node, ok := r.nodes[text]
		if !ok {
			return Cell{}, equivclass.ReasonHierarchy
		}
		return Cell{Node: node}, equivclass.Accepted
	default:
		return r.set(text)
	}
}

func (r *CellReader) number(text string) (Cell, equivclass.Reason) {
	if text == equivclass.MissingText {
		return nothing, equivclass.Accepted
	}
	text, lacks := strings.CutSuffix(text, "|"+equivclass.MissingText)
	lo, hi := text, text
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		var ok bool
		if lo, hi, ok = strings.Cut(text[1:len(text)-1], ","); !ok {
			return Cell{}, equivclass.ReasonNumber
		}
	}
	a := r.dict.Attribute()
	from, why := a.ParseNumber([]byte(lo))
	if why != equivclass.Accepted {
		return Cell{}, why
	}
	to, why := a.ParseNumber([]byte(hi))
	if why == equivclass.Accepted && from > to {
		why = equivclass.ReasonOutOfRange
	}
	if why != equivclass.Accepted {
		return Cell{}, why
	}
	return Cell{Lo: a.Float(from), Hi: a.Float(to), Lacks: lacks}, equivclass.Accepted
}

func (r *CellReader) set(text string) (Cell, equivclass.Reason) {
	members := []string{text}
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		members = strings.Split(text[1:len(text)-1], "|")
	}
	codes := make([]equivclass.Code, 0, len(members))
	for _, m := range members {
		c, why := r.dict.EncodeLabel(m)
		if why != equivclass.Accepted {
			return Cell{}, why
		}
		codes = append(codes, c)
	}
	return Cell{Codes: equivclass.BagOfCodes(codes).Signature()}, equivclass.Accepted
}

// Text writes the cell as a release does. The sets'
// members are in byte order, a missing value last.
func (c Cell) Text(d *equivclass.Dictionary) string {
	switch d.Kind() {
	case equivclass.Number:
		if c.Lo > c.Hi {
			return equivclass.MissingText
		}
		a, lacks := d.Attribute(), ""
		if c.Lacks {
			lacks = "|" + equivclass.MissingText
		}
		lo, _ := a.Units(c.Lo)
		if c.Lo == c.Hi {
			return a.FormatNumber(lo) + lacks
		}
		hi, _ := a.Units(c.Hi)
		return "[" + a.FormatNumber(lo) + "," + a.FormatNumber(hi) + "]" + lacks
	case equivclass.Tree:
		return d.Attribute().Hierarchy.Label(c.Node)
	default:
		return setText(d, c.Codes)
	}
}

func setText(d *equivclass.Dictionary, codes []equivclass.Code) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = d.Text(code)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	slices.SortFunc(texts, equivclass.CompareTexts)
	return "{" + strings.Join(texts, "|") + "}"
}

package equivclass

import (
	"slices"
	"strings"
)

// CellReader reads the cells of one attribute as a release writes them: a number
// or [lo,hi], a value or a label of the hierarchy, a value or {a|b|c}.
type CellReader struct {
	dict  *Dictionary
	nodes map[string]int // Tree: the first node of each label
}

// NewCellReader returns the reader of an attribute. The dictionary takes in
// categories that it did not know.
func NewCellReader(d *Dictionary) *CellReader {
	r := &CellReader{dict: d}
	if d.Kind() == Tree {
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

// Read returns the cell that a text stands for, or why it stands for none.
func (r *CellReader) Read(text string) (Cell, Reason) {
	switch r.dict.Kind() {
	case Number:
		return r.number(text)
	case Tree:
		node, ok := r.nodes[text]
		if !ok {
			return Cell{}, ReasonHierarchy
		}
		return Cell{Node: node}, Accepted
	default:
		return r.set(text)
	}
}

func (r *CellReader) number(text string) (Cell, Reason) {
	lo, hi := text, text
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		var ok bool
		if lo, hi, ok = strings.Cut(text[1:len(text)-1], ","); !ok {
			return Cell{}, ReasonNumber
		}
	}
	a, why := ParseNumber(r.dict.Attribute().Type, []byte(lo))
	if why != Accepted {
		return Cell{}, why
	}
	b, why := ParseNumber(r.dict.Attribute().Type, []byte(hi))
	if why == Accepted && a > b {
		why = ReasonOutOfRange
	}
	if why != Accepted {
		return Cell{}, why
	}
	return Cell{Lo: a, Hi: b}, Accepted
}

func (r *CellReader) set(text string) (Cell, Reason) {
	members := []string{text}
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		members = strings.Split(text[1:len(text)-1], "|")
	}
	codes := make([]Code, 0, len(members))
	for _, m := range members {
		c, found, why := r.dict.Find([]byte(m))
		if why != Accepted {
			return Cell{}, why
		}
		if !found {
			c = r.dict.Add([]byte(m))
		}
		codes = append(codes, c)
	}
	return Cell{Codes: BagOfCodes(codes).Signature()}, Accepted
}

// Text writes the cell as a release does. The sets'
// members are in byte order.
func (c Cell) Text(d *Dictionary) string {
	switch d.Kind() {
	case Number:
		t := d.Attribute().Type
		if c.Lo == c.Hi {
			return FormatValue(t, c.Lo)
		}
		return "[" + FormatValue(t, c.Lo) + "," + FormatValue(t, c.Hi) + "]"
	case Tree:
		return d.Attribute().Hierarchy.Label(c.Node)
	default:
		return setText(d, c.Codes)
	}
}

func setText(d *Dictionary, codes []Code) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = d.Text(code)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	slices.Sort(texts)
	return "{" + strings.Join(texts, "|") + "}"
}

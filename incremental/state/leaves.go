package state

import (
	"slices"
	"strings"

	"anond/equivclass"
	"anond/internal/csvfields"
)

// Gone marks a leaf that state knows and the hierarchy no longer has, which only
// happens before release 1.
const Gone = ^equivclass.Code(0)

// Leaves ties the leaves of a hierarchy, as state numbers them, to those of the
// present file. In memory a leaf has its number in the present tree, where every
// node covers a range of leaves. A grown file puts new leaves anywhere, so state
// numbers them in the order in which it got to know them, and keeps the whole
// path of each as an entry of the attribute's dictionary: the leaf, then its
// generalizations up to the root, `leaf;level1;...;*`, in quotes as CSV has them where a text needs it. A later entry of a leaf
// replaces its path; one without generalizations says that the leaf is gone.
type Leaves struct {
	tree   *equivclass.Hierarchy
	Paths  []string                   // by number in state; empty if gone
	number map[string]equivclass.Code // number in state, by leaf
	Now    []equivclass.Code          // leaf of the present tree, by number in state
	Stored []equivclass.Code          // number in state, by leaf of the present tree
	same   bool                       // both numberings are one
	Fresh  bool                       // state does not have the paths yet
}

func newLeaves(tree *equivclass.Hierarchy) *Leaves {
	return &Leaves{tree: tree, number: map[string]equivclass.Code{}}
}

// Restore takes in an entry that state kept.
func (l *Leaves) Restore(entry string) {
	leaf, alive := LeafOf(entry)
	code, known := l.number[leaf]
	switch {
	case known && alive:
		l.Paths[code] = entry
	case known:
		l.Paths[code] = ""
		delete(l.number, leaf)
	default:
		l.number[leaf] = equivclass.Code(len(l.Paths))
		l.Paths = append(l.Paths, entry)
	}
}

// path is the entry of a leaf of the present tree.
func (l *Leaves) path(leaf int) string {
	entry := csvfields.Append(nil, l.tree.Label(leaf), ';')
	for node := l.tree.Parent(leaf); node >= 0; node = l.tree.Parent(node) {
		entry = csvfields.Append(append(entry, ';'), l.tree.Label(node), ';')
	}
	return string(entry)
}

// LeafOf is the leaf that an entry is of, and whether the entry has its path.
func LeafOf(entry string) (leaf string, alive bool) {
	if !strings.HasPrefix(entry, `"`) {
		leaf, _, alive = strings.Cut(entry, ";")
		return leaf, alive
	}
	text, end := strings.ReplaceAll(entry[1:], `""`, "\x00\x00"), 0 // a text has no such characters
	if end = strings.IndexByte(text, '"'); end < 0 {
		return entry, false
	}
	return strings.ReplaceAll(text[:end], "\x00\x00", `"`), end+1 < len(text)
}

// Change lists the entries that make state's paths those of the present tree, and
// the leaves that changed their path or are gone.
func (l *Leaves) Change() (entries, moved, lost []string) {
	have := make(map[string]bool, l.tree.Leaves())
	for leaf := range l.tree.Leaves() {
		label, path := l.tree.Label(leaf), l.path(leaf)
		have[label] = true
		code, known := l.number[label]
		if known && l.Paths[code] == path {
			continue
		}
		entries = append(entries, path)
		if known {
			moved = append(moved, label)
		}
	}
	for _, path := range l.Paths {
		if leaf, alive := LeafOf(path); alive && !have[leaf] {
			entries, lost = append(entries, string(csvfields.Append(nil, leaf, ';'))), append(lost, leaf)
		}
	}
	return entries, moved, lost
}

// Bind computes the numbering of the present tree. Leaves that state does not
// know yet have none in state until change has been restored.
func (l *Leaves) Bind() {
	l.Now, l.Stored = make([]equivclass.Code, len(l.Paths)), make([]equivclass.Code, l.tree.Leaves())
	l.same = len(l.Now) == len(l.Stored)
	for i := range l.Stored {
		l.Stored[i] = Gone
	}
	for code, path := range l.Paths {
		leaf, alive := LeafOf(path)
		at, found := l.tree.Leaf([]byte(leaf))
		if !alive || !found {
			l.Now[code], l.same = Gone, false
			continue
		}
		l.Now[code], l.Stored[at] = at, equivclass.Code(code)
		l.same = l.same && at == equivclass.Code(code)
	}
}

// toStored returns the codes as state numbers them: the slice itself if both
// numberings are the same.
func (l *Leaves) toStored(codes []equivclass.Code) []equivclass.Code {
	if l.same {
		return codes
	}
	out := make([]equivclass.Code, len(codes))
	for i, c := range codes {
		out[i] = l.Stored[c]
	}
	return out
}

// fromStored turns codes of state into those of the present tree, in place. A
// leaf that is gone stays gone; growth (hierarchy_growth.go) refuses it if a record has it.
func (l *Leaves) fromStored(codes []equivclass.Code) {
	if l.same {
		return
	}
	for i, c := range codes {
		codes[i] = l.Now[c]
	}
}

// Sequences makes the values of sensitive attributes sequences of up to so many, in a state without records. The leaves of a hierarchy are
// no codes of its attribute then: their paths are under a number of their own.
func (c *Records) Sequences(most int) {
	c.Packed.Sequences(c.Schema.Sensitive(), most)
	for _, attribute := range c.Schema.Sensitive() {
		if l := c.Leaves[attribute]; l != nil {
			delete(c.Leaves, attribute)
			c.Leaves[c.PathsOf(attribute)] = l
		}
	}
}

// PathsOf is the number under which the dictionary has the paths of the leaves of an attribute, and Leaves the table of them: the
// attribute's own, where its codes are leaves, else one behind all that a schema can ever have.
func (c *Records) PathsOf(attribute int) int {
	if c.Dicts[attribute].Records() > 0 {
		return apart + attribute
	}
	return attribute
}

// apart is a number behind those of all attributes.
const apart = 1 << 15

// LeavesOf are the leaves of an attribute; nil: it has no hierarchy.
func (c *Records) LeavesOf(attribute int) *Leaves { return c.Leaves[c.PathsOf(attribute)] }

// newLeafTables makes the tables of all attributes with a hierarchy.
func newLeafTables(s *equivclass.Schema) map[int]*Leaves {
	out := map[int]*Leaves{}
	for _, i := range slices.Concat(s.Blind(), s.Sensitive()) {
		if h := s.Attributes()[i].Hierarchy; h != nil {
			out[i] = newLeaves(h)
		}
	}
	return out
}

// BindLeaves completes the tables before the first record comes in: every entry
// of the dictionaries has been loaded by then.
func (c *Records) BindLeaves() {
	if c.bound {
		return
	}
	c.bound = true
	for _, l := range c.Leaves {
		if len(l.Paths) == 0 { // a fresh state, or one made before paths were kept
			for leaf := range l.tree.Leaves() {
				l.Restore(l.path(leaf))
			}
			l.Fresh = true
		}
		l.Bind()
	}
}

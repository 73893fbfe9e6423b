package incremental

import (
	"slices"
	"strings"

	"anond/equivclass"
)

// gone marks a leaf that state knows and the hierarchy no longer has, which only
// happens before release 1.
const gone = ^equivclass.Code(0)

// leaves ties the leaves of a hierarchy, as state numbers them, to those of the
// present file. In memory a leaf has its number in the present tree, where every
// node covers a range of leaves. A grown file puts new leaves anywhere, so state
// numbers them in the order in which it got to know them, and keeps the whole
// path of each as an entry of the attribute's dictionary: the leaf, then its
// generalizations up to the root, `leaf;level1;...;*`. A later entry of a leaf
// replaces its path; one without generalizations says that the leaf is gone.
type leaves struct {
	tree   *equivclass.Hierarchy
	paths  []string                   // by number in state; empty if gone
	number map[string]equivclass.Code // number in state, by leaf
	now    []equivclass.Code          // leaf of the present tree, by number in state
	stored []equivclass.Code          // number in state, by leaf of the present tree
	same   bool                       // both numberings are one
	fresh  bool                       // state does not have the paths yet
}

func newLeaves(tree *equivclass.Hierarchy) *leaves {
	return &leaves{tree: tree, number: map[string]equivclass.Code{}}
}

// restore takes in an entry that state kept.
func (l *leaves) restore(entry string) {
	leaf, _, alive := strings.Cut(entry, ";")
	code, known := l.number[leaf]
	switch {
	case known && alive:
		l.paths[code] = entry
	case known:
		l.paths[code] = ""
		delete(l.number, leaf)
	default:
		l.number[leaf] = equivclass.Code(len(l.paths))
		l.paths = append(l.paths, entry)
	}
}

// path is the entry of a leaf of the present tree.
func (l *leaves) path(leaf int) string {
	labels := []string{l.tree.Label(leaf)}
	for node := l.tree.Parent(leaf); node >= 0; node = l.tree.Parent(node) {
		labels = append(labels, l.tree.Label(node))
	}
	return strings.Join(labels, ";")
}

// change lists the entries that make state's paths those of the present tree, and
// the leaves that changed their path or are gone.
func (l *leaves) change() (entries, moved, lost []string) {
	have := make(map[string]bool, l.tree.Leaves())
	for leaf := range l.tree.Leaves() {
		label, path := l.tree.Label(leaf), l.path(leaf)
		have[label] = true
		code, known := l.number[label]
		if known && l.paths[code] == path {
			continue
		}
		entries = append(entries, path)
		if known {
			moved = append(moved, label)
		}
	}
	for _, path := range l.paths {
		if leaf, _, alive := strings.Cut(path, ";"); alive && !have[leaf] {
			entries, lost = append(entries, leaf), append(lost, leaf)
		}
	}
	return entries, moved, lost
}

// bind computes the numbering of the present tree. Leaves that state does not
// know yet have none in state until change has been restored.
func (l *leaves) bind() {
	l.now, l.stored = make([]equivclass.Code, len(l.paths)), make([]equivclass.Code, l.tree.Leaves())
	l.same = len(l.now) == len(l.stored)
	for i := range l.stored {
		l.stored[i] = gone
	}
	for code, path := range l.paths {
		leaf, _, alive := strings.Cut(path, ";")
		at, found := l.tree.Leaf([]byte(leaf))
		if !alive || !found {
			l.now[code], l.same = gone, false
			continue
		}
		l.now[code], l.stored[at] = at, equivclass.Code(code)
		l.same = l.same && at == equivclass.Code(code)
	}
}

// toStored returns the codes as state numbers them: the slice itself if both
// numberings are the same.
func (l *leaves) toStored(codes []equivclass.Code) []equivclass.Code {
	if l.same {
		return codes
	}
	out := make([]equivclass.Code, len(codes))
	for i, c := range codes {
		out[i] = l.stored[c]
	}
	return out
}

// fromStored turns codes of state into those of the present tree, in place. A
// leaf that is gone stays gone; growth (grow.go) refuses it if a record has it.
func (l *leaves) fromStored(codes []equivclass.Code) {
	if l.same {
		return
	}
	for i, c := range codes {
		codes[i] = l.now[c]
	}
}

// newLeafTables makes the tables of all attributes with a hierarchy.
func newLeafTables(s *equivclass.Schema) map[int]*leaves {
	out := map[int]*leaves{}
	for _, i := range append(slices.Clone(s.Quasi()), s.SensitiveIndex()) {
		if h := s.Attributes()[i].Hierarchy; h != nil {
			out[i] = newLeaves(h)
		}
	}
	return out
}

// bindLeaves completes the tables before the first record comes in: every entry
// of the dictionaries has been loaded by then.
func (c *columns) bindLeaves() {
	if c.bound {
		return
	}
	c.bound = true
	for _, l := range c.leaves {
		if len(l.paths) == 0 { // a fresh state, or one made before paths were kept
			for leaf := range l.tree.Leaves() {
				l.restore(l.path(leaf))
			}
			l.fresh = true
		}
		l.bind()
	}
}

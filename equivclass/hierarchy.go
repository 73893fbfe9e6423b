package equivclass

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"anond/internal/csvfields"
)

// rootLabel is the label that every hierarchy ends in.
const rootLabel = "*"

// Hierarchy is a generalization tree over the values of one attribute, read
// from ARX's file format: one line a leaf, `leaf;level1;...;*`.
//
// Leaves are numbered depth first, children in order of first appearance, so
// that every node covers a contiguous range of leaves. The lowest common
// ancestor of a set of leaves is then that of its smallest and largest leaf.
type Hierarchy struct {
	labels []string // of nodes; leaves first: node i is leaf i for i < leaves
	parent []int32  // of nodes; the root's is -1
	lo, hi []int32  // leaf range that a node covers, closed
	leaves int
	code   map[string]Code
	lines  []int32 // of leaves: the line of each in the file
}

// ParseHierarchy reads a hierarchy in ARX's format and normalizes its texts as
// those of records are normalized. name is how errors call the file; they give
// the line and what to correct, and no text of the file. What ARX writes and a
// release could not show is read as hierarchy_arx.go says.
//
// Lines may differ in length as long as they end in the root label `*`; equal
// neighbours in a line (a leaf that repeats as its own generalization) are one
// node. The whole file must be one tree: see treeBuilder.
func ParseHierarchy(name string, r io.Reader) (*Hierarchy, error) {
	return Text{}.ParseHierarchy(name, r)
}

// ShownFaults is how many faulty lines of a file are told one by one.
const ShownFaults = 20

// ParseHierarchy is ParseHierarchy for an attribute that says how texts become values.
func (t Text) ParseHierarchy(name string, r io.Reader) (*Hierarchy, error) {
	b := newTreeBuilder(t)
	var faults []error
	more := 0
	lines, err := hierarchyLines(r)
	for _, l := range lines {
		err := l.fault
		if err == nil {
			err = b.add(l.number, l.path)
		}
		switch {
		case err != nil && len(faults) == ShownFaults:
			more++
		case err != nil:
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, l.number, err))
		}
	}
	if more > 0 {
		faults = append(faults, fmt.Errorf("%s: has %d more faulty lines: correct those above and check again", name, more))
	}
	if err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", name, err))
	}
	if len(b.leafLine) == 0 && len(faults) == 0 {
		faults = append(faults, fmt.Errorf("%s: the file has no line: give one `leaf;...;*` for each value", name))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return b.build(), nil
}

// NormalizeHierarchy returns the content of a hierarchy file, which
// ParseHierarchy accepts, with its texts normalized. This is the copy published
// with the releases, so that a reader who knows nothing of normalization finds
// the cells in it. Fields are in quotes where they have to be. A file in which
// nothing changes is returned as it is.
func (t Text) NormalizeHierarchy(content []byte) []byte {
	var out []byte
	changed := false
	leaves := map[string]bool{}
	lines, _ := hierarchyLines(bytes.NewReader(content))
	for _, l := range lines {
		leaf, _ := t.Clean([]byte(l.path[0]))
		if leaves[string(leaf)] { // another spelling
			changed = true
			continue
		}
		leaves[string(leaf)] = true
		start := len(out)
		for i := range l.path {
			if i > 0 {
				out = append(out, ';')
			}
			clean, _ := t.cleanColumn(l.path, i)
			out = csvfields.Append(out, string(clean), ';')
		}
		changed = changed || string(out[start:]) != l.text
		out = append(out, '\n')
	}
	if !changed {
		return content
	}
	return out
}

// Leaves returns the number of leaves.
func (h *Hierarchy) Leaves() int { return h.leaves }

// Leaf returns the code of a leaf's text.
func (h *Hierarchy) Leaf(text []byte) (Code, bool) {
	c, ok := h.code[string(text)]
	return c, ok
}

// Line returns the line of the file that has a leaf.
func (h *Hierarchy) Line(leaf Code) int { return int(h.lines[leaf]) }

// Label returns the label of a node (a leaf's text, or an inner label).
func (h *Hierarchy) Label(node int) string { return h.labels[node] }

// LCA returns the lowest node that covers the leaves lo to hi: the lowest
// common ancestor of every set of leaves whose smallest is lo and largest hi.
// Cost: the depth of the tree.
func (h *Hierarchy) LCA(lo, hi Code) int {
	node := int32(lo)
	for h.hi[node] < int32(hi) {
		node = h.parent[node]
	}
	return int(node)
}

// Span returns the closed range of leaves that a node covers.
func (h *Hierarchy) Span(node int) (lo, hi Code) { return Code(h.lo[node]), Code(h.hi[node]) }

// Parent returns the parent of a node, or -1 for the root.
func (h *Hierarchy) Parent(node int) int { return int(h.parent[node]) }

// Nodes returns the number of nodes; nodes below Leaves are the leaves.
func (h *Hierarchy) Nodes() int { return len(h.labels) }

// CheckCategory refuses the text of a category that a release could not show
// unambiguously: one that starts with `[`, `{` or `*`, or contains `|` or `}`; and `?`, the
// mark of a missing value.
func CheckCategory(text string) error {
	if text == MissingText {
		return errors.New("a category may not be ?: releases show a missing value so")
	}
	if text != "" && strings.ContainsRune("[{*", rune(text[0])) || strings.ContainsAny(text, "|}") {
		return errors.New("a category may not start with [, { or *, nor contain | or }: such a text would look like a generalized cell")
	}
	return nil
}

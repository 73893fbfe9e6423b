package equivclass

import (
	"errors"
	"fmt"
	"strings"
)

// treeBuilder joins the lines of a hierarchy file, each a path from a leaf to
// the root, into a tree. It refuses a file that is not a tree when read by
// labels, as every reader of a release reads it:
//
//   - a leaf is on one line, and is no label above another leaf;
//   - a label has one parent, so that it covers the same leaves wherever it
//     occurs. `other` below two groups would be two sets of leaves under one
//     name;
//   - a label is on one level, counted from the root, so that the levels of two
//     lines can be compared. Where it is repeated in a line, its highest place
//     counts.
type treeBuilder struct {
	root     *treeNode
	text     Text
	leafLine map[string]int
	nodes    map[string]*treeNode // inner ones, by label
	above    map[string]string    // by leaf, if leaves are folded: the rest of its line
}

// treeNode is a node, and where the file first has it.
type treeNode struct {
	label    string
	leaf     bool
	children []*treeNode
	parent   *treeNode
	level    int // distance of its highest place from the root, in columns
	line     int
}

func newTreeBuilder(t Text) *treeBuilder {
	root := &treeNode{label: rootLabel}
	return &treeBuilder{root: root, text: t, leafLine: map[string]int{}, nodes: map[string]*treeNode{rootLabel: root},
		above: map[string]string{}}
}

// add adds one line. A line with a fault may leave labels behind; the file is
// then refused.
func (b *treeBuilder) add(line int, path []string) error {
	if len(path) < 2 {
		return errors.New("the line has one column: write leaf;level1;...;*")
	}
	path, err := b.clean(path)
	if err != nil {
		return err
	}
	if path[len(path)-1] != rootLabel {
		return fmt.Errorf("the last column must be %q, the root", rootLabel)
	}
	leaf, rest := path[0], strings.Join(path[1:], "\x00")
	if before, ok := b.leafLine[leaf]; ok {
		if b.text.Folded && b.above[leaf] == rest {
			return nil // another spelling of the leaf
		}
		return fmt.Errorf("the leaf is already on line %d: keep one of the lines", before)
	}
	if n := b.nodes[leaf]; n != nil {
		return fmt.Errorf("the leaf is a label of line %d: a value may not be above another value", n.line)
	}
	b.leafLine[leaf], b.above[leaf] = line, rest
	low := 1 // above the columns in which the leaf is its own generalization
	for path[low] == leaf {
		low++
	}
	node := b.root
	for i := len(path) - 2; i >= low; i-- {
		if path[i] == node.label {
			continue
		}
		if node, err = b.descend(node, path[i], i+1, len(path)-1-i, line); err != nil {
			return err
		}
	}
	node.children = append(node.children, &treeNode{label: leaf, leaf: true, line: line})
	return nil
}

// descend returns the child of a node with a label, which is in a column of
// the line.
func (b *treeBuilder) descend(parent *treeNode, label string, column, level, line int) (*treeNode, error) {
	if before, ok := b.leafLine[label]; ok {
		return nil, fmt.Errorf("the label in column %d is the leaf of line %d: a value may not be above another value", column, before)
	}
	n := b.nodes[label]
	switch {
	case n == nil:
		n = &treeNode{label: label, parent: parent, level: level, line: line}
		b.nodes[label] = n
		parent.children = append(parent.children, n)
	case n == b.root:
		return nil, fmt.Errorf("the label in column %d is the root, below another label: a label may not be below itself", column)
	case n.parent != parent:
		return nil, fmt.Errorf("the label in column %d has two parents, the next column here and the next one on line %d: "+
			"give each label one parent, for instance by naming the group in it", column, n.line)
	case n.level != level:
		return nil, fmt.Errorf("the label in column %d is %d columns before the end of the line, but %d on line %d: "+
			"give each label one level, for instance by repeating its neighbour", column, level, n.level, n.line)
	}
	return n, nil
}

// clean returns the texts of a line as values and labels.
func (b *treeBuilder) clean(path []string) ([]string, error) {
	out := make([]string, len(path))
	for i := range path {
		text, why := b.text.cleanColumn(path, i)
		if why != Accepted {
			return nil, fmt.Errorf("the text in column %d cannot be a value, %s: write it as the releases may show it", i+1, why)
		}
		out[i] = string(text)
		if out[i] == rootLabel && i > 0 || out[i] == MissingText && out[0] == MissingText {
			continue
		}
		if err := CheckCategory(out[i]); err != nil {
			return nil, fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return out, nil
}

func (b *treeBuilder) build() *Hierarchy {
	n := len(b.leafLine)
	h := &Hierarchy{leaves: n, lines: make([]int32, n), code: make(map[string]Code, n), labels: make([]string, n), parent: make([]int32, n),
		lo: make([]int32, n), hi: make([]int32, n)}
	next := int32(0)
	h.number(b.root, -1, &next)
	return h
}

// number gives node its place: leaves take the next leaf number, inner nodes
// are appended after the leaves.
func (h *Hierarchy) number(node *treeNode, parent int32, next *int32) {
	if node.leaf {
		i := *next
		*next++
		h.labels[i], h.parent[i], h.lo[i], h.hi[i] = node.label, parent, i, i
		h.code[node.label] = Code(i)
		h.lines[i] = int32(node.line)
		return
	}
	i := int32(len(h.labels))
	h.labels = append(h.labels, node.label)
	h.parent = append(h.parent, parent)
	h.lo = append(h.lo, *next)
	h.hi = append(h.hi, -1)
	for _, c := range node.children {
		h.number(c, i, next)
	}
	h.hi[i] = *next - 1
}

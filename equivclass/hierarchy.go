package equivclass

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

// Root is the label that every hierarchy ends in.
const Root = "*"

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
}

// ParseHierarchy reads a hierarchy in ARX's format. name stands for the file in
// errors, which give the line and what would mend it. Lines may differ in
// length as long as they end in the root label `*`; equal neighbours in a line
// (a leaf that repeats as its own generalization) are one node.
func ParseHierarchy(name string, r io.Reader) (*Hierarchy, error) {
	b := treeBuilder{root: &treeNode{label: Root}, leafLine: map[string]int{}}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	var faults []error
	for line := 1; scanner.Scan(); line++ {
		text := strings.TrimSuffix(scanner.Text(), "\r")
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text == "" {
			continue
		}
		if err := b.add(line, strings.Split(text, ";")); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, line, err))
		}
	}
	if err := scanner.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", name, err))
	}
	if len(b.leafLine) == 0 && len(faults) == 0 {
		faults = append(faults, fmt.Errorf("%s: the file has no line: give one `leaf;...;*` a value", name))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return b.build(), nil
}

type treeNode struct {
	label    string
	leaf     bool
	children []*treeNode
	byLabel  map[string]*treeNode
}

type treeBuilder struct {
	root     *treeNode
	leafLine map[string]int
}

func (b *treeBuilder) add(line int, path []string) error {
	if len(path) < 2 {
		return errors.New("the line has one column: write leaf;level1;...;*")
	}
	if path[len(path)-1] != Root {
		return fmt.Errorf("the last column must be %q, the root", Root)
	}
	leaf := path[0]
	if before, ok := b.leafLine[leaf]; ok {
		return fmt.Errorf("the leaf stands already on line %d: keep one of them", before)
	}
	if err := CheckCategory(leaf); err != nil {
		return err
	}
	node := b.root
	for i := len(path) - 2; i >= 1; i-- {
		label := path[i]
		if label == Root || label == node.label || label == leaf {
			continue
		}
		if err := CheckCategory(label); err != nil {
			return err
		}
		node = node.child(label)
		if node.leaf {
			return errors.New("a label of this line is a leaf of another: a value may not stand above another value")
		}
	}
	if node.byLabel[leaf] != nil {
		return errors.New("the leaf is a label of another line: a value may not stand above another value")
	}
	node.child(leaf).leaf = true
	b.leafLine[leaf] = line
	return nil
}

func (n *treeNode) child(label string) *treeNode {
	if c := n.byLabel[label]; c != nil {
		return c
	}
	if n.byLabel == nil {
		n.byLabel = map[string]*treeNode{}
	}
	c := &treeNode{label: label}
	n.byLabel[label] = c
	n.children = append(n.children, c)
	return c
}

func (b *treeBuilder) build() *Hierarchy {
	n := len(b.leafLine)
	h := &Hierarchy{leaves: n, code: make(map[string]Code, n), labels: make([]string, n), parent: make([]int32, n), lo: make([]int32, n), hi: make([]int32, n)}
	next := int32(0)
	h.number(b.root, -1, &next)
	return h
}

// number gives node its place: leaves take the next leaf number, inner nodes
// are appended behind the leaves.
func (h *Hierarchy) number(node *treeNode, parent int32, next *int32) {
	if node.leaf {
		i := *next
		*next++
		h.labels[i], h.parent[i], h.lo[i], h.hi[i] = node.label, parent, i, i
		h.code[node.label] = Code(i)
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

// Leaves returns the number of leaves.
func (h *Hierarchy) Leaves() int { return h.leaves }

// Leaf returns the code of a leaf's text.
func (h *Hierarchy) Leaf(text []byte) (Code, bool) {
	c, ok := h.code[string(text)]
	return c, ok
}

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

// Texts returns the leaves' texts in byte order, for digests.
func (h *Hierarchy) Texts() []string {
	out := append([]string(nil), h.labels[:h.leaves]...)
	sort.Strings(out)
	return out
}

// CheckCategory refuses a category text that a release could not show without
// ambiguity: one that starts with `[`, `{` or `*`, or contains `|` or `}`.
func CheckCategory(text string) error {
	if text != "" && strings.ContainsRune("[{*", rune(text[0])) || strings.ContainsAny(text, "|}") {
		return errors.New("a category may not start with [, { or *, nor contain | or }: such a text could not be told from a generalized cell")
	}
	return nil
}

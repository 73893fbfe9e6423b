package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// LabelTree is a generalization tree in ARX's format: one line per leaf,
// "leaf;level1;...;root", no header. Levels are compared by label, the way a
// reader of a release sees them.
type LabelTree struct {
	Leaf   map[string]int32 // label of level 0 -> leaf index
	Paths  [][]string       // per leaf: labels from level 0 to the root
	Leaves map[string]bitset
}

// ParseHierarchy reads a hierarchy file and refuses what is not a tree: a leaf
// twice, a label with two parents, several roots. A line shorter than others is
// filled up with its leaf, so that levels count from the root.
func ParseHierarchy(file string, data []byte) (*LabelTree, error) {
	if !utf8.Valid(data) {
		return nil, Unreadable(file, 0, "is not UTF-8")
	}
	h := &LabelTree{Leaf: map[string]int32{}, Leaves: map[string]bitset{}}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	depth := 0
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	for i, line := range lines {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		path, ok := columnsOf(string(line))
		if !ok {
			return nil, Unreadable(file, i+1, "a quote does not enclose a whole column")
		}
		depth = max(depth, len(path))
		if _, twice := h.Leaf[path[0]]; twice {
			return nil, Unreadable(file, i+1, "leaf occurs twice")
		}
		h.Leaf[path[0]] = int32(len(h.Paths))
		h.Paths = append(h.Paths, path)
	}
	if len(h.Paths) == 0 {
		return nil, Unreadable(file, 0, "has no line")
	}
	for i, path := range h.Paths {
		if short := depth - len(path); short > 0 {
			h.Paths[i] = append(slices.Repeat(path[:1], short), path...)
		}
	}
	return h, h.link(file)
}

// columnsOf splits a line at semicolons outside of quotes. A quote opens a column at its start, and is doubled inside it.
func columnsOf(line string) (path []string, ok bool) {
	for {
		var column string
		if !strings.HasPrefix(line, `"`) {
			column, line, ok = strings.Cut(line, ";")
			if path = append(path, column); !ok {
				return path, !strings.Contains(column, `"`)
			}
			if strings.Contains(column, `"`) {
				return nil, false
			}
			continue
		}
		for line = line[1:]; ; {
			part, rest, closed := strings.Cut(line, `"`)
			if column, line = column+part, rest; !closed {
				return nil, false
			}
			if !strings.HasPrefix(line, `"`) {
				break
			}
			column, line = column+`"`, line[1:]
		}
		if path = append(path, column); line == "" {
			return path, true
		}
		if line, ok = strings.CutPrefix(line, ";"); !ok {
			return nil, false
		}
	}
}

// link checks that every label has one parent and records the leaves below
// each label.
func (h *LabelTree) link(file string) error {
	type node struct {
		level int
		label string
	}
	parent := map[node]string{}
	for i, path := range h.Paths {
		if path[len(path)-1] != h.Paths[0][len(path)-1] {
			return Unreadable(file, i+1, "more than one root")
		}
		for level, label := range path {
			if level+1 < len(path) {
				up := path[level+1]
				if was, seen := parent[node{level, label}]; seen && was != up {
					return Unreadable(file, i+1, "label of level %d has two parents", level)
				}
				parent[node{level, label}] = up
			}
			set, ok := h.Leaves[label]
			if !ok {
				set = NewBitset(len(h.Paths))
				h.Leaves[label] = set
			}
			set.Add(i)
		}
	}
	return nil
}

// Common gives the label of the lowest common ancestor of some leaves.
func (h *LabelTree) Common(leaves []int32) string {
	first := h.Paths[leaves[0]]
	level := 0
	for _, x := range leaves[1:] {
		for h.Paths[x][level] != first[level] {
			level++ // ends at the root, which link proved common
		}
	}
	return first[level]
}

// bitset is a fixed-size set of small integers.
type bitset []uint64

func NewBitset(n int) bitset       { return make(bitset, (n+63)/64) }
func (b bitset) Add(i int)         { b[i>>6] |= 1 << (i & 63) }
func (b bitset) Has(i int) bool    { return b[i>>6]>>(i&63)&1 == 1 }
func (b bitset) Covers(i int) bool { return i >= 0 && i>>6 < len(b) && b.Has(i) }

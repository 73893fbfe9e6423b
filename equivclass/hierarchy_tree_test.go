package equivclass

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/csvfields"
)

// TestHierarchyIsATree: what is no tree is refused with the lines at fault, and no
// text of the file.
func TestHierarchyIsATree(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"two parents", "a;x;north;*\nb;other;north;*\nc;other;south;*",
			"f:3: the label in column 2 has two parents, the next column here and the next one on line 2: "},
		{"two parents, one of them the root", "a;x;north;*\nb;north;south;*",
			"f:2: the label in column 2 has two parents, the next column here and the next one on line 1: "},
		{"two parents above", "a;x;y;z;*\nb;w;y;v;*", "f:2: the label in column 3 has two parents, "},
		{"two levels", "a;x;x;y;*\nb;x;y;y;*", "f:2: the label in column 2 is 3 columns before the end of the line, but 2 on line 1: "},
		{"two levels in lines of two lengths", "a;x;y;y;*\nb;x;y;*",
			"f:2: the label in column 2 is 2 columns before the end of the line, but 3 on line 1: "},
		{"a cycle", "a;x;y;x;*", "f:1: the label in column 2 has two parents, "},
		{"a cycle over two lines", "a;x;y;*\nb;y;x;*", "f:2: the label in column 3 has two parents, "},
		{"the root below a label", "a;*;x;*", "f:1: the label in column 2 is the root, below another label: "},
		{"the leaf above itself", "a;x;a;*", "f:1: the label in column 3 is the leaf of line 1: "},
		{"a leaf above another", "a;x;*\nb;a;*", "f:2: the label in column 2 is the leaf of line 1: "},
		{"a leaf above another, later", "b;a;*\na;x;*", "f:2: the leaf is a label of line 1: "},
		{"a leaf above another, two levels up", "b;x;a;*\na;y;*", "f:2: the leaf is a label of line 1: "},
		{"a leaf twice", "a;x;*\nb;x;*\na ;x;*", "f:3: the leaf is already on line 1: "},
		{"a label in two forms", "a;\u00e9;n;*\nb;e\u0301 ;s;*", "f:2: the label in column 2 has two parents, "},
		{"no root", "a;x", `f:1: the last column must be "*", the root`},
		{"one column", "a", "f:1: the line has one column: "},
		{"a line break of another kind", "a;x\u2028y;*", "f:1: the text in column 2 cannot be a value, control_character: "},
		{"a carriage return inside", "a;x;*\r\r\nb\rc;x;*", "f:2: the text in column 1 cannot be a value, control_character: "},
		{"no UTF-8", "a\xff;x;*", "f:1: the text in column 1 cannot be a value, invalid_utf8: "},
		{"a quote inside", "a;x;*\nb;x\"y;*", "f:2: the line is no record of CSV: quotes must enclose a whole field and be doubled inside it"},
		{"nothing", "\n\r\n", "f: the file has no line: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseHierarchy("f", strings.NewReader(c.file))
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), c.want), "%s", err)
			assert.NotContains(t, strings.ReplaceAll(err.Error(), "another", ""), "other")
		})
	}
	// All lines at once.
	_, err := ParseHierarchy("f", strings.NewReader("a;o;n;*\nb;o;s;*\nc;o;w;*\na;o;n;*\n"))
	require.Error(t, err)
	assert.Equal(t, 3, strings.Count(err.Error(), "f:"))
}

// TestHierarchyMayBeUneven: lines of two lengths, leaves that are their own
// generalization and labels that are repeated make a tree all the same.
func TestHierarchyMayBeUneven(t *testing.T) {
	h, err := ParseHierarchy("f", strings.NewReader("\ufeffa ; a;x;*\r\nb;c;x;*\n\nd;*\ne;y;y;*\n f;g;y;*\n;z;*"))
	require.NoError(t, err)
	require.Equal(t, 6, h.Leaves())
	for text, path := range map[string]string{"a": "a x *", "b": "b c x *", "d": "d *", "e": "e y *", "f": "f g y *", "": " z *"} {
		leaf, ok := h.Leaf([]byte(text))
		require.True(t, ok, text)
		var labels []string
		for node := int(leaf); node >= 0; node = h.Parent(node) {
			labels = append(labels, h.Label(node))
		}
		assert.Equal(t, path, strings.Join(labels, " "))
	}
	leaf, _ := h.Leaf([]byte("f"))
	assert.Equal(t, 6, h.Line(leaf))
}

func TestNormalizeHierarchy(t *testing.T) {
	same := []byte("\ufeffa;x;*\r\n\nb;x;*")
	assert.Equal(t, string(same), string(Text{}.NormalizeHierarchy(same)), "a file in which nothing changes stays as it is")
	other := []byte("\ufeffa ;e\u0301;*\r\n\nb;\u00e9;*")
	assert.Equal(t, "a;\u00e9;*\nb;\u00e9;*\n", string(Text{}.NormalizeHierarchy(other)))
	assert.Equal(t, string(other), string(Text{Exact: true}.NormalizeHierarchy(other)))
}

// byLevels reads a hierarchy like a reader of releases without any knowledge of
// nodes: levels counted from the root, compared by label.
type byLevels struct {
	paths [][]string
	at    map[string]int
}

func readByLevels(file string) (*byLevels, bool) {
	r := &byLevels{at: map[string]int{}}
	depth := 0
	for i, line := range strings.Split(file, "\n") {
		var path []string
		fields, _ := (&csvfields.Splitter{Delimiter: ';'}).Fields([]byte(line))
		for _, field := range fields {
			path = append(path, string(field))
		}
		if _, twice := r.at[path[0]]; twice || path[len(path)-1] != rootLabel {
			return nil, false
		}
		r.at[path[0]], r.paths, depth = i, append(r.paths, path), max(depth, len(path))
	}
	parent := map[string]string{}
	for i, path := range r.paths {
		r.paths[i] = append(slices.Repeat(path[:1], depth-len(path)), path...)
		for level := range depth - 1 {
			at := fmt.Sprintf("%d:%s", level, r.paths[i][level])
			if up, seen := parent[at]; seen && up != r.paths[i][level+1] {
				return nil, false
			}
			parent[at] = r.paths[i][level+1]
		}
	}
	return r, true
}

// common is the lowest label that two leaves share on one level.
func (r *byLevels) common(a, b string) string {
	x, y := r.paths[r.at[a]], r.paths[r.at[b]]
	level := 0
	for x[level] != y[level] {
		level++
	}
	return x[level]
}

// TestHierarchyIsReadAlikeByAll: in a file that is accepted, a reader who uses levels and
// labels finds the same tree; otherwise releases made by it would be refused.
func TestHierarchyIsReadAlikeByAll(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	taken, refused := 0, 0
	for range 20_000 {
		var lines []string
		for leaf := range 2 + random.IntN(4) {
			path := []string{string(rune('a' + leaf))}
			for range random.IntN(4) {
				path = append(path, string(rune("axyz*"[random.IntN(5)])))
			}
			lines = append(lines, strings.Join(append(path, rootLabel), ";"))
		}
		file := strings.Join(lines, "\n")
		h, err := ParseHierarchy("f", strings.NewReader(file))
		if err != nil {
			refused++
			continue
		}
		taken++
		r, ok := readByLevels(strings.TrimSuffix(string(Text{}.NormalizeHierarchy([]byte(file))), "\n"))
		require.True(t, ok, file)
		covered := map[string][2]Code{}
		for node := range h.Nodes() {
			_, twice := covered[h.Label(node)]
			require.False(t, twice, "a label names one node:\n%s", file)
			lo, hi := h.Span(node)
			covered[h.Label(node)] = [2]Code{lo, hi}
		}
		for a := range r.at {
			for b := range r.at {
				x, _ := h.Leaf([]byte(a))
				y, _ := h.Leaf([]byte(b))
				require.Equal(t, r.common(a, b), h.Label(h.LCA(min(x, y), max(x, y))), "%s and %s in\n%s", a, b, file)
			}
		}
	}
	assert.Greater(t, taken, 500)
	assert.Greater(t, refused, 500)
}

// FuzzHierarchy: of a file that is taken, the normalized copy is the same tree,
// taken as written, and is read alike by levels.
func FuzzHierarchy(f *testing.F) {
	for _, file := range []string{"a;x;*\nb;y;*", "\ufeffa ;e\u0301;*\r\n\nb;\u00e9;*\r\r\n", "a;a;*\n;*\nb\u037e;*",
		"x;a*;***\r\n\"y;z\";[1, 5[;***", "e;e;*\nf;e;*", " a\u00a0b ;\t*\n"} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := ParseHierarchy("f", bytes.NewReader(file))
		if err != nil {
			return
		}
		clean := Text{}.NormalizeHierarchy(file)
		again, err := Text{Exact: true}.ParseHierarchy("f", bytes.NewReader(clean))
		require.NoError(t, err, "%q", clean)
		require.Equal(t, h.labels, again.labels)
		require.Equal(t, h.parent, again.parent)
		require.Equal(t, string(clean), string(Text{}.NormalizeHierarchy(clean)))
		lines := strings.Split(strings.TrimPrefix(string(clean), "\ufeff"), "\n")
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\r")
		}
		lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
		_, ok := readByLevels(strings.Join(lines, "\n"))
		require.True(t, ok, "%q", clean)
	})
}

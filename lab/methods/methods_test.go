package methods_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/lab/methods"
)

func names(list []methods.Method) (out []string) {
	for _, m := range list {
		out = append(out, m.Name)
	}
	return out
}

// TestNamesAreTheKeys: a method is found by the name that its partitioner gives itself.
// Who makes local buckets has the partitioner of the method that it says.
func TestNamesAreTheKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range methods.All() {
		assert.False(t, seen[m.Name], "%s stands twice", m.Name)
		seen[m.Name] = true
		by := m.Name
		if m.By != "" {
			by = m.By
		}
		p := m.Partitioner(methods.Options{Seed: 1, Workers: 1})
		assert.Equal(t, by, p.Name(), m.Name)
		found, err := methods.Find(m.Name)
		require.NoError(t, err)
		assert.Equal(t, m.Source, found.Source)
		for field, text := range map[string]string{"guarantee": m.Guarantee, "source": m.Source, "recoding": m.Recoding} {
			assert.NotEmpty(t, text, "%s has no %s", m.Name, field)
		}
		assert.Contains(t, m.Recodings(), m.Recoding)
	}
	_, err := methods.Find("lgb")
	assert.ErrorContains(t, err, `method "lgb" is not known: use extract, `)
}

// TestEveryPartitionerIsRegistered: a type of the packages below that cuts pools is how
// some method does it.
func TestEveryPartitionerIsRegistered(t *testing.T) {
	registered := map[string]bool{}
	for _, m := range methods.All() {
		registered[fmt.Sprintf("%T", m.Partitioner(methods.Options{}))] = true
	}
	below := 0
	for _, dir := range []string{"equivclass/extract", "lab/topdown", "lab/bucketize", "lab/lgb"} {
		for _, path := range goFiles(t, filepath.Join("..", "..", dir)) {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Partition" {
					below++
					cutter := fmt.Sprintf("%s.%s", filepath.Base(dir), f.Recv.List[0].Type)
					assert.True(t, registered[cutter], "%s is in no method", cutter)
				}
			}
		}
	}
	assert.Len(t, registered, below)
}

func goFiles(t *testing.T, dir string) (paths []string) {
	t.Helper()
	all, err := fs.Glob(os.DirFS(dir), "*.go")
	require.NoError(t, err)
	for _, path := range all {
		if !strings.HasSuffix(path, "_test.go") {
			paths = append(paths, dir+"/"+path)
		}
	}
	return paths
}

// TestWithSeedIsTheSeed: the daemon gives the first load's method a seed of its state,
// which must be as if the method had been built with it.
func TestWithSeedIsTheSeed(t *testing.T) {
	for _, m := range methods.All() {
		if p, draws := m.Partitioner(methods.Options{Seed: 1}).(equivclass.Drawing); draws {
			assert.Equal(t, m.Partitioner(methods.Options{Seed: 9}), p.WithSeed(9), m.Name)
			assert.NotEqual(t, p, p.WithSeed(9), m.Name)
		}
	}
}

func TestCheckRecoding(t *testing.T) {
	for _, c := range []struct{ method, recoding, want string }{
		{"extract", "slicing", ""},
		{"arp", "generalization", ""},
		{"lgb-ncp", "lgb", ""},
		{"ng", "generalization", ""},
		{"ng", "anatomy", "method ng is written in recoding generalization alone"},
		{"lgb-mdp", "anatomy", "method lgb-mdp is written in recoding lgb alone"},
		{"extract", "lgb", "recoding lgb is written by the methods lgb-mdp, lgb-ncp and lgb-fixed: extract makes no local buckets"},
	} {
		m, err := methods.Find(c.method)
		require.NoError(t, err)
		if err := m.CheckRecoding(c.recoding); c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
	assert.Equal(t, "a, b or c", methods.Words([]string{"a", "b", "c"}, "or"))
	assert.Equal(t, "a", methods.Words([]string{"a"}, "or"))
}

// TestTheDocumentListsTheRegistry: the pages of lab/docs/methods have a section for each
// method, in the order of the registry, and for nothing else.
func TestTheDocumentListsTheRegistry(t *testing.T) {
	var sections []string
	for _, page := range []string{"CELLS", "GROUPS"} {
		text, err := os.ReadFile("../docs/methods/" + page + ".md")
		require.NoError(t, err)
		for _, m := range regexp.MustCompile("(?m)^## `([^`]+)`").FindAllStringSubmatch(string(text), -1) {
			sections = append(sections, m[1])
		}
	}
	assert.Equal(t, names(methods.All()), sections)
}

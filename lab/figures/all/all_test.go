package all

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Wang 3-6, Zhu 1-6, Sun 2-9, LGB 5-8 and the permutation paper's 1-5.
func TestEveryFigureIsDescribed(t *testing.T) {
	require.Len(t, Papers(), 27)
	seen := map[string]bool{}
	for _, f := range Figures() {
		assert.Regexp(t, `^((wang|zhu|sun|lgb|pa)-[1-9]|frontier|attack|shards|recipients|histories)$`, f.ID)
		assert.False(t, seen[f.ID], "%s stands twice", f.ID)
		seen[f.ID] = true
		assert.NotEmpty(t, f.Paper, f.ID)
		assert.Regexp(t, `^[A-Z]`, f.Title, f.ID)
		assert.NotEmpty(t, f.Data, f.ID)
		require.NotNil(t, f.Run, f.ID)
	}
}

// lab/docs/figures holds the claims of a run of every figure.
func TestFiguresDocumentHasEveryFigure(t *testing.T) {
	doc := claims(t)
	for _, f := range Papers() {
		assert.True(t, strings.Contains(doc, "\n| "+f.ID+" | "), f.ID)
	}
}

// TestArrows: data are below the engine, which is below the papers; a
// paper knows no other, and only this package knows them all.
func TestArrows(t *testing.T) {
	const root = "anond/lab/figures"
	below := map[string][]string{"dataset": {}, "": {"/dataset"}, "figurestest": {"", "/dataset"}}
	papers, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, d := range papers {
		if d.IsDir() && d.Name() != "all" && d.Name() != "testdata" && below[d.Name()] == nil {
			below[d.Name()] = []string{"", "/dataset"}
		}
	}
	require.GreaterOrEqual(t, len(below), 9)
	for pkg, may := range below {
		files, err := filepath.Glob(filepath.Join("..", pkg, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, pkg)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, i := range parsed.Imports {
				if path, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), root); ours {
					assert.Contains(t, may, path, "%s imports %s", file, i.Path.Value)
				}
			}
		}
	}
}

package audit

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImportsNothingOfOurs: an auditor that shared code with the publisher would
// share its mistakes.
func TestImportsNothingOfOurs(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	below, err := filepath.Glob("audittest/*.go") // which its tests use
	require.NoError(t, err)
	require.NotEmpty(t, below)
	files = append(files, below...)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			itself := path == "anond/snapshot/audit" || path == "anond/snapshot/audit/audittest"
			ours := strings.HasPrefix(path, "anond") && !(itself && strings.HasSuffix(name, "_test.go"))
			require.False(t, ours, "%s imports %s", name, path)
		}
	}
}

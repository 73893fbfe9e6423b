package audit

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImportsNothingOfOurs: an auditor that shared code with the publisher would
// share its mistakes.
func TestImportsNothingOfOurs(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			room := path == "anond/snapshot/audit" || strings.HasPrefix(path, "anond/snapshot/audit/")
			require.False(t, strings.HasPrefix(path, "anond") && !room, "%s imports %s", name, path)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 60)
}

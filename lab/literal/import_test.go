package literal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule F (forbidden operations): only the experiments and the demo may use this package.
func TestRuleFTheDaemonDoesNotImportThis(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"anond/lab/literal"` {
				user := filepath.ToSlash(path)
				require.True(t, strings.HasPrefix(user, "../../lab/") || strings.HasPrefix(user, "../../internal/demo/"),
					"%s imports the unsafe update", path)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 20)
}

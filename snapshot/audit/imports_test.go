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
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			require.False(t, strings.HasPrefix(strings.Trim(i.Path.Value, `"`), "anond"), "%s imports %s", name, i.Path.Value)
		}
	}
}

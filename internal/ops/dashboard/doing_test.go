package dashboard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/ops/duty"
	"anond/internal/ops/monitor"
)

// TestThereAreWordsForAllWork that the loop does when it does not read.
func TestThereAreWordsForAllWork(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "..", "ingest", "work.go"), nil, 0)
	require.NoError(t, err)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Doing") {
			return true
		}
		name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		found++
		assert.NotEmpty(t, doing[name], name)
		return true
	})
	require.Greater(t, found, 10)
	require.Len(t, doing, found)
}

// TestConditionOfAPause: what is paused is not said to read.
func TestConditionOfAPause(t *testing.T) {
	v := &monitor.View{Phase: duty.Running, Report: ingest.Report{Time: time.Unix(1, 0), Paused: true}}
	text, _ := condition(v, true)
	assert.Equal(t, "Paused, not reading", text)
}

package kafkatest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTableIsComplete holds rig/docs/BROKERS.md and the suite together: each test has
// its line in the table, and each line its test.
func TestTableIsComplete(t *testing.T) {
	doc, err := os.ReadFile("../docs/BROKERS.md")
	require.NoError(t, err)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(Test\\w+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		named[m[1]] = true
	}
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	tests := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
	}
	for _, apart := range []string{"TestTableIsComplete", "TestChosenTestsExist", "TestSmallTrial", "TestFaultsAreFound", "TestSchedule"} {
		delete(tests, apart) // they need no broker of the suite
	}
	require.NotEmpty(t, tests)
	require.Equal(t, tests, named)
}

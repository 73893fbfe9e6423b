package anond_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// benchCommand is a command of the documents that runs benchmarks.
var benchCommand = regexp.MustCompile(`go test [^` + "`" + `|]*-bench [^` + "`" + `|]*`)

// TestDocumentedBenchmarksExist: a command that runs benchmarks finds one in each package
// that it names.
func TestDocumentedBenchmarksExist(t *testing.T) {
	seen := 0
	for _, doc := range append(documents(t), "CONTRIBUTING.md") {
		text := readDoc(t, doc)
		for _, b := range blocksOf(t, doc) { // in a fenced block a command ends with its line
			for _, line := range strings.Split(b.text, "\n") {
				text = strings.Replace(text, line+"\n", "`"+line+"`\n", 1)
			}
		}
		for _, command := range benchCommand.FindAllString(text, -1) {
			pattern, packages := benchOf(command)
			for _, dir := range packages {
				seen++
				assert.True(t, hasBenchmark(t, dir, pattern), "%s: %q, but %s has no such benchmark", doc, command, dir)
			}
		}
	}
	assert.Greater(t, seen, 20, "the documents have more commands than that")
}

// benchOf takes a command apart.
func benchOf(command string) (pattern string, packages []string) {
	words := strings.Fields(command)
	for i, w := range words {
		switch {
		case words[max(0, i-1)] == "-bench":
			pattern, _, _ = strings.Cut(strings.Trim(w, "'"), "/")
		case strings.HasPrefix(w, "./"):
			packages = append(packages, w)
		}
	}
	return pattern, packages
}

func hasBenchmark(t *testing.T, dir, pattern string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	want := regexp.MustCompile(`(?m)^func Benchmark[A-Za-z0-9_]*\(b`)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, name := range want.FindAllString(string(data), -1) {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "func "), "(b")
			if regexp.MustCompile(pattern).MatchString(name) {
				return true
			}
		}
	}
	return false
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
)

// TestDocument runs the commands of docs/LAKE.md in order, as a reader does. Blocks have the
// words that docs_test.go at the top describes: yaml FILE, sh, text output, python.
func TestDocument(t *testing.T) {
	tier.NotShort(t, "it builds both programs")
	root := laketest.Root(t)
	data, err := os.ReadFile(filepath.Join(root, "docs", "LAKE.md"))
	require.NoError(t, err)
	bin, dir := t.TempDir(), t.TempDir()
	laketest.Build(t, filepath.Join(root, "lake"), "./cmd/anond-lake", filepath.Join(bin, "anond-lake"))
	require.NoError(t, os.Symlink(laketest.Anond(t), filepath.Join(bin, "anond")))
	path := "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
	last, ran, skipped := "", 0, false
	for _, m := range regexp.MustCompile("(?ms)^```(\\S+)([^\n]*)\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		words, text := strings.Fields(m[2]), m[3]
		switch {
		case m[1] == "yaml":
			require.NoError(t, os.WriteFile(filepath.Join(dir, words[0]), []byte(text), 0o644))
		case m[1] == "sh" || m[1] == "python" && slices.Contains(words, "lake"):
			program := []string{"sh", "-eu", "-c", text}
			if m[1] == "python" {
				if skipped = !tier.Full(); skipped {
					continue
				}
				program = []string{python(t, "duckdb, pandas, pyarrow, pyiceberg"), "-c", text}
			}
			c := exec.Command(program[0], program[1:]...)
			c.Dir, c.Env = dir, append(os.Environ(), path)
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s\n%s", text, out)
			last, ran = string(out), ran+1
		case m[1] == "text" && slices.Contains(words, "output"):
			if !skipped {
				assert.Equal(t, text, last)
			}
		}
	}
	assert.Equal(t, tier.Of(t, 1, 1, 3), ran)
}

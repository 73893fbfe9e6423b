package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestConfigurationsAreRegularFiles: a configuration, a secret or a hierarchy that is no regular file, or too large, is a
// fault of the key that names it, and nothing waits for its end.
func TestConfigurationsAreRegularFiles(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	large := func(size int64) string {
		path := file(t, "large", "")
		require.NoError(t, os.Truncate(path, size)) // a hole
		return path
	}
	starting := func(old, new string) string {
		require.Contains(t, config.Starting, old)
		return file(t, "anond.yaml", strings.Replace(config.Starting, old, new, 1))
	}
	const quasi = "#hierarchy: postcode.csv"
	for what, x := range map[string]struct{ path, reason string }{
		"configuration: fifo":      {fifo, "it is no regular file"},
		"configuration: endless":   {"/dev/zero", "it is no regular file"},
		"configuration: directory": {t.TempDir(), "it is no regular file"},
		"configuration: size":      {large(1<<20 + 1), "it is larger than 1 MiB"},
		"secret: fifo":             {starting("dataset: ", "dataset: ${file:"+fifo+"} # "), "it is no regular file"},
		"secret: size":             {starting("dataset: ", "dataset: ${file:"+large(1<<20+1)+"} # "), "it is larger than 1 MiB"},
		"hierarchy: fifo":          {starting(quasi, "hierarchy: "+fifo), "it is no regular file"},
		"hierarchy: size": {starting(quasi, "hierarchy: "+large(256<<20+1)),
			"it is larger than 256 MiB"},
	} {
		t.Run(what, func(t *testing.T) {
			for _, command := range []string{"config check", "run --once", "doctor", "status", "config show"} {
				r := anond(t, append(strings.Fields(command), "-c", x.path)...)
				assert.Equal(t, exitConfig, r.code, command)
				assert.Contains(t, r.stderr, x.reason, command)
			}
		})
	}
}

// TestFaultsArePrintedUpTo20: of many faults the first are shown, with how many there are.
func TestFaultsArePrintedUpTo20(t *testing.T) {
	var lines bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&lines, "unknown%d: 1\n", i)
	}
	path := file(t, "anond.yaml", config.Starting+lines.String())
	r := anond(t, "config", "check", "-c", path)
	require.Equal(t, exitConfig, r.code)
	require.Equal(t, 20, strings.Count(r.stderr, "unknown key"), r.stderr)
	require.Contains(t, r.stderr, "980 more faults")
	require.Contains(t, r.stderr, "1000 faults")
	r = anond(t, "config", "check", "--json", "-c", path)
	require.Equal(t, 20, strings.Count(r.stdout, `"reason"`))
}

package config_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

var rewrite = flag.Bool("rewrite", false, "write what is there as what is wanted; commit the difference only if you can explain it")

// golden compares text with a file, or writes it.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run with -rewrite to make it")
	require.Equal(t, string(want), text)
}

func lookup(values map[string]string) config.Lookup {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

var testEnvironment = lookup(map[string]string{"BROKER": "a:9092", "K": "12", "SECRET": "hush-hush", "EMPTY": ""})

// TestGolden loads each file of testdata: the faults and warnings of a bad one,
// the warnings and the effective configuration of a good one.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			c, warnings, err := config.Load(file, testEnvironment, os.ReadFile)
			var b strings.Builder
			if faults := new(config.Faults); errors.As(err, &faults) {
				for _, f := range faults.List { // all of them, not those alone that are shown
					fmt.Fprintln(&b, f)
				}
			}
			for _, w := range warnings {
				fmt.Fprintln(&b, "warning:", w)
			}
			if err == nil {
				effective, err := c.JSON()
				require.NoError(t, err)
				b.Write(effective)
			}
			assert.Equal(t, strings.HasPrefix(name, "bad_"), err != nil)
			assert.NotContains(t, b.String(), "hush-hush")
			golden(t, "testdata/"+name+".want", b.String())
		})
	}
}

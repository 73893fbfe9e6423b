package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
)

// python is a Python that has modules, or the test is skipped with a warning.
func python(t *testing.T, modules string) string {
	for _, p := range []string{os.Getenv("ANOND_LAKE_PYTHON"), "python3"} {
		if p != "" && exec.Command(p, "-c", "import "+modules).Run() == nil {
			return p
		}
	}
	fmt.Fprintf(os.Stderr, "WARNING: %s was SKIPPED: there is no python3 with %s\n", t.Name(), modules)
	t.Skipf("SKIPPED: there is no python3 with %s", modules)
	return ""
}

// TestForeignReaders: DuckDB, pandas and PyIceberg read every release of every recoding, as
// files and by time travel, and find the rows of the CSV files and their counts by class.
func TestForeignReaders(t *testing.T) {
	tier.Heavy(t, "it runs other programs")
	program := python(t, "duckdb, pandas, pyarrow, pyiceberg")
	var places []string
	for _, recoding := range laketest.Recodings {
		places = append(places, written(t, recoding)...)
	}
	said, err := foreign(program, places...)
	require.NoError(t, err, "%s", said)
	for _, reader := range []string{"DuckDB ", "pandas ", "PyIceberg, Iceberg: ", "DuckDB on PyIceberg: "} {
		assert.Contains(t, string(said), reader)
	}
	assert.NotContains(t, string(said), "left out: 0")
	t.Logf("%s", said)
	mixUp(t, places[1])
	said, err = foreign(program, places[:3]...)
	require.Error(t, err)
	assert.Contains(t, string(said), "other rows than the CSV files have")
}

// written publishes until parts are joined, and writes all of it as files and as tables.
func written(t *testing.T, recoding laketest.Recoding) (places []string) {
	site := laketest.New(t, recoding)
	site.Publish(13)
	out, house := filepath.Join(site.Dir, "parquet"), filepath.Join(site.Dir, "warehouse")
	releases, err := filepath.Glob(filepath.Join(site.Releases, "0*"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(releases), 11, recoding)
	for n := range releases {
		code, _, log := lake("parquet", site.Releases, out, "--release", strconv.Itoa(n+1))
		require.Equal(t, 0, code, log)
	}
	code, _, log := lake("iceberg", site.Releases, house)
	require.Equal(t, 0, code, log)
	return []string{site.Releases, out, house}
}

func foreign(program string, args ...string) ([]byte, error) {
	return exec.Command(program, append([]string{filepath.Join("testdata", "foreign.py")}, args...)...).CombinedOutput()
}

// mixUp puts a part in the place of the newest one: the readers must see it.
func mixUp(t *testing.T, out string) {
	files, err := filepath.Glob(filepath.Join(out, "0*", "*", "*.parquet"))
	require.NoError(t, err)
	parts, err := filepath.Glob(filepath.Join(filepath.Dir(files[len(files)-1]), "*.parquet"))
	require.NoError(t, err)
	require.Greater(t, len(parts), 1)
	require.NoError(t, os.Rename(parts[0], parts[len(parts)-1]))
}

package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

// format1Site is a copy of a site whose releases are of format version 1: made-up
// admissions, regrouped, with state, releases and ledger.
func format1Site(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	require.NoError(t, os.CopyFS(s.dir, os.DirFS(filepath.Join("testdata", "format1"))))
	packed, err := os.Open(s.path("state/anond.db.gz"))
	require.NoError(t, err)
	defer packed.Close()
	unzip, err := gzip.NewReader(packed)
	require.NoError(t, err)
	state, err := os.OpenFile(s.path("state/anond.db"), os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = io.Copy(state, unzip)
	require.NoError(t, err)
	require.NoError(t, state.Close())
	require.NoError(t, os.Remove(s.path("state/anond.db.gz")))
	return s
}

// TestFormat1 reads a site whose releases are of format version 1, and goes on: the
// next releases are in parts, what was published stays as it was, and the auditor
// certifies the whole.
func TestFormat1(t *testing.T) {
	s := format1Site(t)
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	s.must("state members", "--from", "1", "--out", s.path("before.csv"))
	before := s.releases()

	s.write("admissions.ndjson", ndjson(1, 1200))
	s.must("run --once")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	s.must("release verify")
	s.must("state check")
	assert.Equal(t, "000019\n", s.read("releases/CURRENT"))
	after := s.releases()
	for name, text := range before {
		if name != "CURRENT" {
			assert.Equal(t, text, after[name], "%s never changes", name)
		}
	}
	var m snapshot.Manifest
	require.NoError(t, json.Unmarshal([]byte(s.read("releases/000019/manifest.json")), &m))
	assert.Equal(t, uint32(5), m.PartsSince)
	var parts []string
	for _, p := range m.Parts {
		parts = append(parts, p.Part)
	}
	assert.Equal(t, []string{"part-000001-000013", "part-000014", "part-000015", "part-000016", "part-000017", "part-000018", "part-000019"},
		parts, "what was one table has become one part, and been joined with nine others")

	s.must("state members", "--from", "1", "--out", s.path("after.csv"))
	assert.Equal(t, s.read("before.csv"), s.read("after.csv")[:len(s.read("before.csv"))], "who is in which class stays")
	assert.Contains(t, s.must("release show 4"), "data.csv")
	for _, release := range []string{"000004", "000005", "000019"} {
		assert.Equal(t, exitOK, anond(t, "query", s.path("releases/"+release), "count where age in [0,50]").code, release)
	}
}

package main

import (
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var recordFormat1 = flag.Bool("record-format1", false,
	"write testdata/format1 anew; only code that writes releases of format version 1 can")

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

func writeFormat1(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.edit("policy: {k: 5, l: 3}", "initial: {max_records: 120}\npolicy: {k: 5, l: 3}")
	s.write("admissions.ndjson", ndjson(1, 300))
	s.runFrozen()
	for _, name := range []string{"state/status.json", "state/anond.db.lock"} {
		_ = os.Remove(s.path(name))
	}
	state, err := os.ReadFile(s.path("state/anond.db"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(s.path("state/anond.db")))
	packed, err := os.Create(s.path("state/anond.db.gz"))
	require.NoError(t, err)
	w, _ := gzip.NewWriterLevel(packed, gzip.BestCompression)
	_, err = w.Write(state)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, packed.Close())
	recorded := filepath.Join("testdata", "format1")
	require.NoError(t, os.RemoveAll(recorded))
	require.NoError(t, os.CopyFS(recorded, os.DirFS(s.dir)))
}

// TestFormat1 reads a site whose releases are of format version 1.
func TestFormat1(t *testing.T) {
	if *recordFormat1 {
		writeFormat1(t)
	}
	s := format1Site(t)
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

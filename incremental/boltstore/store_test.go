package boltstore_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/storetest"
)

// fast leaves fsync out: a test's process does not lose its machine.
var fast = boltstore.Options{NoSync: true}

func openAt(t testing.TB, path string, o boltstore.Options) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, o)
	require.NoError(t, err)
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Opener {
		path := filepath.Join(t.TempDir(), "state", "anond.db")
		return func(t testing.TB) incremental.Store { return openAt(t, path, fast) }
	})
}

package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
)

// TestStatusOfAnEndedRun: without a socket, the lock of the state says whether the process lives
// that has just written its status.
func TestStatusOfAnEndedRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the lock is looked at on Linux alone")
	}
	s := newSite(t, "{type: stdin}", "on: interval, every: 1h", "")
	require.Equal(t, exitOK, s.pipe("", "run").code)
	require.Contains(t, s.must("status"), "not running; it was ")
	state, err := boltstore.Open(s.path("state/anond.db"), boltstore.Options{})
	require.NoError(t, err)
	require.NotContains(t, s.must("status"), "not running")
	require.NoError(t, state.Close())
}

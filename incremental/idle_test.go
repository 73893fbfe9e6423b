package incremental_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/settle"
	"anond/incremental/state"
)

// TestAnIdlePartitionEndsWindows: those that end by a time up to which there was nothing more, and no other; a message that comes with an
// earlier stamp afterwards is behind the window, and a partition that was never read has none.
func TestAnIdlePartitionEndsWindows(t *testing.T) {
	f := newSettling(t, settle.Rule{For: 100})
	require.False(t, f.m.Observes())
	f.send(1000, f.of(1, "a"))
	f.send(1050, f.of(2, "b"))
	require.True(t, f.m.Observes())
	other := state.Partition{Source: "other"}
	for _, c := range []struct {
		of      state.Partition
		at      int64
		arrived int
	}{{other, 5000, 0}, {source, 1099, 0}, {source, 1100, 1}, {source, 1149, 1}, {source, 1150, 2}} {
		due := c.arrived > f.m.Arrived()
		require.Equal(t, due, f.m.IdleDue(c.of, c.at), c)
		require.NoError(t, f.m.Idle(c.of, c.at))
		require.Equal(t, c.arrived, f.m.Arrived(), c)
		f.next()
	}
	require.False(t, f.m.Observes())
	require.True(t, f.send(1060, f.of(2, "c")).Beyond)
	require.EqualValues(t, 1150, f.m.Intake().Positions()[source].Time)
}

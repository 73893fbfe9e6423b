package incremental_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/withdraw"
	"anond/snapshot/render"
)

// TestABucketLeavesWithThePartThatLeaves: people ask whose part leaves with the very release that their request makes due, where the window
// counts releases. The release is made, without newcomers; it was skipped, with every look at the clock, for as long as nobody came.
func TestABucketLeavesWithThePartThatLeaves(t *testing.T) {
	const day = 86400
	w := newLosing(t, "2", withdraw.Rule{Every: day, Count: 1}, render.Buckets())
	for range 2 {
		w.now += day
		w.come(60)
		require.NotNil(t, w.cut())
	}
	person := 1
	for ; !w.asked(person) || person > 40; person++ {
	}
	w.now += day
	require.True(t, w.m.Trigger().Leaves(w.now))
	intent := w.cut()
	require.NotNil(t, intent, "a release is due")
	require.EqualValues(t, 1, intent.Expired)
	require.Zero(t, intent.Newcomers)
	require.False(t, w.m.Trigger().Leaves(w.now), "what is due has left")
	s := w.m.Status()
	require.Equal(t, s.Sent, s.Accounted())
	w.certify()
}

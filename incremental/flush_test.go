package incremental_test

import (
	"anond/incremental/state"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/memstore"
)

// TestFlushHoldsNothingBack: at the end of a source, classes that admission
// holds back for a better one are published, and a second flush changes nothing.
func TestFlushHoldsNothingBack(t *testing.T) {
	p := policy(4, 2)
	p.MaxHold = 40
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: newSchema(t, false), Policy: p})
	require.NoError(t, err)
	w := world{rng: rand.New(rand.NewPCG(3, 3)), values: 6}
	feed := func(n int) {
		for range n {
			next, _ := m.Intake().Next(source)
			_, err := m.Apply(source, next, w.row())
			require.NoError(t, err)
		}
	}
	publish := func(i *state.Intent, err error) int {
		require.NoError(t, err)
		if i == nil {
			return 0
		}
		require.NoError(t, m.Published(i.Release, [32]byte{1}))
		return i.Newcomers
	}
	feed(200)
	publish(m.Cut(1, [32]byte{}))
	feed(60)
	publish(m.Cut(2, [32]byte{}))
	held := m.Status().Pending.Total()
	require.Greater(t, held, 30, "the law holds nothing back, so the test shows nothing")

	require.Positive(t, publish(m.Flush(3, [32]byte{})))
	require.Less(t, m.Status().Pending.Total(), held/2)
	before := m.Status()
	require.Zero(t, publish(m.Flush(4, [32]byte{})))
	require.Equal(t, before, m.Status())
	require.Empty(t, m.CheckInvariants())
}

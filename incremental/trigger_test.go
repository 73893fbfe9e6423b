package incremental_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestRetriggerIsARestart: a machine whose trigger changes while it runs goes on like one
// that is opened with the other trigger.
func TestRetriggerIsARestart(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := world{rng: rand.New(rand.NewPCG(3, 1)), values: 8}
		f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 2), 9)
		rows := func(n int) []equivclass.Row {
			out := make([]equivclass.Row, n)
			for i := range out {
				out[i] = w.row()
			}
			return out
		}
		change := func(cutEvery int, onUpdate bool) {
			if f.options.Policy.CutEvery, f.options.Policy.OnUpdate = cutEvery, onUpdate; restarts {
				f.open()
				return
			}
			f.m.Trigger().Set(cutEvery, onUpdate)
		}
		f.apply(rows(300))
		require.NotNil(t, f.cut())
		f.apply(rows(200))
		change(0, true)
		require.True(t, f.m.Trigger().UpdateDue(), "the records that wait are positioned")
		change(150, false)
		require.True(t, f.m.Trigger().CutDue())
		change(250, false)
		require.False(t, f.m.Trigger().CutDue())
		f.apply(rows(60))
		require.True(t, f.m.Trigger().CutDue())
		change(0, true)
		require.NotNil(t, f.cut())
	}
}

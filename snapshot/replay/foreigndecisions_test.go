package replay

import (
	"anond/incremental/state"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/merge"
	"anond/incremental"
)

// TestDecisionsOfAnotherProgram: what a program with another algorithm decided is adopted and named, never a
// difference; what this one decided afterwards is made again, in every world, and a fault in it is found.
func TestDecisionsOfAnotherProgram(t *testing.T) {
	f := newStream(t, nil)
	f.open = func(s state.Store, o incremental.Options) (engine, error) { // it draws otherwise
		o.Orders = func(_ merge.Key, order []int32) []int32 { slices.Reverse(order); return order }
		return openMachine(s, o)
	}
	f.start()
	f.feed(150, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	for range 5 {
		f.feed(90, f.mixed)
		f.cut(state.Triggered)
	}
	f.open = openMachine // the next version
	f.start()
	before := len(f.read().attempts)
	theirs := len(f.read().intents)
	for range 8 {
		f.feed(90, f.mixed)
		f.cut(state.Triggered)
	}
	require.Greater(t, len(f.read().intents), theirs+1)

	out, err := f.read().Run(1, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "as long as nothing says that another program decided it")

	marked := func(alter func(r *Recording)) *Result {
		r := f.altered(alter)
		for i := range r.attempts[:before] {
			r.attempts[i].Algorithm = 77
		}
		out, err := r.Run(3, nil)
		require.NoError(t, err)
		return out
	}
	out = marked(func(*Recording) {})
	require.Nil(t, out.Difference)
	require.Regexp(t, `^releases 1 to \d+ are not replayable \(decided by algorithm 77\)$`, out.Others)
	require.Equal(t, out.Others, out.Obstacle)
	require.Equal(t, 3, out.Worlds)

	out = marked(func(r *Recording) {
		births := r.births(r.intents[len(r.intents)-1].Release)
		births[0].Members, births[1].Members = births[1].Members, births[0].Members
	})
	require.NotNil(t, out.Difference)
	require.EqualValues(t, len(f.read().intents), out.Difference.Release)
}

// adopted demands that the stream has no difference, whichever cut, and whichever first cuts, another program decided.
func (f *stream) adopted() {
	f.t.Helper()
	cuts := len(f.read().attempts)
	for i := range 2 * cuts {
		r := f.read()
		for j := range r.attempts {
			if j == i || i >= cuts && j <= i-cuts {
				r.attempts[j].Algorithm = 77
			}
		}
		out, err := r.Run(1, nil)
		require.NoError(f.t, err)
		require.Nil(f.t, out.Difference, "%d of %d", i, cuts)
		require.NotEmpty(f.t, out.Others)
	}
}

// TestEveryCutMayBeAnothers: whichever cuts another program decided, skipped ones, quarantined pools and the
// first pool among them, the others are made again.
func TestEveryCutMayBeAnothers(t *testing.T) {
	for name, change := range map[string]func(*incremental.Options){
		"hold in cuts": nil,
		"hold in time": func(o *incremental.Options) { o.Policy.HoldInCuts, o.Policy.MaxHold = false, 90 },
	} {
		t.Run(name, func(t *testing.T) {
			f := newStream(t, change).whole()
			rng := rand.New(rand.NewPCG(1, 1))
			for trial := range 6 {
				r := f.read()
				for i := range r.attempts {
					if trial == 0 || rng.IntN(3) == 0 {
						r.attempts[i].Algorithm = 77
					}
				}
				out, err := r.Run(1, nil)
				require.NoError(t, err)
				require.Nil(t, out.Difference, "trial %d", trial)
				require.Equal(t, 1, out.Worlds)
				require.Contains(t, out.Others, "(decided by algorithm 77)")
			}
		})
	}
}

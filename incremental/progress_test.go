package incremental_test

import (
	"anond/incremental/state"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
)

// TestADecisionTellsHowFarItIs: at both levels, the first one and later ones, up to all the
// records that it puts into classes, and it decides the same if nobody asks.
func TestADecisionTellsHowFarItIs(t *testing.T) {
	for _, level := range []state.Level{state.L1, state.L2} {
		p := policy(4, 2)
		p.Initial, p.Local, p.MaxHold = extract.Extract{}, extract.Extract{}, 0
		if p.Level = level; level == state.L2 {
			p.Republication, p.MinPool = state.Append, 40
		}
		var mu sync.Mutex
		var told [][2]int
		run := func(progress func(done, all int)) (out []state.Intent) {
			m, err := incremental.Open(memstore.New(), incremental.Options{Schema: newSchema(t, false), Policy: p, Seed: [32]byte{3},
				Progress: progress})
			require.NoError(t, err)
			w := world{rng: rand.New(rand.NewPCG(3, 3)), values: 6}
			for cut := range int64(3) {
				for range 400 {
					next, _ := m.Intake().Next(source)
					_, err := m.Apply(source, next, w.row())
					require.NoError(t, err)
				}
				told = nil
				intent, err := m.Cut(cut, [32]byte{})
				require.NoError(t, err)
				require.NotNil(t, intent, "%v: cut %d", level, cut)
				require.NoError(t, m.Published(intent.Release, [32]byte{1}))
				out = append(out, *intent)
				if progress == nil {
					continue
				}
				require.NotEmpty(t, told)
				last := told[len(told)-1]
				require.Equal(t, last[0], last[1], "all is done in the end")
				require.False(t, slices.ContainsFunc(told, func(x [2]int) bool { return x[0] < 0 || x[0] > x[1] || x[1] != last[1] }))
			}
			return out
		}
		silent := run(nil)
		require.Equal(t, silent, run(func(done, all int) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, [2]int{done, all})
		}))
	}
}

package pools

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/state"
)

// TestSmallFirstPoolsAskForTooMuch: by chance alone, a first pool of k*l people is refused, or what it publishes ends the
// dataset or asks for a pool of more than 10,000, in half of all feeds. After one of the default size every feed
// goes on; and policy.max_pool bounds what the others wait for.
func TestSmallFirstPoolsAskForTooMuch(t *testing.T) {
	const k, l, feeds = 10, 5, 24
	fine := func(people, most int) (n int) {
		for seed := range uint64(feeds) {
			rng, bag := rand.New(rand.NewPCG(seed, 1)), equivclass.Bag{Total: people, Counts: make([]equivclass.Count, 10)}
			for range people {
				v := 0 // 15 %
				if rng.IntN(100) >= 15 {
					v = 1 + rng.IntN(9)
				}
				bag.Counts[v].Code = equivclass.Code(v)
				bag.Counts[v].N++
			}
			need := usualSizes().needOf(&state.Policy{Requirement: equivclass.Requirement{K: k, L: l}, MaxPool: most}, state.Pools{}, bag)
			if bag.Eligible(l) && need.Possible && need.Records <= 10000 {
				require.Equal(t, most > 0 && need.Records == most, need.Bounded)
				n++
			}
		}
		return n
	}
	require.LessOrEqual(t, fine(k*l, 0), feeds/2)
	require.Greater(t, fine(k*l, 5000), fine(k*l, 0))
	require.Equal(t, feeds, fine(max(1000, 20*k*l), 0))
}

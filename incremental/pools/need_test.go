package pools

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// TestSmallFirstPoolsAskForTooMuch: by chance alone, a first pool of k*l people is refused, or what it publishes ends the
// dataset or asks for a pool of more than 10,000, in half of all feeds. After one of the default size every feed
// goes on; and policy.max_pool bounds what the others wait for.
func TestSmallFirstPoolsAskForTooMuch(t *testing.T) {
	const k, l, feeds = 10, 5, 24
	fine := func(people, most int) (n int) {
		for seed := range uint64(feeds) {
			rng, counts := rand.New(rand.NewPCG(seed, 1)), make([]uint32, 10)
			for range people {
				v := 0 // 15 %
				if rng.IntN(100) >= 15 {
					v = 1 + rng.IntN(9)
				}
				counts[v]++
			}
			var bag merge.Bag
			for v, n := range counts {
				if n > 0 {
					bag = append(bag, merge.Count{Value: uint32(v), N: n})
				}
			}
			all := promise.Attributes{{Promise: promise.Frequency(l), Values: strings.Split("abcdefghij", "")}}
			policy := state.Policy{Requirement: equivclass.Requirement{K: k, L: l}, MaxPool: most}
			need := usualSizes().needOf(&policy, state.Pools{}, settle.Plain, all, bag, people)
			if bag.Max()*l <= people && need.Possible && need.Records <= 10000 {
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

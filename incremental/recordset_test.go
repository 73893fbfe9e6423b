package incremental

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordSet: a set and its ranks against a map and a count.
func TestRecordSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range RecordID(300) {
		s, plain := newRecordSet(n), map[RecordID]bool{}
		for range n / 2 {
			r := RecordID(rng.IntN(int(n)))
			s.add(r)
			plain[r] = true
		}
		ranks := ranksOf(s)
		require.Equal(t, len(plain), ranks.len())
		next := 0
		for r := range n {
			require.Equal(t, plain[r], ranks.has(r))
			if plain[r] {
				require.Equal(t, next, ranks.of(r))
				next++
			}
		}
	}
}

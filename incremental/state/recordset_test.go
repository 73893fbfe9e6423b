package state

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordSet: a set and its ranks against a map and a count.
func TestRecordSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range RecordID(300) {
		s, plain := NewRecordSet(n), map[RecordID]bool{}
		for range n / 2 {
			r := RecordID(rng.IntN(int(n)))
			s.Add(r)
			plain[r] = true
		}
		ranks := RanksOf(s)
		require.Equal(t, len(plain), ranks.Len())
		next := 0
		for r := range n {
			require.Equal(t, plain[r], ranks.Has(r))
			if plain[r] {
				require.Equal(t, next, ranks.Of(r))
				next++
			}
		}
	}
}

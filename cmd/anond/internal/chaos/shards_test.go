package chaos

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// TestShardsHold plays plans of shards; make chaos plays more.
func TestShardsHold(t *testing.T) {
	took, n := 0, tier.Of(t, 1, 3, 4)
	if more, err := strconv.Atoi(os.Getenv("CHAOS_SHARDS")); err == nil {
		n = more
	}
	for i := range n {
		p := Generate(plantedSeed, 5*i+4, false)
		require.NotZero(t, p.World.Shards)
		r := Play(p, t.TempDir())
		require.NoError(t, r.Err, "%s%s", p, r.Log)
		took += len(r.Faults)
	}
	require.NotZero(t, took)
}

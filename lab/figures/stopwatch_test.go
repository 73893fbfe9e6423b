package figures

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimedCountsWork(t *testing.T) {
	work := func(n int) func() {
		return func() {
			x := uint64(1)
			for range n {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
			}
			require.NotZero(t, x)
		}
	}
	require.Greater(t, Seconds(work(50_000_000)), Seconds(work(500_000)))
}

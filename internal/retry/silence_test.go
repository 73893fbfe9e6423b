package retry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/internal/retry"
)

// TestSilence: of failures in a row the first is told, then one at distances that double, each with how many there were.
func TestSilence(t *testing.T) {
	var s retry.Silence
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var at []time.Duration
	all := 0
	for now := time.Duration(0); now < time.Hour; now += time.Second {
		all++
		if tries, told := s.Broken(start.Add(now), 10*time.Second); told {
			at = append(at, now)
			require.Equal(t, all, tries)
		}
	}
	const s1 = time.Second
	require.Equal(t, []time.Duration{0, 10 * s1, 30 * s1, 70 * s1, 150 * s1, 310 * s1, 630 * s1, 1230 * s1, 1830 * s1, 2430 * s1,
		3030 * s1}, at)
}

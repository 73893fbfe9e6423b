package ingest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// TestSilence: of failures in a row the first is told, then one at distances that double, each with how many there were.
func TestSilence(t *testing.T) {
	var s ingest.Silence
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

// TestRepeatedFailuresAreOneLine: a release that cannot be published is told once, and then with a count, not at each attempt.
func TestRepeatedFailuresAreOneLine(t *testing.T) {
	r := newRig(t, 900)
	full(r)
	h := r.host(4, 20)
	p := start(t, h)
	require.ErrorIs(t, p.ends(), ingest.ErrParked)
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Equal(t, 1, strings.Count(p.log.String(), "event=release_failed"))
	require.Contains(t, p.log.String(), "tries=1")
}

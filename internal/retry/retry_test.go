package retry

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recordedSleep keeps the waits instead of waiting.
func recordedSleep(waits *[]time.Duration) func(context.Context, time.Duration) error {
	return func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
}

func TestReconnectDoublesUpToItsCapAndNeverGivesUp(t *testing.T) {
	var waits []time.Duration
	a := Policy{Initial: time.Second, Max: 5 * time.Second, Sleep: recordedSleep(&waits)}.Attempts()
	for range 1000 {
		require.NoError(t, a.Wait(context.Background()))
	}
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second}, waits[:5])
	require.Equal(t, 5*time.Second, waits[999])
	require.Equal(t, 1000, a.Failed())

	a.Succeeded()
	require.Zero(t, a.Failed())
	require.NoError(t, a.Wait(context.Background()))
	require.Equal(t, time.Second, waits[1000])
}

func TestReconnectJitterStaysBetweenHalfAndWhole(t *testing.T) {
	for _, c := range []struct {
		rand float64
		want time.Duration
	}{{0, 500 * time.Millisecond}, {0.5, 750 * time.Millisecond}, {0.999999, time.Second - 500*time.Nanosecond}} {
		var waits []time.Duration
		a := Policy{Initial: time.Second, Rand: func() float64 { return c.rand }, Sleep: recordedSleep(&waits)}.Attempts()
		require.NoError(t, a.Wait(context.Background()))
		require.Equal(t, c.want, waits[0])
	}
}

func TestReconnectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, Policy{Initial: time.Hour}.Attempts().Wait(ctx), context.Canceled)
}

func TestReconnectCapBelowTheFirstWait(t *testing.T) {
	var waits []time.Duration
	a := Policy{Initial: time.Minute, Max: time.Second, Sleep: recordedSleep(&waits)}.Attempts()
	require.NoError(t, a.Wait(context.Background()))
	require.Equal(t, time.Minute, waits[0])
}

package ingest_test

import (
	"anond/incremental/state"
	"context"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// full lets the disk of the releases be full from release 2 on, until it is
// emptied.
func full(r *rig) (emptied *atomic.Bool) {
	emptied = &atomic.Bool{}
	r.press.fail = func(n uint32) error {
		if n >= 2 && !emptied.Load() {
			return syscall.ENOSPC
		}
		return nil
	}
	return emptied
}

// TestReadingWaitsForARelease: where counts decide about cuts and the release
// before cannot be published, reading waits. It says so, answers, and goes on by
// itself when there is room.
func TestReadingWaitsForARelease(t *testing.T) {
	tier.NotShort(t, "it waits for a release")
	want := newRig(t, 900)
	_, err := want.run(0, 1000, nil)
	require.NoError(t, err)

	r := newRig(t, 900)
	emptied := full(r)
	h := r.host(4, 20)
	h.Once, h.Source = false, endless{h.Source.(*feed)}
	p := start(t, h)
	p.until("release_waits")
	p.reported("why it waits", func(rep ingest.Report) bool {
		return rep.Doing == ingest.DoingWait && rep.Releasing == 2 && rep.ReleaseFailure == syscall.ENOSPC.Error()
	})
	emptied.Store(true)
	p.reported("it goes on", func(rep ingest.Report) bool {
		return rep.Machine.Sent == 900 && rep.Doing == "" && rep.Releasing == 0 && rep.ReleaseFailure == "" && rep.Machine.Outbox == 0
	})
	p.stop()
	require.NoError(t, p.ends())
	_, err = r.run(9, 17, nil)
	require.NoError(t, err)
	require.Equal(t, want.press.releases, r.press.releases)
}

// TestAStopWhileReadingWaits: the release is parked as soon as an attempt has
// failed, not after all the time that a drain may take.
func TestAStopWhileReadingWaits(t *testing.T) {
	r := newRig(t, 900)
	full(r)
	h := r.host(4, 20)
	h.Once, h.Source, h.DrainFor = false, endless{h.Source.(*feed)}, time.Hour
	p := start(t, h)
	p.until("release_waits")
	p.stop()
	require.NoError(t, p.ends())
	require.True(t, p.said("release_parked"))
}

// TestOnceGivesUpPublishing: a run that has to end tries a few times.
func TestOnceGivesUpPublishing(t *testing.T) {
	r := newRig(t, 900)
	emptied := full(r)
	h := r.host(4, 20)
	p := start(t, h)
	err := p.ends()
	require.ErrorIs(t, err, ingest.ErrParked)
	require.ErrorIs(t, err, syscall.ENOSPC)
	emptied.Store(true)
	_, err = r.run(9, 17, nil)
	require.NoError(t, err)
}

// gone is a source that does not answer.
type gone struct{ *feed }

func (gone) Next(ctx context.Context) (*ingest.Chunk, error) { <-ctx.Done(); return nil, io.EOF }
func (gone) Status() ingest.Status                           { return ingest.Status{Trouble: "lookup of a host"} }

// TestOnceDoesNotWaitForItsSource: a run that has to end does not wait without
// limit for a source that does not answer.
func TestOnceDoesNotWaitForItsSource(t *testing.T) {
	h := newRig(t, 10).host(4, 20)
	h.Source, h.OnceFor = gone{h.Source.(*feed)}, 50*time.Millisecond
	err := start(t, h).ends()
	require.ErrorIs(t, err, ingest.ErrAway)
	require.ErrorContains(t, err, "lookup of a host")
}

func TestLagIsKnownOnlyWhileItsSourceAnswers(t *testing.T) {
	now := time.Now()
	at := func(next, end int64, heard time.Time) ingest.PartitionStatus {
		return ingest.PartitionStatus{Partition: state.Partition{Source: "s"}, Next: next, End: end, Heard: heard}
	}
	cases := map[string]struct {
		status ingest.Status
		lag    int64
		known  bool
	}{
		"connected": {ingest.Status{Connected: true, Partitions: []ingest.PartitionStatus{at(3, 5, now), at(7, 7, time.Time{})}},
			2, true},
		"away": {ingest.Status{Partitions: []ingest.PartitionStatus{at(5, 5, now)}}, 0, false},
		"an end is not known": {ingest.Status{Connected: true, Partitions: []ingest.PartitionStatus{at(3, 5, now), at(3, -1, now)}},
			2, false},
		"an end is old": {ingest.Status{Connected: true, Partitions: []ingest.PartitionStatus{at(5, 5, now.Add(-2*time.Minute))}},
			0, false},
	}
	for name, c := range cases {
		lag, known := c.status.Lag(now)
		require.Equal(t, c.lag, lag, name)
		require.Equal(t, c.known, known, name)
	}
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

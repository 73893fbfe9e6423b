package daemon

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// ahead is how far the clock is wrong.
const ahead = 200 * time.Hour

// TestAClockThatWasAheadBeforeTheStart: the newest release bears a time that is
// still to come. That is reported once and does not hold the schedule.
func TestAClockThatWasAheadBeforeTheStart(t *testing.T) {
	for name, trigger := range map[string]string{"interval": "on: interval, every: 1h", "cron": `on: cron, at: "0 * * * *"`} {
		t.Run(name, func(t *testing.T) {
			d := newTimed(t, trigger)
			d.Start()
			d.Feed(300)
			d.release(1)
			d.halt()
			d.clock.advance(ahead)
			d.Start()
			d.runs()
			d.Feed(300)
			d.pass(61 * time.Minute)
			d.release(2)
			d.Feed(300)
			d.halt()
			require.Zero(t, d.event("clock_behind"), "a clock that goes on is nothing to report")

			d.clock.advance(-ahead)
			d.Start()
			d.runs()
			d.pass(61 * time.Minute)
			d.release(3)
			d.Feed(300)
			d.pass(61 * time.Minute)
			d.release(4)
			require.Equal(t, 1, d.event("clock_behind"))
		})
	}
}

// TestAClockThatIsSetBack while the daemon runs: the schedule follows it, and
// waiting times go on.
func TestAClockThatIsSetBack(t *testing.T) {
	d := newTimed(t, "on: interval, every: 1h")
	d.Start()
	d.Feed(300)
	d.release(1)
	d.Feed(300)
	d.clock.advance(ahead)
	d.release(2) // one release for all slots passed
	d.Feed(300)
	ticks := d.machineTime()
	d.clock.advance(-ahead)
	d.until("it is noticed", func(ingest.Report) bool { return d.event("clock_behind") == 1 })
	d.pass(61 * time.Minute)
	d.release(3)
	d.Feed(300)
	d.pass(61 * time.Minute)
	d.release(4)
	require.Equal(t, 1, d.event("clock_behind"))
	require.Greater(t, d.machineTime(), ticks+int64(2*time.Hour/time.Millisecond), "max_hold passes")
}

// runs waits until the daemon reads.
func (d *timed) runs() {
	d.t.Helper()
	d.until("it reads", func(r ingest.Report) bool { return r.Source.Connected && r.Doing == "" })
}

func (d *timed) machineTime() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.report.Machine.Now
}

// TestAQuietFeedIsReported: each slot says that nothing is new, also without a
// record since the last, and before the first load is complete.
func TestAQuietFeedIsReported(t *testing.T) {
	d := newTimed(t, "on: interval, every: 1h")
	d.Start()
	d.Feed(10)
	d.pass(61 * time.Minute)
	require.Equal(t, 1, d.event("release_skipped"), "the first load is not complete")
	d.Feed(290)
	d.release(1)
	d.until("everybody who can be is published", func(r ingest.Report) bool { return r.Releasing == 0 && r.Doing == "" })
	for range 4 {
		d.pass(61 * time.Minute)
	}
	quiet, skipped := d.newest(), d.event("release_skipped")
	d.pass(61 * time.Minute)
	require.Equal(t, quiet, d.newest())
	require.Equal(t, skipped+1, d.event("release_skipped"))
}

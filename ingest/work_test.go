package ingest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/ingest"
)

// slow is a method that never comes to an end.
type slow struct{ cuts.Median }

func (slow) Partition(*equivclass.Pool, equivclass.Requirement) ([][]int32, []int32) { select {} }

// TestAStopDuringALongDecision: while a release is decided the status is told
// each second, a stop ends the run, and the next start decides the same.
func TestAStopDuringALongDecision(t *testing.T) {
	want := newRig(t, 400)
	_, err := want.run(0, 1000, nil)
	require.NoError(t, err)

	r := newRig(t, 400)
	policy := rigPolicy()
	policy.Initial = slow{}
	h := r.hostUnder(policy, 5, 30)
	h.CommitRecords, h.CommitEvery = 1e6, time.Hour
	p := start(t, h)
	p.reported("the status is fresh, the counts are from before", func(rep ingest.Report) bool {
		return rep.Doing == ingest.DoingDecide && rep.Time.After(rep.Counted) && !rep.Counted.Before(rep.Since)
	})
	p.stop()
	require.NoError(t, p.ends())
	require.True(t, p.said("draining"))
	require.True(t, p.said("stopped"))

	again := r.host(8, 23)
	require.EqualValues(t, 200, again.Machine.Status().Sent, "what was read before the decision is there")
	require.NoError(t, again.Run(t.Context()))
	require.Equal(t, want.press.releases, r.press.releases)
}

// TestAClockSetBackDuringLongWork: reports go on, as if nothing had happened to the clock: none of them waits until it is
// where it was.
func TestAClockSetBackDuringLongWork(t *testing.T) {
	r := newRig(t, 400)
	policy := rigPolicy()
	policy.Initial = slow{}
	h, clock := r.hostUnder(policy, 5, 30), &leaping{}
	h.Clock = clock
	p := start(t, h)
	var then time.Time
	p.reported("a release is decided", func(rep ingest.Report) bool {
		then = rep.Time
		return rep.Doing == ingest.DoingDecide
	})
	clock.leap(-300 * time.Hour)
	p.reported("reports go on", func(rep ingest.Report) bool {
		return rep.Doing == ingest.DoingDecide && rep.Time.Before(then.Add(-299*time.Hour))
	})
	p.stop()
	require.NoError(t, p.ends())
}

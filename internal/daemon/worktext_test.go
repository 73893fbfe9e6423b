package daemon

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/progress"
)

// TestWorkOf: what takes long is told, with how far it is where that is known.
func TestWorkOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	long, short, left := now.Add(-90*time.Second), now.Add(-500*time.Millisecond), int64(30)
	half, unhurried := &progress.Progress{Done: 1, Total: 2, SecondsLeft: &left}, &progress.Progress{Done: 1, Total: 2}
	for want, s := range map[string]dataset.Status{
		"":                                    {},
		"deciding: 50 %, about 30s left":      {Doing: ingest.DoingDecide, Since: &long, Progress: half},
		"waiting for release for 1m30s":       {Doing: ingest.DoingWait, Since: &long},
		"release 7: 50 %, about 30s left":     {Doing: ingest.DoingCommit, Since: &short, Releasing: 7, Rendering: half},
		"deciding for 1m30s; release 7: 50 %": {Doing: ingest.DoingDecide, Since: &long, Releasing: 7, Rendering: unhurried},
	} {
		require.Equal(t, want, workOf(&s, now))
	}
}

// TestADecisionTellsHowFarItIs: of the records that are put into classes; not of what follows.
func TestADecisionTellsHowFarItIs(t *testing.T) {
	m, began := new(meters), time.Now()
	m.work.Begin(began)
	m.planned(250, 1000)
	require.Equal(t, "25 %, about 30s left", m.work.At(began.Add(10*time.Second)).String())
	m.planned(1000, 1000)
	require.Nil(t, m.work.At(began.Add(11*time.Second)))
}

package daemon

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/disk"
	"anond/internal/progress"
)

// TestWorkOf: what takes long is told, with how far it is where that is known.
func TestWorkOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	long, short, left := now.Add(-90*time.Second), now.Add(-500*time.Millisecond), int64(30)
	half, unhurried := &progress.Progress{Done: 1, Total: 2, SecondsLeft: &left}, &progress.Progress{Done: 1, Total: 2}
	for want, s := range map[string]Status{
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

// TestACompactionShowsHowFarItIs: in status.json, with the counts of the process before, and
// to whoever is told of long work.
func TestACompactionShowsHowFarItIs(t *testing.T) {
	c, _ := spacious(t)
	c.Dataset, c.State.Compact = "d", config.Compact{MinFree: 1 << 20, MinShare: .5}
	before := Status{Dataset: "d", PID: 1, Counts: incremental.Status{Sent: 300}, Connected: true, Newest: &Newest{Release: 3}}
	require.NoError(t, disk.ReplaceJSON(StatusPath(c), before))
	w := newWorkStatus(c, ingest.DoingCompact, time.Now())
	w.write(time.Now(), &progress.Progress{Done: 3, Total: 4})
	text, err := os.ReadFile(StatusPath(c))
	require.NoError(t, err)
	var now Status
	require.NoError(t, json.Unmarshal(text, &now))
	require.Equal(t, ingest.DoingCompact, now.Doing)
	require.Equal(t, os.Getpid(), now.PID)
	require.EqualValues(t, 300, now.Counts.Sent)
	require.EqualValues(t, 3, now.Progress.Done)
	require.False(t, now.Connected)
	require.Nil(t, now.Newest)

	shown := func(int64, int64) {}
	require.NoError(t, CompactStopped(c.State.Path, boltstore.Options{}, shown))
	info, err := os.Stat(c.State.Path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(1<<20))
	require.ErrorIs(t, CompactStopped(c.State.Path+"-none", boltstore.Options{}, shown), os.ErrNotExist)
}

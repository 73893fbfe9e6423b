package upkeep

import (
	"anond/incremental/state"
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/progress"
)

// spacious makes a state of which nearly all is free: many dead letters were delivered.
func spacious(t *testing.T) (c *config.Config, size int64) {
	c = &config.Config{}
	c.State.Path = filepath.Join(t.TempDir(), "anond.db")
	s, err := boltstore.Open(c.State.Path, boltstore.Options{NoSync: true})
	require.NoError(t, err)
	const letters = 300
	d := &state.Delta{Counters: &state.Counters{Sent: letters}}
	for i := range letters {
		d.DeadLetters = append(d.DeadLetters, state.DeadLetter{Seq: uint64(1 + i), Reason: "not_a_number", Payload: make([]byte, 8000)})
	}
	require.NoError(t, s.Commit(d))
	require.NoError(t, s.Commit(&state.Delta{Delivered: letters}))
	require.NoError(t, s.Commit(&state.Delta{Counters: &state.Counters{Sent: letters}}))
	require.NoError(t, s.Close())
	info, err := os.Stat(c.State.Path)
	require.NoError(t, err)
	return c, info.Size()
}

// TestAStartCompacts a state of which much is free, if that was asked for and there is
// more than both bounds, and says so with the sizes.
func TestAStartCompacts(t *testing.T) {
	for name, x := range map[string]struct {
		compact config.Compact
		does    bool
	}{
		"pays":             {config.Compact{MinFree: 1 << 20, MinShare: .5}, true},
		"never":            {config.Compact{MinShare: .5}, false},
		"too little":       {config.Compact{MinFree: 1 << 30, MinShare: .5}, false},
		"too small a part": {config.Compact{MinFree: 1 << 20, MinShare: 1}, false},
	} {
		c, size := spacious(t)
		c.State.Compact = x.compact
		var log bytes.Buffer
		o := dataset.Options{Clock: clock.System(), Log: slog.New(slog.NewTextHandler(&log, nil))}
		s, err := openStore(t.Context(), c, o, boltstore.Options{}, dataset.Lease{})
		require.NoError(t, err, name)
		now, _ := s.Bytes()
		assert.Equal(t, x.does, now < size/4, "%s: %d bytes before, %d now", name, size, now)
		assert.Equal(t, x.does, bytes.Contains(log.Bytes(), []byte("event=compacted")), name)
		var sent uint64
		require.NoError(t, s.Load(visitorOf(&sent)))
		assert.EqualValues(t, 300, sent)
		require.NoError(t, s.Commit(&state.Delta{Counters: &state.Counters{Sent: 301}}), "%s: it is in use", name)
		require.NoError(t, s.Close())
	}
}

// TestAStateThatCannotBeCompactedIsUsed: the disk has no room for a copy, or something is
// in its place.
func TestAStateThatCannotBeCompactedIsUsed(t *testing.T) {
	c, size := spacious(t)
	c.State.Compact = config.Compact{MinFree: 1 << 20, MinShare: .5}
	var log bytes.Buffer
	o := dataset.Options{Clock: clock.System(), Log: slog.New(slog.NewTextHandler(&log, nil))}
	assert.False(t, roomForCopy(c.State.Path, 1<<60, 0, o.Log))
	assert.Contains(t, log.String(), "event=compaction_skipped")

	require.NoError(t, os.MkdirAll(filepath.Join(boltstore.CompactedPath(c.State.Path), "taken"), 0o700))
	s, err := openStore(t.Context(), c, o, boltstore.Options{}, dataset.Lease{})
	require.NoError(t, err)
	now, _ := s.Bytes()
	assert.Equal(t, size, now)
	assert.Contains(t, log.String(), "event=compaction_failed")
	require.NoError(t, s.Close())
}

func visitorOf(sent *uint64) state.Visitor {
	return state.Visitor{
		Meta:        func(state.Meta) error { return nil },
		Counters:    func(c state.Counters) error { *sent = c.Sent; return nil },
		Dictionary:  func(int, string) error { return nil },
		Records:     func(*state.RecordBlock) error { return nil },
		Class:       func(*state.Class) error { return nil },
		Intent:      func(*state.Intent) error { return nil },
		Position:    func(state.Partition, state.Position) error { return nil },
		Outbox:      func(uint64, int) error { return nil },
		Quarantined: func([]state.RecordID) error { return nil },
		Attempt:     func(*state.Attempt) error { return nil },
	}
}

// TestACompactionShowsHowFarItIs: in status.json, with the counts of the process before, and
// to whoever is told of long work.
func TestACompactionShowsHowFarItIs(t *testing.T) {
	c, _ := spacious(t)
	c.Dataset, c.State.Compact = "d", config.Compact{MinFree: 1 << 20, MinShare: .5}
	before := dataset.Status{Dataset: "d", PID: 1, Counts: incremental.Status{Sent: 300}, Connected: true, Newest: &dataset.Newest{Release: 3}}
	require.NoError(t, disk.ReplaceJSON(dataset.StatusPath(c), before))
	w := newWorkStatus(c, ingest.DoingCompact, time.Now())
	w.write(time.Now(), &progress.Progress{Done: 3, Total: 4})
	text, err := os.ReadFile(dataset.StatusPath(c))
	require.NoError(t, err)
	var now dataset.Status
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

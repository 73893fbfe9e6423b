package ingest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
)

func TestSharesKeepWithinTheBound(t *testing.T) {
	for _, bound := range []int{8 << 20, ingest.DefaultMaxInFlight, 1 << 30} {
		for _, record := range []int{1, decode.DefaultMaxBytes, bound / 4} {
			s := ingest.SharesOf(bound, record)
			assert.Positive(t, s.Fetches)
			assert.LessOrEqual(t, s.Fetches*s.Piece, bound/4)
			assert.LessOrEqual(t, s.Stage+s.Commit+s.Deliver, bound/2)
			assert.Equal(t, bound, s.Batch)
		}
	}
	assert.Equal(t, ingest.SharesOf(0, 0), ingest.SharesOf(ingest.DefaultMaxInFlight, decode.DefaultMaxBytes))
}

// Shares so small that every chunk is cut, every batch waits for the one before,
// and a few bytes are a transaction change nothing in what comes out.
func TestSmallSharesChangeNothing(t *testing.T) {
	want := newRig(t, 600)
	_, err := want.run(5, 1000, nil)
	require.NoError(t, err)
	got := newRig(t, 600)
	got.shares = ingest.Shares{Piece: 500, Stage: 700, Commit: 300, Deliver: 1, Batch: 1, Fetches: 1}
	commits := 0
	_, err = got.run(5, 1000, func(step string) error {
		if step == "after commit" {
			commits++
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, commits, 100, "a transaction is bounded by bytes")
	require.Equal(t, want.press.releases, got.press.releases)
	require.Len(t, got.bin.seen, len(want.bin.seen), "dead letters come one at a time if need be")
}

// Offsets that were given up are counted once, with the position, whenever the
// process ends in between.
func TestMissingOffsetsAreCountedOnce(t *testing.T) {
	for stop := range 8 {
		r := newRig(t, 300)
		r.missed = ingest.Missing{Below: 40, Reason: decode.ReasonCorruptBatch}
		n, crash := 0, errors.New("crash")
		_, err := r.run(1, 5, func(string) error {
			if n++; n == stop+1 {
				return crash
			}
			return nil
		})
		require.ErrorIs(t, err, crash)
		m, err := r.run(3, 7, nil)
		require.NoError(t, err)
		require.Equal(t, map[equivclass.Reason]uint64{decode.ReasonCorruptBatch: 40}, m.Status().Ignored)
		require.Equal(t, uint64(260), m.Status().Sent)
	}
}

// A process that has lost the right to publish commits nothing more, whatever
// it was about to do. A later process that has the right makes the same
// releases.
func TestFencedRunCommitsNothing(t *testing.T) {
	want := newRig(t, 400)
	_, err := want.run(1, 10, nil)
	require.NoError(t, err)
	lost := errors.New("lost")
	for stop := range 25 {
		r := newRig(t, 400)
		asked, commits := 0, 0
		r.fence = func() error {
			if asked++; asked > stop {
				return lost
			}
			return nil
		}
		_, err := r.run(1, 10, func(step string) error {
			if asked > stop {
				commits++
			}
			return nil
		})
		require.ErrorIs(t, err, lost)
		require.Zero(t, commits, "nothing becomes durable behind the fence")
		r.fence = nil
		_, err = r.run(1, 10, nil)
		require.NoError(t, err)
		require.Equal(t, want.press.releases, r.press.releases)
	}
}

package ingest_test

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/ingest"
)

// unending is a source whose end nobody knows, as standard input.
type unending struct{ ingest.Source }

func (unending) Ends(context.Context) (map[state.Partition]int64, error) { return nil, nil }

// TestTheListFollowsTheSeed: a list of who was forgotten without a state with its seed could be
// read by nobody, and a start would refuse it.
func TestTheListFollowsTheSeed(t *testing.T) {
	d := newDeleting(t, 100)
	killed := errors.New("killed")
	h := d.host(1, 100)
	h.Source = unending{h.Source}
	h.Hook = func(step string) error {
		if step == "before commit" && len(d.x.list) > 0 {
			return killed
		}
		return nil
	}
	h.CommitRecords = 1000
	require.ErrorIs(t, h.Run(t.Context()), killed)
	seed := h.Machine.Seed()
	other := d.x.options
	other.Seed = [32]byte{9} // a fresh state draws another one
	m, err := incremental.Open(d.store.Crash(), other)
	require.NoError(t, err)
	require.Zero(t, m.Status().Sent, "nothing was committed before the list")
	require.Equal(t, seed, m.Seed())
}

// TestAStopWhileTheEndForgets: a run that is told to stop while it forgets at its end stops in good
// order. The state has forgotten.
func TestAStopWhileTheEndForgets(t *testing.T) {
	d := newDeleting(t, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	d.x.options.Interrupted = func() bool { return ctx.Err() != nil }
	h := d.host(1, 100)
	d.x.cannot = erase.ErrNobodyElse
	tries := 0
	h.Hook = func(step string) error {
		if step == "before forget" && h.Machine.Status().Sent == uint64(len(d.values)) {
			tries++
		}
		if tries == 2 { // the first one is that of the last cut
			d.x.cannot = nil
			stop()
		}
		return nil
	}
	require.NoError(t, h.Run(ctx))
	require.Equal(t, 2, tries)
	d.x.options.Interrupted = nil
	d.forgotten()
}

package ingest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/retire"
	"anond/incremental/state"
	"anond/ingest/decode"
)

// windowed is a feed at level L2 of which a release shows those of the last four.
func windowed(t *testing.T) *deleting {
	d := newDeleting(t, 1600)
	d.x.options.Policy = windowPolicy(t)
	return d
}

func windowPolicy(t *testing.T) state.Policy {
	p := rigPolicy()
	p.Level, p.Republication, p.Initial, p.Local, p.CutEvery, p.InitialMin = state.L2, state.Append, nil, nil, 120, 40
	p.OnRefusal, p.MaxHold = state.QuarantineRefused, 0
	var err error
	p.Window, err = retire.Parse("4")
	require.NoError(t, err)
	return p
}

// told is what was decided: who is published, and who has left.
func (d *deleting) told() (out string) {
	m, err := incremental.Open(d.store, d.x.options)
	require.NoError(d.t, err)
	require.Empty(d.t, m.CheckInvariants())
	require.False(d.t, m.Departing(), "who has left has left the state")
	for _, i := range m.Releases().Intents() {
		out += fmt.Sprint(i.Release, i.Newcomers, i.Records, i.Expired, i.Pending, "\n")
	}
	s := m.Status()
	require.Equal(d.t, s.Sent, s.Accounted())
	require.Positive(d.t, s.Expired)
	require.Less(d.t, m.Arrived(), int(s.Sent)-s.Expired, "their records are not there")
	return out + fmt.Sprint(s.Sent, s.Published, s.Expired, s.Pending, s.DeadLetter, uint64(s.Beyond)+s.Forgotten)
}

// TestCrashesAroundRemovals: whatever step the process ends at, the next one lets those leave the state whose parts have left the
// releases, and decides what it would have decided.
func TestCrashesAroundRemovals(t *testing.T) {
	tier.NotShort(t, "it reads thousands of records")
	killed := errors.New("killed")
	whole := windowed(t)
	removals := 0
	run := func(d *deleting, hook func(string) error) error {
		d.x.start(d.t)
		h := d.hostUnder(windowPolicy(t), 3, 40)
		h.Forgetting, h.Hook = d.x, hook
		h.NewDecoder = func() (decode.Decoder, error) {
			return decode.New(decode.Debezium, d.schema, decode.Options{Deletes: true})
		}
		return h.Run(t.Context())
	}
	require.NoError(t, run(whole, func(step string) error {
		if step == "after removal" {
			removals++
		}
		return nil
	}))
	require.Greater(t, removals, 3)
	want := whole.told()
	for _, step := range []string{"before removal", "after removal", "before intent", "before published"} {
		for _, nth := range []int{1, 3, 6}[:tier.Of(t, 1, 2, 3)] {
			d, at := windowed(t), 0
			err := run(d, func(name string) error {
				if name == step {
					at++
				}
				if name == step && at == nth {
					return killed
				}
				return nil
			})
			require.ErrorIs(t, err, killed, "%s, %d", step, nth)
			d.store = d.store.Crash()
			d.x.store = d.store
			require.NoError(t, run(d, nil))
			require.Equal(t, want, d.told(), "%s, %d", step, nth)
		}
	}
}

// TestARemovalWithoutRoom: a disk that has no room for a removal ends the run with its error and a last report; the next run decides
// what it would have decided.
func TestARemovalWithoutRoom(t *testing.T) {
	d := windowed(t)
	run := func() error {
		d.x.start(d.t)
		h := d.hostUnder(windowPolicy(t), 3, 40)
		h.Forgetting = d.x
		h.NewDecoder = func() (decode.Decoder, error) {
			return decode.New(decode.Debezium, d.schema, decode.Options{Deletes: true})
		}
		return h.Run(t.Context())
	}
	d.x.noRoom = state.ErrNoSpace
	require.ErrorIs(t, run(), state.ErrNoSpace)
	d.x.noRoom, d.store = nil, d.store.Crash()
	d.x.store = d.store
	require.NoError(t, run())
	d.told()
}

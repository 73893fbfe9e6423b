package ingest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/memstore"
	"anond/shards/journal"
)

// TestOneOfTwoGoesOn: while a process runs, another one starts on a copy of its state, or on the oldest one, and goes on
// to the end. The first one is told, whatever it was doing, and what both have published is one history.
func TestOneOfTwoGoesOn(t *testing.T) {
	told := 0
	for seed := range uint64(tier.Of(t, 6, 30, 200)) {
		d := newDataset(t, seed, 300)
		store := memstore.New()
		first, err := d.start(store, d.press)
		require.NoError(t, err)
		require.NoError(t, first.repeat())
		left, other := 2+d.rng.IntN(100), error(nil)
		first.host.Hook = func(string) error {
			if left--; left == 0 {
				other = d.goesOn(store.Clone(), seed%2 == 0)
			}
			return nil
		}
		err = first.run()
		if left > 0 {
			continue // it had ended before
		}
		require.NoError(t, other, "seed %d", seed)
		if err != nil {
			require.ErrorIs(t, err, journal.ErrFenced, "seed %d", seed)
			told++
		}
		again := newStamps()
		cold, err := d.start(d.oldest.Clone(), again)
		require.NoError(t, err)
		require.NoError(t, cold.repeat(), "seed %d", seed)
		require.Equal(t, d.press.releases, again.releases, "seed %d", seed)
	}
	require.NotZero(t, told)
}

// goesOn is another process, until it is at the end.
func (d *dataset) goesOn(store *memstore.Store, cold bool) error {
	if cold {
		store = d.oldest.Clone()
	}
	p, err := d.start(store, d.press)
	if err != nil {
		return err
	}
	return errors.Join(p.repeat(), p.run())
}

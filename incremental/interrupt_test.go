package incremental_test

import (
	"anond/incremental/state"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/incremental"
	"anond/incremental/memstore"
)

// interruptible is a method that is interrupted while it runs.
type interruptible struct {
	cuts.Median
	stop func() bool
}

func (h interruptible) WithStop(stop func() bool) equivclass.Partitioner { h.stop = stop; return h }

func (h interruptible) Partition(p *equivclass.Pool, want equivclass.Requirement) ([][]int32, []int32) {
	if h.stop() {
		return nil, nil
	}
	return h.Median.Partition(p, want)
}

// TestAnInterruptKeepsNothing: an interrupted decision leaves the state as it
// was; the machine opened again decides as if nothing had happened.
func TestAnInterruptKeepsNothing(t *testing.T) {
	var asked atomic.Bool
	p := policy(4, 2)
	p.Initial = interruptible{}
	open := func(store state.Store) (*incremental.Machine, error) {
		return incremental.Open(store, incremental.Options{Schema: newSchema(t, false), Policy: p, Seed: [32]byte{3}, Interrupted: asked.Load})
	}
	filled := func() (*memstore.Store, *incremental.Machine) {
		store := memstore.New()
		m, err := open(store)
		require.NoError(t, err)
		w := world{rng: rand.New(rand.NewPCG(3, 3)), values: 6}
		for range 200 {
			next, _ := m.Intake().Next(source)
			_, err := m.Apply(source, next, w.row())
			require.NoError(t, err)
		}
		require.NoError(t, m.Commit())
		return store, m
	}
	_, m := filled()
	want, err := m.Cut(1, [32]byte{})
	require.NoError(t, err)
	require.NotNil(t, want)

	store, m := filled()
	asked.Store(true)
	_, err = m.Decide(state.Triggered)
	require.ErrorIs(t, err, state.ErrInterrupted)
	require.ErrorIs(t, m.Commit(), incremental.ErrBroken, "half of a decision is never kept")
	_, err = open(store)
	require.ErrorIs(t, err, state.ErrInterrupted, "opening ends as well")

	asked.Store(false)
	m, err = open(store)
	require.NoError(t, err)
	have, err := m.Cut(1, [32]byte{})
	require.NoError(t, err)
	require.Equal(t, want, have)
}

package incremental_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/memstore"
)

// TestTransparentNeedsEnoughRecordsARelease: judged by the published histogram,
// a trigger that gathers too few records for rule T is refused, with the number
// that would do; that number is not.
func TestTransparentNeedsEnoughRecordsARelease(t *testing.T) {
	p := policy(4, 2)
	p.Transparent, p.CutEvery = true, 5
	store := memstore.New()
	open := func() *incremental.Machine {
		m, err := incremental.Open(store, incremental.Options{Schema: newSchema(t, false), Policy: p})
		require.NoError(t, err)
		return m
	}
	m := open()
	require.NoError(t, m.CheckTransparent(), "nothing is published to judge by")
	w := world{rng: rand.New(rand.NewPCG(5, 5)), values: 8}
	for i := range int64(400) {
		_, err := m.Apply(source, i, w.row())
		require.NoError(t, err)
	}
	_, err := m.Cut(1, [32]byte{})
	require.NoError(t, err)
	require.ErrorIs(t, m.CheckTransparent(), incremental.ErrTransparent)
	p.CutEvery = m.MinPool()
	require.NoError(t, open().CheckTransparent())
}

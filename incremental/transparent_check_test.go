package incremental_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
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
	for p.CutEvery = m.MinPool(); p.CutEvery <= 2*m.MinPool(); p.CutEvery++ {
		if open().CheckTransparent() == nil {
			return
		}
	}
	t.Fatal("no trigger up to twice n_min is accepted")
}

// TestRuleTFirstLoadIsJudgedByItsPool: whether the first load is refused may not
// depend on a record that its pool leaves over, for that record is published
// later (k=4: of nine records, eight are the pool).
func TestRuleTFirstLoadIsJudgedByItsPool(t *testing.T) {
	for _, left := range []string{"a", "b", "c"} {
		p := policy(4, 2)
		p.Transparent = true
		m, err := incremental.Open(memstore.New(), incremental.Options{Schema: newSchema(t, false), Policy: p})
		require.NoError(t, err)
		for i, v := range append(strings.Split("aaaabbbb", ""), left) {
			_, err := m.Apply(source, int64(i), equivclass.Row{[]byte(strconv.Itoa(20 + i)), []byte("a"), []byte("w"), []byte(v)})
			require.NoError(t, err)
		}
		intent, err := m.Cut(1, [32]byte{})
		require.NoError(t, err, "left over: one %q", left)
		require.Equal(t, 8, intent.Newcomers)
	}
}

package incremental_test

import (
	"anond/incremental/state"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
)

// TestReadmit: the record of a dead letter moves from the dead letters to the
// pending ones with the transaction that takes it in, and not without it.
func TestReadmit(t *testing.T) {
	g := newGrove(t, 2, false)
	g.people(20)
	row := func(place, ill string) equivclass.Row {
		return equivclass.Row{[]byte("7"), []byte(place), []byte(ill), []byte(place + ill)}
	}
	letter := func(offset int, attribute string) state.DeadLetter {
		return state.DeadLetter{Partition: source, Offset: int64(offset), Reason: equivclass.ReasonHierarchy, Attribute: attribute}
	}
	for i, r := range []equivclass.Row{row("p6", "i0"), row("p6", "i9"), row("p0", "i9"), row("p8", "i9")} {
		out := g.apply(source, int64(20+i), r)
		require.Equal(t, equivclass.ReasonHierarchy, out.Reason)
		require.Equal(t, []string{"place", "place", "ill", "place"}[i], out.Attribute, "quasi-identifiers first")
	}
	require.NoError(t, g.m.Commit())
	counts := func(pending, dead int, waiting int) {
		t.Helper()
		s := g.m.Status()
		assert.Equal(t, []int{24, pending, dead, waiting}, []int{int(s.Sent), s.Pending.Total(), int(s.DeadLetter), s.Outbox})
		require.Empty(t, g.m.CheckInvariants())
	}
	counts(20, 4, 4)
	g.lines[0] = append([]string{"p6;q9;*"}, g.lines[0]...)
	g.replant()
	require.NoError(t, g.start())

	_, err := g.m.Readmission().Take(letter(22, "ill"), row("p0", "i0"))
	require.ErrorIs(t, err, incremental.ErrNoReadmission, "a late arrival would show the value")
	_, err = g.m.Readmission().Take(letter(24, "place"), row("p6", "i0"))
	require.ErrorIs(t, err, incremental.ErrNoReadmission, "it was not read yet")
	other := letter(20, "place")
	other.Reason = equivclass.ReasonMissing
	_, err = g.m.Readmission().Take(other, row("p6", "i0"))
	require.ErrorIs(t, err, incremental.ErrNoReadmission)

	for _, crash := range []bool{true, false} {
		out, err := g.m.Readmission().Take(letter(20, "place"), row("p6", "i0"))
		require.NoError(t, err)
		require.Equal(t, equivclass.Accepted, out.Reason)
		out, err = g.m.Readmission().Take(letter(21, "place"), row("p6", "i9"))
		require.NoError(t, err)
		require.Equal(t, "ill", out.Attribute, "a dead letter of another attribute now")
		out, err = g.m.Readmission().Take(letter(23, "place"), row("p8", "i9"))
		require.NoError(t, err)
		require.Equal(t, "place", out.Attribute, "nothing changed")
		counts(21, 3, 5)
		if crash {
			require.NoError(t, g.start())
			counts(20, 4, 4)
			continue
		}
		require.NoError(t, g.m.Commit())
		g.texts = append(g.texts, "p6/i0")
		require.NoError(t, g.start())
		counts(21, 3, 5)
	}
	letters, err := g.store.Outbox(0, 10, 1<<20)
	require.NoError(t, err)
	assert.Equal(t, "ill", letters[4].Attribute)
}

package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/journal"
)

// TestNothingFollowsTheEndOfAJournal: a state is closed while a process with a copy of it runs. Whoever has a copy of
// any age repeats what was decided, the same bytes, and then nothing more; who runs is told at its next entry. Closed again, from
// the oldest copy, it is the same end.
func TestNothingFollowsTheEndOfAJournal(t *testing.T) {
	for seed := range uint64(tier.Of(t, 6, 20, 100)) {
		d := newDataset(t, seed, 300)
		last, _, err := d.life(d.press)
		require.NoError(t, err)
		m := last.host.Machine

		running, err := d.start(last.store.Clone(), d.press)
		require.NoError(t, err)
		require.NoError(t, running.repeat())
		ended, err := ingest.JournalEnded(t.Context(), m, last.host.Journal)
		require.ErrorIs(t, err, ingest.ErrNotFollowed, "another process has begun")
		require.False(t, ended)
		last, err = d.start(last.store.Clone(), d.press)
		require.NoError(t, err)
		require.NoError(t, last.repeat())
		m = last.host.Machine
		ended, err = ingest.JournalEnded(t.Context(), m, last.host.Journal)
		require.NoError(t, err)
		require.False(t, ended)
		require.NoError(t, ingest.EndJournal(t.Context(), m, last.host.Journal))

		d.topic[0] = append(d.topic[0], []byte(`{"op":"c","after":{"id":"late","age":44,"ward":"w1","illness":"i1"}}`))
		require.ErrorIs(t, running.run(), journal.ErrFenced, "seed %d", seed)
		again := newStamps()
		for name, store := range map[string]*memstore.Store{"the oldest": d.oldest.Clone(), "the same": last.store.Clone()} {
			p, err := d.start(store, again)
			require.NoError(t, err, name)
			for range 2 {
				require.ErrorIs(t, p.repeat(), incremental.ErrClosed, name)
				p, err = d.start(store, again)
				require.NoError(t, err, name)
			}
			ended, err := ingest.JournalEnded(t.Context(), p.host.Machine, p.host.Journal)
			require.NoError(t, err, name)
			require.True(t, ended, name)
			require.Equal(t, m.Status().Published, p.host.Machine.Status().Published)
		}
		require.Equal(t, d.press.releases, again.releases, "seed %d", seed)
	}
}

// TestTheFirstEndCounts: two processes close at once, or one writes the end and does not know: the second end is found to be the
// same, and one of another state is refused.
func TestTheFirstEndCounts(t *testing.T) {
	d := newDataset(t, 1, 200)
	last, _, err := d.life(d.press)
	require.NoError(t, err)
	one, err := d.start(last.store.Clone(), d.press)
	require.NoError(t, err)
	two, err := d.start(last.store.Clone(), d.press)
	require.NoError(t, err)
	require.ErrorIs(t, ingest.EndJournal(t.Context(), one.host.Machine, lostAck{one.host.Journal}), errKilled)
	require.NoError(t, ingest.EndJournal(t.Context(), two.host.Machine, two.host.Journal))

	d.total++
	_, err = two.host.Machine.Apply(topicPart(0), int64(len(d.topic[0])), [][]byte{[]byte("late"), []byte("44"), []byte("w1"), []byte("i1")})
	require.NoError(t, err)
	three := journal.Open(d.log, d.key, "shard 0", last.host.Machine.Journal(), newRandom(3))
	require.ErrorIs(t, ingest.EndJournal(t.Context(), two.host.Machine, three), journal.ErrForked)

	fresh, err := incremental.Open(memstore.New(), incremental.Options{Schema: d.schema, Policy: d.policy})
	require.NoError(t, err)
	_, err = ingest.JournalEnded(t.Context(), fresh, three)
	require.ErrorIs(t, err, ingest.ErrNotFollowed)
}

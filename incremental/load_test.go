package incremental_test

import (
	"anond/incremental/state"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/render"
)

// TestAnEmptyStateMayChangeItsPlace: as long as nothing was taken in, a state may become that of
// another topic, with its seed; ends and partitions of the one before are forgotten. With its
// first record it stays where it is, and what says how records are stored never changes.
// Mutations: untouched always true or always false; loadElsewhere keeps the ends.
func TestAnEmptyStateMayChangeItsPlace(t *testing.T) {
	of := func(key, missing byte) map[string][32]byte {
		return map[string][32]byte{"policy.l": {2}, "shard.key": {key}, "schema.missing": {missing}}
	}
	c := newChain(t, plane(t, 1), policy(4, 2), render.Generalization())
	require.NoError(t, c.settingsOf(c.policy, of(1, 1)))
	seed := c.m.Seed()
	c.m.Source().SetPartitions(4)
	c.m.InitialLoad().SetEnds(map[state.Partition]int64{{Source: "a"}: 7})
	require.NoError(t, c.m.Commit())

	require.ErrorContains(t, c.settingsOf(c.policy, of(1, 2)), "schema.missing")
	require.ErrorContains(t, c.settingsOf(c.policy, of(2, 2)), "schema.missing")
	require.NoError(t, c.settingsOf(c.policy, of(2, 1)))
	require.Equal(t, seed, c.m.Seed())
	require.Nil(t, c.m.InitialLoad().Ends())
	require.Zero(t, c.m.Source().Partitions())
	c.m.Source().SetPartitions(6)
	require.NoError(t, c.m.Commit())
	require.NoError(t, c.settingsOf(c.policy, of(2, 1)))
	require.Equal(t, 6, c.m.Source().Partitions())

	c.put(0, 1)
	require.NoError(t, c.m.Commit())
	require.ErrorContains(t, c.settingsOf(c.policy, of(1, 1)), "shard.key")
	require.NoError(t, c.settingsOf(c.policy, of(2, 1)))
}

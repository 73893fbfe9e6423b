package incremental_test

import (
	"anond/incremental/state"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot/render"
)

// TestFirstLoadGrows: a refused first load changes nothing but where it ends: it
// takes in more records over restarts, and the chain is certified.
// Mutation: head.reopenFirst keeps InitialEnds.
func TestFirstLoadGrows(t *testing.T) {
	c := newChain(t, plane(t, 1), policy(4, 3), render.Generalization())
	c.m.InitialLoad().SetEnds(map[state.Partition]int64{source: 9})
	for i := range 9 {
		c.put(i, max(0, i-6)) // 7 of 9 are the same
	}
	require.True(t, c.m.InitialLoad().Reached())
	for range 2 { // the second time by another process
		_, err := c.m.Cut(1, [32]byte{1})
		require.True(t, infeasible(err), "%v", err)
		require.NoError(t, c.m.Commit())
		assert.True(t, c.m.InitialLoad().Growing())
		assert.Nil(t, c.m.InitialLoad().Ends(), "the next start asks the source again")
		assert.Equal(t, state.Pending{Infeasible: 9}, c.m.Status().Pending)
		intent, err := c.m.Cut(1, [32]byte{1})
		require.NoError(t, err, "without new records the answer is not asked for again")
		require.Nil(t, intent)
		c.crash()
		assert.False(t, c.m.InitialLoad().Growing())
		assert.Equal(t, 9, c.m.Status().Pending.Total())
	}
	for i := range 12 {
		c.put(i, 1+i%3)
	}
	require.NotNil(t, c.cut())
	assert.True(t, c.m.InitialLoad().Done())
	assert.Nil(t, c.m.InitialLoad().Refused())
	assert.Nil(t, c.m.Status().FirstLoad)
	c.certify()
}

// TestFirstLoadIsTriedWhenAReleaseWouldBeDue: by the count of records, and by the
// update trigger as soon as k wait.
func TestFirstLoadIsTriedWhenAReleaseWouldBeDue(t *testing.T) {
	p := policy(4, 3)
	p.CutEvery, p.InitialMax = 3, 4
	c := newChain(t, plane(t, 1), p, render.Generalization())
	for i := range 4 {
		require.False(t, c.m.Trigger().CutDue())
		c.put(i, 0)
	}
	require.True(t, c.m.Trigger().CutDue())
	_, err := c.m.Cut(1, [32]byte{1})
	require.True(t, infeasible(err))
	assert.False(t, c.m.Trigger().CutDue())
	assert.False(t, c.m.Trigger().UpdateDue())
	c.put(4, 0)
	assert.True(t, c.m.Trigger().UpdateDue())
	assert.False(t, c.m.Trigger().CutDue())
	c.put(5, 0)
	c.put(6, 0)
	assert.True(t, c.m.Trigger().CutDue())
}

// TestMinimumOfTheFirstLoad: the first load is not complete at its end if it has too
// few records.
func TestMinimumOfTheFirstLoad(t *testing.T) {
	p := policy(4, 3)
	p.InitialMin = 8
	c := newChain(t, plane(t, 1), p, render.Generalization())
	c.m.InitialLoad().SetEnds(map[state.Partition]int64{source: 6})
	for i := range 7 {
		c.put(i, i%4)
		require.False(t, c.m.InitialLoad().Reached())
	}
	c.put(7, 3)
	require.True(t, c.m.InitialLoad().Reached())
	assert.Equal(t, &incremental.FirstLoad{Records: 8, Wanted: 8}, c.m.Status().FirstLoad)
}

// settingsOf opens a machine on the chain's state under given settings.
func (c *chain) settingsOf(p state.Policy, settings map[string][32]byte) error {
	m, err := incremental.Open(c.store, incremental.Options{Schema: c.schema, Policy: p, Settings: settings,
		Seed: c.seed, Seeded: true})
	if err == nil {
		c.m, c.policy = m, p
		err = m.Commit()
	}
	return err
}

// TestSettingsBindWithTheFirstRelease: before it they may change, but for what
// decides how records are stored; the state then takes the new ones.
// Mutations: adoption.settings keeps the old digests; sameRecords always nil.
func TestSettingsBindWithTheFirstRelease(t *testing.T) {
	of := func(l, recoding, missing byte) map[string][32]byte {
		return map[string][32]byte{"policy.l": {l}, "release.recoding": {recoding}, "schema.missing": {missing}}
	}
	c := newChain(t, plane(t, 1), policy(4, 3), render.Generalization())
	require.NoError(t, c.settingsOf(policy(4, 3), of(3, 0, 0)))
	for i := range 8 {
		c.put(i, i%2)
	}
	_, err := c.m.Cut(1, [32]byte{1})
	require.True(t, infeasible(err))
	require.NoError(t, c.m.Commit())

	var changed *incremental.SettingsError
	require.ErrorAs(t, c.settingsOf(policy(4, 2), of(2, 1, 1)), &changed)
	assert.Equal(t, []string{"schema.missing"}, changed.Keys)
	assert.False(t, changed.Released)
	require.NoError(t, c.settingsOf(policy(4, 2), of(2, 0, 0)))
	require.NoError(t, c.settingsOf(policy(4, 2), of(2, 0, 0)))
	require.NoError(t, c.settingsOf(policy(4, 2), of(2, 1, 0)), "it shapes releases only")
	c.settings.Policy.L, c.gate = 2, c.newGate()
	require.NotNil(t, c.cut())
	require.ErrorAs(t, c.settingsOf(policy(4, 3), of(3, 1, 0)), &changed)
	assert.Equal(t, []string{"policy.l"}, changed.Keys)
	assert.True(t, changed.Released)
	require.NoError(t, c.settingsOf(policy(4, 2), of(2, 1, 0)))
}

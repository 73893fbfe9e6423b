package incremental_test

import (
	"anond/incremental/state"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot/render"
)

// TestLevelNeverChanges: a state goes on at its level only, before release 1 as after
// it. One without a key of the level is of L1. The
// level alone is named, not what follows from it.
// Mutations: sameLevel without either case; not asked before release 1.
func TestLevelNeverChanges(t *testing.T) {
	l1 := map[string][32]byte{"policy.l": {2}, "release.recoding": {1}, "schema.encoding": {1}}
	l2 := map[string][32]byte{"policy.l": {2}, "release.recoding": {2}, "schema.encoding": {1}, "policy.level": {2}}
	for _, published := range []bool{false, true} {
		for _, x := range []struct {
			level      state.Level
			own, other map[string][32]byte
		}{{state.L1, l1, l2}, {state.L2, l2, l1}} {
			c := newChain(t, plane(t, 1), policy(4, 2), render.Generalization())
			require.NoError(t, c.settingsOf(c.policy, x.own))
			for i := range 8 {
				c.put(i, i%4)
			}
			if published {
				require.NotNil(t, c.cut())
			}
			require.NoError(t, c.m.Commit())

			reopen := func(settings map[string][32]byte) error {
				_, err := incremental.Open(c.store, incremental.Options{Schema: c.schema, Policy: c.policy, Settings: settings,
					Seed: c.seed, Seeded: true})
				return err
			}
			var refused *incremental.LevelError
			require.ErrorAs(t, reopen(x.other), &refused)
			assert.Equal(t, x.level, refused.State)
			require.NoError(t, reopen(x.own))
		}
	}
}

package incremental_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
)

// TestRetiredSetting: a state of an earlier version has a setting that this one
// lacks. It goes on, before and after release 1, if it was made under the value by
// which this version acts, and is refused otherwise.
// Mutations: dropRetired keeps the key; it deletes the key whatever its digest.
func TestRetiredSetting(t *testing.T) {
	now := map[string][32]byte{"policy.l": {2}, "schema.encoding": {1}}
	earlier := func(value byte) map[string][32]byte {
		return map[string][32]byte{"policy.l": {2}, "schema.encoding": {1}, "policy.gone": {value}}
	}
	for _, published := range []bool{false, true} {
		for _, value := range []byte{0, 1} {
			c := newChain(t, plane(t, 1), policy(4, 2), snapshot.Generalization())
			require.NoError(t, c.settingsOf(c.policy, earlier(value)))
			for i := range 8 {
				c.put(i, i%4)
			}
			if published {
				require.NotNil(t, c.cut())
			}
			require.NoError(t, c.m.Commit())

			reopen := func() (*incremental.Machine, error) {
				return incremental.Open(c.store, incremental.Options{Schema: c.schema, Policy: c.policy, Settings: now, Encoding: "schema.encoding",
					Retired: map[string][32]byte{"policy.gone": {0}}, Seed: c.seed, Seeded: true})
			}
			m, err := reopen()
			var retired *incremental.RetiredError
			if value != 0 {
				require.ErrorAs(t, err, &retired)
				assert.Equal(t, "policy.gone", retired.Key)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, m.Commit())
			m, err = reopen()
			require.NoError(t, err)
			assert.Equal(t, 8, m.Status().Published+m.Status().Pending.Total())
		}
	}
}

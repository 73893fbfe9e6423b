package replay

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
)

// TestReplayOverSettingsOfNewcomers: records have further columns for people who come later, and a replay comes to the same pools, of those
// who came before and after; who lapsed at the change follows from arrivals.
func TestReplayOverSettingsOfNewcomers(t *testing.T) {
	for _, role := range []equivclass.Role{equivclass.Quasi, equivclass.Sensitive} {
		var all []incremental.Options
		under := func(o incremental.Options, version byte) incremental.Options {
			o.Settings = map[string][32]byte{"policy.level": {}, "schema.attributes": {version}}
			o.Later = map[string]state.Later{"schema.attributes": state.Newcomer}
			o.Config = func() []byte { return []byte{version} }
			o.Rebuild = func(config []byte) (incremental.Options, error) { return all[config[0]], nil }
			all = append(all, o)
			return o
		}
		f := newStream(t, func(o *incremental.Options) { *o = under(*o, 0) })
		for range 5 {
			f.feed(100, f.mixed)
			f.cut(state.Triggered)
		}
		waiting := f.m.(*incremental.Machine).Status().Pending.Waiting
		require.Positive(t, waiting)

		schema, err := equivclass.NewSchema(append(slices.Clone(f.options.Schema.Attributes()),
			equivclass.Attribute{Name: "ward", Role: role, Type: equivclass.Categorical}), equivclass.RefuseMissing)
		require.NoError(t, err)
		f.options.Schema = schema
		f.options = under(f.options, 1)
		f.options.Apply, f.options.Lapse = true, true
		f.start()
		require.NoError(t, f.m.Commit())
		require.Equal(t, waiting, f.m.(*incremental.Machine).Status().Lapsed)
		f.options.Apply = false
		f.start()
		for range 6 {
			f.feed(150, f.mixed)
			f.cut(state.Triggered)
		}
		f.cut(state.AtEnd)
		out := f.certified()
		require.Greater(t, out.Releases, 4)
		wrong, err := f.altered(func(r *Recording) { r.meta.Eras[1].Records += 30 }).Run(0, nil)
		require.NoError(t, err)
		require.NotNil(t, wrong.Difference, "who waited would have been in a pool with those who came later")
	}
}

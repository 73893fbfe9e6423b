package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
)

// TestOutlookIsWhatTheCutDoes: at both levels a cut publishes as many people in as many
// classes as the outlook before it said, and looking changes no decision.
func TestOutlookIsWhatTheCutDoes(t *testing.T) {
	for name, p := range map[string]state.Policy{"L1": policy(4, 2), "L2": bucketPolicy(4, 2)} {
		t.Run(name, func(t *testing.T) {
			run := func(looks bool) (said []string) {
				w := world{rng: rand.New(rand.NewPCG(3, 1)), values: 8}
				f := newPoolFeed(t, newSchema(t, false), p, 9)
				for batch := range 8 {
					rows := make([]equivclass.Row, 60)
					if batch == 0 {
						rows = make([]equivclass.Row, 300)
					}
					for i := range rows {
						rows[i] = w.row()
					}
					f.apply(rows)
					var out *incremental.Outlook
					if looks {
						var err error
						out, err = f.m.Outlook(state.Triggered)
						require.NoError(t, err)
						require.Equal(t, f.m.Status().Pending.Waiting, out.Waiting)
					}
					intent := f.cut()
					newcomers := 0
					if intent != nil {
						newcomers = intent.Newcomers
						said = append(said, fmt.Sprintf("%+v", *intent))
					}
					if looks {
						require.Equal(t, newcomers, out.Newcomers)
						require.Equal(t, newcomers > 0, out.Loss > 0)
					}
				}
				require.NotEmpty(t, said)
				return said
			}
			require.Equal(t, run(false), run(true))
		})
	}
}

// TestOutlookIsBlindToValues (rule B, buckets): at level L2 it is the same whatever the
// values of those who wait are, also where the pool would be quarantined.
func TestOutlookIsBlindToValues(t *testing.T) {
	looked := func(value func(i int) string) *incremental.Outlook {
		f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 2), 9)
		rows := make([]equivclass.Row, 300)
		for i := range rows {
			rows[i] = zoned(i*7, fmt.Sprint("i", i%6))
		}
		f.apply(rows)
		require.NotNil(t, f.cut())
		for i := range rows {
			rows[i] = zoned(i*11, value(i))
		}
		f.apply(rows)
		out, err := f.m.Outlook(state.Triggered)
		require.NoError(t, err)
		return out
	}
	even := looked(func(i int) string { return fmt.Sprint("i", i%6) })
	require.Positive(t, even.Newcomers)
	require.Equal(t, even, looked(func(int) string { return "i1" }), "one value alone")
	require.Equal(t, even, looked(func(i int) string { return fmt.Sprint("i", i%3) }))
}

// TestOutlookBeforeRelease1: a first pool that would be refused looks like any other at
// level L2; at level L1 its refusal may be seen, and is not stored.
func TestOutlookBeforeRelease1(t *testing.T) {
	rows := make([]equivclass.Row, 300)
	for i := range rows {
		rows[i] = zoned(i, "i1")
	}
	blind := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 2), 9)
	blind.apply(rows)
	out, err := blind.m.Outlook(state.Triggered)
	require.NoError(t, err)
	require.False(t, out.Refused)
	require.Positive(t, out.Newcomers)
	require.False(t, blind.m.Status().FirstLoad.Refused)

	open := newPoolFeed(t, newSchema(t, false), policy(4, 2), 9)
	open.apply(rows)
	out, err = open.m.Outlook(state.Triggered)
	require.NoError(t, err)
	require.True(t, out.Refused)
	require.Zero(t, out.Newcomers)
	require.False(t, open.m.Status().FirstLoad.Refused, "nobody has asked for a cut")
}

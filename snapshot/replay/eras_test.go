package replay

import (
	"anond/incremental/state"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
)

// grown opens the state of a stream with such hierarchies, as a daemon does that finds other
// files.
func (f *stream) grown(zones, illnesses string) {
	f.t.Helper()
	attributes := slices.Clone(f.options.Schema.Attributes())
	f.options.Hierarchies = map[string]int{"zones": 1, "ills": 2}
	f.options.Settings = map[string][32]byte{"policy.level": {}, "policy.k": {byte(f.options.Policy.Requirement.K)}}
	for key, text := range map[string]string{"zones": zones, "ills": illnesses} {
		h, err := equivclass.ParseHierarchy(key, strings.NewReader(text))
		require.NoError(f.t, err)
		attributes[f.options.Hierarchies[key]].Hierarchy, f.options.Settings[key] = h, sha256.Sum256([]byte(text))
	}
	var err error
	f.options.Schema, err = equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(f.t, err)
	f.start()
}

// illnesses are the lines of so many.
func illnesses(n int) (out string) {
	for i := range n {
		out += fmt.Sprintf("i%d;*\n", i)
	}
	return out
}

const (
	firstZones = "b;x;*\na;x;*\nd;y;*\nc;y;*\ne;y;*\n"
	grownZones = "a;x;*\nf;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\n"
)

// growing is a stream whose hierarchies grow, that of the sensitive attribute twice.
func growing(t *testing.T) *stream {
	f := newStream(t, nil)
	batches := func(n, values int) {
		for range n {
			f.feed(90, func(int) string { return fmt.Sprint("i", f.rng.IntN(values)) })
			f.cut(state.Triggered)
		}
	}
	f.grown(firstZones, illnesses(7))
	batches(6, 7)
	f.feed(5, f.mixed)
	f.cut(state.Triggered)
	f.grown(grownZones, illnesses(8))
	f.cut(state.Triggered)
	batches(5, 8)
	f.grown(grownZones, illnesses(9))
	batches(5, 9)
	f.cut(state.AtEnd)
	return f
}

// TestReplayOfGrownHierarchies: the decisions before a hierarchy grew are made again with the
// file of that time, and in no world has anybody a value that was not valid yet.
func TestReplayOfGrownHierarchies(t *testing.T) {
	f := growing(t)
	require.Greater(t, f.certified().Releases, 5)
	r := f.read()
	require.Empty(t, r.obstacle())
	require.Len(t, r.ages, 3)

	f.all[1].Schema = f.all[2].Schema
	out, err := f.read().Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "the classes follow from the order of leaves")
}

// TestReplayOfAPoolFixedBeforeAHierarchyGrew: its classes are those of the earlier file, also if it is decided under the
// later one.
func TestReplayOfAPoolFixedBeforeAHierarchyGrew(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) { o.Policy.MaxHold = 0 })
	f.grown(firstZones, illnesses(7))
	for _, n := range []int{150, 400} {
		f.feed(n, func(int) string { return fmt.Sprint("i", f.rng.IntN(7)) })
		f.stops()
		f.grown(grownZones, illnesses(8+n/400))
		f.feed(30, func(int) string { return fmt.Sprint("i", f.rng.IntN(7)) })
		require.NotNil(t, f.cut(state.Triggered))
	}
	require.Equal(t, 2, f.certified().Releases)
}

func (f *stream) altered(alter func(*Recording)) *Recording {
	r := f.read()
	alter(r)
	return r
}

// TestErasThatAreNotKnown: what the state keeps of settings cannot be read.
func TestErasThatAreNotKnown(t *testing.T) {
	f := growing(t)
	out, err := f.altered(func(r *Recording) { r.meta.Eras[1].Config = []byte("x") }).Run(1, nil)
	require.NoError(t, err)
	require.Contains(t, out.Obstacle, "the settings of era 2 cannot be read")
}

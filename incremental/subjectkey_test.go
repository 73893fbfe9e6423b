package incremental_test

import (
	"anond/incremental/state"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
)

// TestSubjectKeyApartFromTheSeed: two states with one subject key know a person by one digest,
// although their seeds differ; without it they do not. A state refuses another key.
func TestSubjectKeyApartFromTheSeed(t *testing.T) {
	s, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "who", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	options := func(seed byte, key []byte) incremental.Options {
		o := incremental.Options{Schema: s, Seed: [32]byte{seed}, SubjectKey: key,
			Settings: map[string][32]byte{"schema.missing": {}}, Policy: state.Policy{Requirement: equivclass.Requirement{K: 2, L: 2},
				Level: state.L2, Republication: state.Append, Threshold: 1, MaxHold: 3,
				HoldInCuts: true, Workers: 1, Neighbours: 8, Similar: 3}}
		if key != nil {
			o.Settings["subject.key"] = [32]byte{key[0]}
		}
		return o
	}
	digests := func(o incremental.Options) (out []uint64, store *memstore.Store) {
		store = memstore.New()
		m, err := incremental.Open(store, o)
		require.NoError(t, err)
		for i := range 5 {
			_, err := m.Apply(state.Partition{Source: "s"}, int64(i), equivclass.Row{fmt.Appendf(nil, "p%d", i), []byte("30"), []byte("flu")})
			require.NoError(t, err)
		}
		require.NoError(t, m.Commit())
		v := state.Visitor{Meta: func(state.Meta) error { return nil }, Counters: func(state.Counters) error { return nil },
			Dictionary: func(int, string) error { return nil }, Class: func(*state.Class) error { return nil },
			Intent: func(*state.Intent) error { return nil }, Position: func(state.Partition, state.Position) error { return nil },
			Attempt: func(*state.Attempt) error { return nil }, Quarantined: func([]state.RecordID) error { return nil },
			Outbox:  func(uint64, int) error { return nil },
			Records: func(b *state.RecordBlock) error { out = append(out, b.Subject...); return nil }}
		require.NoError(t, store.Load(v))
		require.Len(t, out, 5)
		return out, store
	}
	key := []byte{7, 31: 1}
	one, store := digests(options(1, key))
	two, _ := digests(options(2, key))
	require.Equal(t, one, two)
	alone, _ := digests(options(1, nil))
	require.NotEqual(t, one, alone)
	other, _ := digests(options(2, nil))
	require.NotEqual(t, alone, other)

	for _, o := range []incremental.Options{options(1, []byte{8, 31: 1}), options(1, nil)} {
		_, err := incremental.Open(store, o)
		var changed *incremental.SettingsError
		require.True(t, errors.As(err, &changed), "%v", err)
		require.Equal(t, []string{"subject.key"}, changed.Keys)
	}
	_, err = incremental.Open(store, options(9, key))
	require.NoError(t, err)
}

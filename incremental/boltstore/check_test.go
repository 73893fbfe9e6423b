package boltstore

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/state"
)

// soundDelta is a small state without fault: six records, a frozen and a pure
// class, two of the records quarantined.
func soundDelta() *state.Delta {
	codes := []equivclass.Code{0, 1, 2, 0, 1, 2}
	return &state.Delta{
		Meta:     &state.Meta{},
		Counters: &state.Counters{Sent: 6},
		Records: []*state.RecordBlock{{Columns: [][]equivclass.Code{codes}, Subject: []uint64{1, 2, 3, 4, 5, 6},
			Origin: make([]uint16, 6), Offset: []int64{0, 1, 2, 3, 4, 5}}},
		Positions: []state.PartitionPosition{{Partition: state.Partition{Source: "s"},
			Position: state.Position{Next: 6, Last: 5}}},
		Intent: &state.Intent{Release: 1, Cut: 6},
		Births: []*state.Class{
			{ID: 0, Regime: state.Frozen, Born: 1, Members: []state.RecordID{0, 1}},
			{ID: 1, Regime: state.Pure, Born: 1, Members: []state.RecordID{2, 3}},
		},
		Quarantined: []state.RecordID{4, 5},
	}
}

// TestCheckNamesEachFault writes faulty deltas past the guard. A sound state has
// no fault; each of these has one that names what is wrong.
func TestCheckNamesEachFault(t *testing.T) {
	class := func(c state.Class) *state.Delta {
		c.ID = 2
		return &state.Delta{Births: []*state.Class{&c}}
	}
	pair := []state.RecordID{4, 5}
	for name, c := range map[string]struct {
		delta *state.Delta
		want  string
	}{
		"sound": {&state.Delta{}, ""},
		"overlap": {class(state.Class{Born: 1, Members: []state.RecordID{1, 3}}),
			"record 1 is in the living classes 0 and 2"},
		"quarantined":    {class(state.Class{Born: 1, Members: pair}), "record 4 is quarantined and in class 2"},
		"member unknown": {class(state.Class{Born: 1, Members: []state.RecordID{4, 6}}), "class 2: member 1 is unknown"},
		"born nowhere": {class(state.Class{Born: 9, Members: []state.RecordID{4, 5}}),
			"class 2 is born in release 9, which has no intent"},
		"frozen dies": {&state.Delta{Deaths: []state.Death{{ID: 0, Release: 2}}}, "class 0 is frozen and dies (rule A)"},
		"dies nowhere": {&state.Delta{Deaths: []state.Death{{ID: 1, Release: 2}}},
			"class 1 dies in release 2, which has no intent"},
		"dies at birth": {&state.Delta{Deaths: []state.Death{{ID: 1, Release: 1}}}, "class 1 dies in release 1, born in 1"},
		"dies twice":    {&state.Delta{Deaths: []state.Death{{ID: 1, Release: 1}, {ID: 1, Release: 1}}}, "dies twice"},
		"pure declared": {&state.Delta{DeclaredPure: []state.ClassID{1}}, "class 1 was born pure and is declared pure (rule C)"},
		"release gap": {&state.Delta{Intent: &state.Intent{Release: 3}},
			"bucket intents, key 00000003: the release before it is missing"},
		"cut beyond": {&state.Delta{Intent: &state.Intent{Release: 2, Cut: 7}}, "its cut lies beyond the newest record"},
		"published early": {&state.Delta{Intent: &state.Intent{Release: 2, Published: true}},
			"it is published but the release before it is not"},
		"two numbers": {&state.Delta{Positions: []state.PartitionPosition{{Partition: state.Partition{Source: "s"},
			Position: state.Position{Number: 1, Last: -1}}}}, "its partition has another number too"},
		"offsets disagree": {&state.Delta{Positions: []state.PartitionPosition{{Partition: state.Partition{Source: "s"},
			Position: state.Position{Next: 5, Last: 5}}}}, "its offsets contradict each other"},
		"origin unknown": {&state.Delta{Records: []*state.RecordBlock{{First: 6, Columns: [][]equivclass.Code{{1}},
			Subject: []uint64{1}, Origin: []uint16{3}, Offset: []int64{1}}}}, "partition number 3 has no position"},
		"columns differ": {&state.Delta{Records: []*state.RecordBlock{{First: 6,
			Subject: []uint64{1}, Origin: []uint16{0}, Offset: []int64{6}}}}, "fewer columns"},
		"records gap": {&state.Delta{Records: []*state.RecordBlock{{First: 9, Origin: []uint16{0},
			Offset: []int64{6}}}}, "it does not go on where the one before ends"},
		"quarantine beyond": {&state.Delta{Quarantined: []state.RecordID{6}}, "quarantine: record 6 is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "anond.db")
			s, err := Open(path, Options{NoSync: true})
			require.NoError(t, err)
			require.NoError(t, s.Commit(soundDelta()))
			require.NoError(t, s.update(func(tx *transaction) error {
				w := writer{tx: tx, ends: s.ends}
				return w.write(c.delta)
			}))
			require.NoError(t, s.Close())
			faults, err := Check(path, Options{})
			require.NoError(t, err)
			if c.want == "" {
				require.Empty(t, faults)
				return
			}
			require.Contains(t, join(faults), c.want)
		})
	}
}

func join(faults []string) (all string) {
	for _, f := range faults {
		all += f + "\n"
	}
	return all
}

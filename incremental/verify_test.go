package incremental

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/state"
)

// verified is a verifier by hand: records 0..3 in pure class 0 and 4..7 in frozen
// class 1, both with values 0 and 1 in turn; 8..11 wait, with values 0, 1, 0, 2.
func verified(t *testing.T) *verifier {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	records := state.NewColumns(schema)
	records.Columns[1] = equivclass.ColumnOf([]equivclass.Code{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 2})
	records.ClassOf = []state.ClassID{0, 0, 0, 0, 1, 1, 1, 1, state.None, state.None, state.None, state.None}
	return &verifier{
		policy:  &state.Policy{MaxRegroups: 1},
		records: &records,
		classes: []*state.Class{{ID: 0, Regime: state.Pure, Members: []state.RecordID{0, 1, 2, 3}},
			{ID: 1, Members: []state.RecordID{4, 5, 6, 7}}},
		want: equivclass.Requirement{K: 4, L: 2},
	}
}

// TestVerifyRefusesWhatBreaksARule: each kind of unsafe decision is refused, and
// a safe one of the same shape is not.
func TestVerifyRefusesWhatBreaksARule(t *testing.T) {
	birth := func(r state.Regime, members ...state.RecordID) *state.Class {
		return &state.Class{Regime: r, Members: members}
	}
	for name, d := range map[string]state.Decision{
		"frozen":         {Births: []*state.Class{birth(state.Frozen, 8, 9, 10, 11)}},
		"grown (rule P)": {Births: []*state.Class{birth(state.Pure, 0, 1, 2, 3, 8, 9)}, Deaths: []state.ClassID{0}},
	} {
		require.NoError(t, verified(t).verify(d), name)
	}
	for name, d := range map[string]state.Decision{
		"A, too few":             {Births: []*state.Class{birth(state.Frozen, 8, 9)}},
		"A, a value above 1/l":   {Births: []*state.Class{birth(state.Frozen, 8, 10, 0, 2, 9)}, Deaths: []state.ClassID{0}},
		"P, not flat":            {Births: []*state.Class{birth(state.Pure, 8, 9, 10, 11)}},
		"P, another signature":   {Births: []*state.Class{birth(state.Frozen, 0, 1, 2, 3, 8, 11)}, Deaths: []state.ClassID{0}},
		"F, a record twice":      {Births: []*state.Class{birth(state.Frozen, 8, 9, 10, 11), birth(state.Frozen, 8, 9, 10, 11)}},
		"F, a living class":      {Births: []*state.Class{birth(state.Frozen, 4, 5, 8, 9)}},
		"A, a frozen class dies": {Births: []*state.Class{birth(state.Frozen, 4, 5, 6, 7)}, Deaths: []state.ClassID{1}},
		"N, a record disappears": {Births: []*state.Class{birth(state.Pure, 0, 1, 8, 9)}, Deaths: []state.ClassID{0}},
	} {
		require.ErrorIs(t, verified(t).verify(d), ErrUnsafe, name)
	}
	spent := verified(t)
	spent.classes[0].Regroups = 1
	taken := state.Decision{Births: []*state.Class{birth(state.Pure, 0, 1, 2, 3, 8, 9)}, Deaths: []state.ClassID{0}}
	require.ErrorIs(t, spent.verify(taken), ErrUnsafe,
		"E, the budget is spent")
}

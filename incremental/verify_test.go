package incremental

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// verified is a verifier by hand: records 0..3 in pure class 0 and 4..7 in frozen
// class 1, both with values 0 and 1 in turn; 8..11 wait, with values 0, 1, 0, 2.
func verified(t *testing.T) *verifier {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	records := newColumns(schema)
	records.Columns[1] = equivclass.ColumnOf([]equivclass.Code{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 2})
	records.classOf = []ClassID{0, 0, 0, 0, 1, 1, 1, 1, none, none, none, none}
	return &verifier{
		policy:  &Policy{MaxRegroups: 1},
		records: &records,
		classes: []*Class{{ID: 0, Regime: Pure, Members: []RecordID{0, 1, 2, 3}}, {ID: 1, Members: []RecordID{4, 5, 6, 7}}},
		want:    equivclass.Requirement{K: 4, L: 2},
	}
}

// TestVerifyRefusesWhatBreaksARule: each kind of unsafe decision is refused, and
// a safe one of the same shape is not.
func TestVerifyRefusesWhatBreaksARule(t *testing.T) {
	birth := func(r Regime, members ...RecordID) *Class { return &Class{Regime: r, Members: members} }
	for name, d := range map[string]decision{
		"frozen":         {births: []*Class{birth(Frozen, 8, 9, 10, 11)}},
		"grown (rule P)": {births: []*Class{birth(Pure, 0, 1, 2, 3, 8, 9)}, deaths: []ClassID{0}},
	} {
		require.NoError(t, verified(t).verify(d), name)
	}
	for name, d := range map[string]decision{
		"A, too few":             {births: []*Class{birth(Frozen, 8, 9)}},
		"A, a value above 1/l":   {births: []*Class{birth(Frozen, 8, 10, 0, 2, 9)}, deaths: []ClassID{0}},
		"P, not flat":            {births: []*Class{birth(Pure, 8, 9, 10, 11)}},
		"P, another signature":   {births: []*Class{birth(Frozen, 0, 1, 2, 3, 8, 11)}, deaths: []ClassID{0}},
		"F, a record twice":      {births: []*Class{birth(Frozen, 8, 9, 10, 11), birth(Frozen, 8, 9, 10, 11)}},
		"F, a living class":      {births: []*Class{birth(Frozen, 4, 5, 8, 9)}},
		"A, a frozen class dies": {births: []*Class{birth(Frozen, 4, 5, 6, 7)}, deaths: []ClassID{1}},
		"N, a record disappears": {births: []*Class{birth(Pure, 0, 1, 8, 9)}, deaths: []ClassID{0}},
	} {
		require.ErrorIs(t, verified(t).verify(d), ErrUnsafe, name)
	}
	spent := verified(t)
	spent.classes[0].Regroups = 1
	require.ErrorIs(t, spent.verify(decision{births: []*Class{birth(Pure, 0, 1, 2, 3, 8, 9)}, deaths: []ClassID{0}}), ErrUnsafe,
		"E, the budget is spent")
}

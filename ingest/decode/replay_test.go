package decode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestRuleBReplayAsksForNoValue: of every reason and every attribute, only faults of
// quasi-identifiers and the subject may be replayed, for the two reasons whose cause may go.
func TestRuleBReplayAsksForNoValue(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "name", Role: equivclass.Identifier},
		{Name: "id", Role: equivclass.Subject, Type: equivclass.Categorical}, {Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	may := map[string]bool{}
	for why := range ReplayRules {
		for _, attribute := range []string{"", "name", "id", "age", "ill", "unknown"} {
			rule := RuleOf(schema, why, attribute)
			require.NotEmpty(t, rule.Why)
			if rule.Replay == ReplayKnown {
				may[string(why)+" "+attribute] = true
			}
		}
	}
	assert.Equal(t, map[string]bool{"value_not_in_hierarchy age": true, "value_not_in_hierarchy id": true, "value_too_long age": true,
		"value_too_long id": true}, may)
	assert.Equal(t, ReplayValue, RuleOf(schema, "of_a_later_version", "age").Replay)
}

// TestKnownAttributesAreJudgedFirst: whatever stands first in the schema, a fault of a
// quasi-identifier or the subject is named before one of the sensitive value.
func TestKnownAttributesAreJudgedFirst(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "id", Role: equivclass.Subject, Type: equivclass.Categorical},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	d, err := New(JSON, schema, Options{})
	require.NoError(t, err)
	row := make(equivclass.Row, 3)
	const bad = `"\u0001"`
	for _, ill := range []string{bad, `"flu"`} {
		assert.Equal(t, Outcome{Reason: equivclass.ReasonControl, Attribute: "age"},
			d.Decode([]byte(`{"ill":`+ill+`,"id":`+bad+`,"age":`+bad+`}`), nil, row))
		assert.Equal(t, Outcome{Reason: equivclass.ReasonControl, Attribute: "id"},
			d.Decode([]byte(`{"ill":`+ill+`,"id":`+bad+`,"age":"5"}`), nil, row))
	}
}

package ingest

import (
	"anond/incremental/state"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest/decode"
)

// TestWhoIsBarred: for each reason, and each attribute at fault, the person of a refused record is barred unless what
// adversaries know has caused it; whether the record gets a dead letter or is only counted does not matter.
func TestWhoIsBarred(t *testing.T) {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "name", Role: equivclass.Identifier},
		{Name: "patient", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "weight", Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 4},
		{Name: "admitted", Role: equivclass.Quasi, Type: equivclass.Date},
		{Name: "postcode", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "sex", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "note", Role: equivclass.Drop},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	known := map[string]bool{"patient": true, "age": true, "sex": true}
	never := []equivclass.Reason{decode.ReasonHeader, decode.ReasonUnsupported, decode.ReasonTombstone, decode.ReasonNoPerson,
		decode.ReasonGrown, decode.ReasonBlank, decode.ReasonHeaderLine,
		decode.ReasonContinued, decode.ReasonGap, decode.ReasonCorruptBatch, decode.ReasonRewritten}
	whole := []equivclass.Reason{decode.ReasonTooLarge, decode.ReasonMalformedJSON, decode.ReasonDuplicate, decode.ReasonNotAnObject,
		decode.ReasonMalformedCSV,
		decode.ReasonUnclosedQuote, decode.ReasonFieldCount, decode.ReasonEnvelope, decode.ReasonEncoding, decode.ReasonFramed}
	p := state.Partition{Source: "s"}
	row := func() equivclass.Row {
		return equivclass.Row{nil, []byte("17"), []byte("40"), []byte("7"), []byte("2022-01-08"), []byte("a"), []byte("f"), nil, []byte("flu")}
	}
	for why := range decode.ReplayRules {
		for _, attribute := range []string{"", "patient", "age", "sex", "diagnosis"} {
			for _, ignored := range []bool{false, true} {
				m, err := incremental.Open(memstore.New(), incremental.Options{Schema: s, Policy: state.Policy{Level: state.L2,
					Requirement: equivclass.Requirement{K: 2, L: 2}, Republication: state.Append, Threshold: 1}})
				require.NoError(t, err)
				refused := decode.Outcome{Reason: why, Attribute: attribute, Ignored: ignored}
				_, err = Place(m, s, p, &Record{}, refused, row(), m.SubjectOf(row()), false)
				require.NoError(t, err)
				_, err = Place(m, s, p, &Record{Offset: 1}, decode.Outcome{}, row(), m.SubjectOf(row()), false)
				require.NoError(t, err)
				want := !slices.Contains(never, why) && (slices.Contains(whole, why) || !known[attribute])
				got := m.Status()
				require.Equal(t, want, got.Beyond == 1, "%s of %q", why, attribute)
				require.Equal(t, !want, got.Pending.Waiting == 1)
				require.Equal(t, got.Sent, got.Accounted())
			}
		}
	}
}

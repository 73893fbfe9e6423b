package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/decode"
)

// TestRuleN (insert-only): nothing is ever removed. A delete, an update and a
// truncation in Debezium's words, and the tombstone that follows a delete in
// any format, are unsupported operations: refused, or counted where the
// configuration says ignore, never applied. Inserts and snapshot reads are
// taken.
// Mutations under which it was seen to fail: op "u" or "d" counts as an insert;
// settle leaves a tombstone accepted.
func TestRuleN(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	const before, after = `"before":{"age":41,"illness":"flu"}`, `"after":{"age":41,"illness":"flu"}`
	for _, x := range []struct {
		event  string
		insert bool
	}{
		{`{"op":"c",` + after + `}`, true},
		{`{"op":"r",` + after + `}`, true},
		{`{"op":"d",` + before + `,"after":null}`, false},
		{`{"op":"u",` + before + `,` + after + `}`, false},
		{`{"op":"t"}`, false},
		{`{"op":"m",` + after + `}`, false},
		{`{"payload":{"op":"d",` + before + `}}`, false},
		{`null`, false},
	} {
		for _, ignore := range [][]equivclass.Reason{nil, {decode.ReasonUnsupported}} {
			d, err := decode.New(decode.Debezium, schema, decode.Options{Ignore: ignore})
			require.NoError(t, err)
			row := make(equivclass.Row, 2)
			got := d.Decode([]byte(x.event), nil, row)
			if x.insert {
				require.True(t, got.Accepted(), x.event)
				require.Equal(t, "41", string(row[0]))
				continue
			}
			require.Equal(t, decode.Outcome{Reason: decode.ReasonUnsupported, Ignored: ignore != nil}, got, x.event)
			require.Equal(t, make(equivclass.Row, 2), row, "something of a removed record was handed on")
		}
	}
	for _, format := range []decode.Format{decode.JSON, decode.CSV, decode.Debezium} {
		d, err := decode.New(format, schema, decode.Options{})
		require.NoError(t, err)
		require.Equal(t, decode.Outcome{Reason: decode.ReasonUnsupported}, d.Decode(nil, nil, make(equivclass.Row, 2)), "tombstone, %s", format)
	}
}

package ingest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestDecodeSemi: every format hands over a semi-sensitive value and its flag as
// they are written, a flag of JSON as true or false; whether a flag can be read
// is the machine's to say. A CSV file must have the column.
func TestDecodeSemi(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "pay", Role: equivclass.Semi, Type: equivclass.Integer, Flag: "secret", Promise: &equivclass.SemiPromise{L: 2}},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "secret", Role: equivclass.Flag},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	header := []string{"secret", "age", "pay", "illness"}
	for _, c := range []struct {
		format   Format
		in, want string
	}{
		{JSON, `{"age":30,"pay":900,"illness":"flu","secret":true}`, `"30" "900" "flu" "true"`},
		{JSON, `{"age":30,"pay":900,"illness":"flu","secret":0}`, `"30" "900" "flu" "0"`},
		{JSON, `{"age":30,"pay":900,"illness":"flu","secret":null}`, `"30" "900" "flu" -`},
		{JSON, `{"age":30,"pay":900,"illness":"flu"}`, `"30" "900" "flu" -`},
		{CSV, " no ,30, 900 ,flu ", `"30" "900" "flu" "no"`},
		{CSV, " ,30,900,flu", `"30" "900" "flu" -`},
		{CSV, "Yes,30,900,flu", `"30" "900" "flu" "Yes"`},
		{Debezium, `{"payload":{"op":"c","before":null,"after":{"age":30,"pay":900,"illness":"flu","secret":false}}}`,
			`"30" "900" "flu" "false"`},
	} {
		d, err := NewDecoder(c.format, schema, DecodeOptions{})
		require.NoError(t, err)
		row := make(equivclass.Row, 4)
		require.Equal(t, Outcome{}, d.Decode([]byte(c.in), header, row), c.in)
		assert.Equal(t, c.want, show(row), c.in)
	}
	require.NoError(t, CheckHeader(schema, header))
	require.ErrorContains(t, CheckHeader(schema, header[1:]), `column "secret" is missing`)
}

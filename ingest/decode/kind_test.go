package decode

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestKinds: what a message does is told where somebody asks, also of one that is refused; an update is a record where updates are
// taken; the row of what is refused has the person and the key of the record.
func TestKinds(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "visit", Role: equivclass.RecordKey}, {Name: "person", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	const after = `{"visit":7,"person":"p","age":41,"illness":"flu"}`
	whole, known := "7 p 41 flu", "7 p - -"
	for _, x := range []struct {
		format  Format
		in      string
		refused Outcome // where updates are refused
		taken   Outcome
		row     string // where they are taken
	}{
		{Debezium, `{"op":"c","after":` + after + `}`, Outcome{}, Outcome{}, whole},
		{Debezium, `{"op":"u","after":` + after + `}`, Outcome{Reason: ReasonUnsupported, Kind: Updates}, Outcome{Kind: Updates}, whole},
		{Debezium, `{"op":"u","after":{"visit":7,"person":"p","age":[],"illness":"flu"}}`, Outcome{Reason: ReasonUnsupported, Kind: Updates},
			Outcome{Reason: ReasonNested, Attribute: "age", Kind: Updates}, known},
		{Debezium, `{"op":"u","after":{"visit":7,"person":"p","age":41,"illness":"\u0001"}}`, Outcome{Reason: ReasonUnsupported, Kind: Updates},
			Outcome{Reason: equivclass.ReasonControl, Attribute: "illness", Kind: Updates}, known},
		{Debezium, `{"op":"d","before":` + after + `}`, Outcome{Reason: ReasonUnsupported}, Outcome{Reason: ReasonUnsupported}, "- p - -"},
		{Debezium, `{"op":"u","after":`, Outcome{Reason: ReasonMalformedJSON, Kind: Unclear}, Outcome{Reason: ReasonMalformedJSON, Kind: Unclear},
			"- - - -"},
		{DebeziumFlat, `{"__op":"u","visit":7,"person":"p","age":41,"illness":"flu"}`, Outcome{Reason: ReasonUnsupported, Kind: Updates},
			Outcome{Kind: Updates}, whole},
		{JSON, after, Outcome{}, Outcome{}, whole},
		{JSON, `[`, Outcome{Reason: ReasonMalformedJSON, Kind: Unclear}, Outcome{Reason: ReasonMalformedJSON, Kind: Unclear}, "- - - -"},
	} {
		for _, updates := range []bool{false, true} {
			d, err := New(x.format, schema, Options{Kinds: true, Updates: updates})
			require.NoError(t, err)
			row, want := make(equivclass.Row, 4), x.refused
			got := d.Decode([]byte(x.in), nil, row)
			if updates {
				want = x.taken
				require.Equal(t, x.row, words(row), x.in)
			}
			require.Equal(t, want, got, x.in)
			d, err = New(x.format, schema, Options{})
			require.NoError(t, err)
			want = x.refused
			want.Kind = Inserts
			require.Equal(t, want, d.Decode([]byte(x.in), nil, row), "nobody asks: %s", x.in)
		}
	}
}

// words shows a row.
func words(row equivclass.Row) (out string) {
	for i, f := range row {
		if i > 0 {
			out += " "
		}
		if f == nil {
			f = []byte("-")
		}
		out += string(f)
	}
	return out
}

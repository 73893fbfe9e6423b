package decode

import (
	"bytes"
	stdjson "encoding/json"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"anond/equivclass"
	"anond/ingest/dialect"
)

// requireClean: whatever the bytes and the format, no accepted value holds what a
// release could not show, and each is its own normalization.
func requireClean(t *testing.T, schema *equivclass.Schema, row equivclass.Row) {
	t.Helper()
	for i, a := range schema.Attributes() {
		text := row[i]
		if text == nil {
			continue
		}
		require.NotEmpty(t, text, "an empty text is missing")
		require.Equal(t, bytes.TrimSpace(text), text, a.Name)
		if a.Type.Numeric() {
			continue // ParseNumber decides
		}
		require.True(t, utf8.Valid(text), a.Name)
		require.LessOrEqual(t, len(text), equivclass.DefaultMaxLength, a.Name)
		require.False(t, bytes.ContainsFunc(text, func(r rune) bool {
			return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
		}), a.Name)
		require.True(t, norm.NFC.IsNormal(text), a.Name)
		again, why := a.Clean(text)
		require.Equal(t, equivclass.Accepted, why, a.Name)
		require.Equal(t, text, again, a.Name)
	}
}

// FuzzJSON holds the decoder against encoding/json: what it accepts, the other
// accepts with the same values; what it calls malformed in valid UTF-8, the
// other refuses too, but for lone surrogates, which only we refuse.
func FuzzJSON(f *testing.F) {
	for _, in := range []string{`{"age":1,"sex":"f"}`, `{"age":1,"age":2}`, `{"sex":"\u00e9\"\\"}`,
		`{"age":null,"sex":"","x":{"y":[1e9,true]}}`, `[1]`, `{"age":{}}`, `{"sex":"\ud800"}`, "{\"sex\":\"\xff\"}", `{} {}`} {
		f.Add([]byte(in))
	}
	d := newDecoder(f, JSON, Options{})
	schema := testSchema(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		row := make(equivclass.Row, 9)
		got := d.Decode(slices.Clip(in), nil, row)
		var want map[string]stdjson.RawMessage
		err := stdjson.Unmarshal(in, &want)
		switch got.Reason {
		case equivclass.Accepted:
			require.NoError(t, err)
			requireClean(t, schema, row)
			for i, a := range schema.Attributes() {
				clean, why := a.Clean([]byte(jsonText(t, a, want[a.Name])))
				assert.Equal(t, equivclass.Accepted, why)
				assert.Equal(t, string(clean), string(row[i]), a.Name)
			}
		case equivclass.ReasonUTF8:
			assert.False(t, utf8.Valid(in))
		case equivclass.ReasonControl, equivclass.ReasonInvisible, equivclass.ReasonTooLong:
			assert.True(t, stdjson.Valid(in))
		case ReasonMalformedJSON:
			if in != nil && utf8.Valid(in) && !bytes.Contains(in, []byte(`\u`)) {
				assert.False(t, stdjson.Valid(in))
			}
		case ReasonDuplicate, ReasonTooLarge, ReasonUnsupported:
		case ReasonFramed:
			assert.False(t, stdjson.Valid(in))
		case ReasonNotAnObject, ReasonNested:
			assert.True(t, stdjson.Valid(in))
		default:
			t.Fatalf("unexpected reason %s", got.Reason)
		}
	})
}

// jsonText is what the decoder promises to make of a member, by encoding/json.
func jsonText(t *testing.T, a equivclass.Attribute, raw stdjson.RawMessage) string {
	if raw == nil || string(raw) == "null" || !needed(a.Role) {
		return ""
	}
	if raw[0] != '"' {
		return string(raw)
	}
	var s string
	require.NoError(t, stdjson.Unmarshal(raw, &s))
	return s
}

// FuzzCSV: whatever the bytes and the form, accepted values are what a release can show (the splitter is held against encoding/csv
// in csvfields).
func FuzzCSV(f *testing.F) {
	for _, in := range []string{"a,b", `"a","b""c"`, "\"a\nb\",c\r\n", `a"b`, `"a"b`, `"`, ",", "\r", "a\n\n"} {
		f.Add([]byte(in))
	}
	for _, text := range []string{" flu\u00a0", "e\u0301\u200d", "a\u2028b", "\xff", "a\x00", "a  b", "\u202e",
		"\U0001f469\u200d\U0001f4bb\ufe0f", "\u1100\u1161\u11a8"} {
		f.Add([]byte("N," + text + ",44,75.5,2022-01-08,1010,f,x," + text))
	}
	schema := testSchema(f)
	decoders := []Decoder{newDecoder(f, CSV, Options{}), newDecoder(f, CSV, Options{Multiline: true,
		Form:  dialect.Form{Delimiter: ';', Encoding: dialect.Windows1252, DecimalComma: true},
		Dates: map[string]dialect.DateForm{"admitted": {Format: "datetime", Precision: equivclass.Month}}})}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, d := range decoders {
			row := make(equivclass.Row, 9)
			d.Decode(slices.Clip(in), nil, row)
			requireClean(t, schema, row)
		}
	})
}

// FuzzDebezium checks that only an insert with a record is accepted, and that
// the record is what format json makes of it.
func FuzzDebezium(f *testing.F) {
	for _, in := range []string{`{"op":"c","after":{"age":1}}`, `{"payload":{"op":"r","after":{"sex":"f"}},"schema":{}}`,
		`{"op":"d","before":{}}`, `null`, `{"payload":null}`, `{"op":"c","after":{"admitted":12}}`} {
		f.Add([]byte(in))
	}
	d, plain := newDecoder(f, Debezium, Options{}), newDecoder(f, JSON, Options{})
	schema := testSchema(f)
	admitted := 4 // a date, which format debezium may rewrite
	f.Fuzz(func(t *testing.T, in []byte) {
		row, again := make(equivclass.Row, 9), make(equivclass.Row, 9)
		if !d.Decode(slices.Clip(in), nil, row).Accepted() {
			return
		}
		var event struct {
			Op, After, Payload stdjson.RawMessage
		}
		event.Op, event.After = member(t, in, "op"), member(t, in, "after")
		if payload := member(t, in, "payload"); event.Op == nil {
			event.Op, event.After = member(t, payload, "op"), member(t, payload, "after")
		}
		requireClean(t, schema, row)
		assert.Contains(t, []string{`"c"`, `"r"`}, string(event.Op))
		require.True(t, plain.Decode(event.After, nil, again).Accepted())
		row[admitted], again[admitted] = nil, nil
		assert.Equal(t, show(again), show(row))
	})
}

// member returns a member by its exact name, which struct fields would not.
func member(t *testing.T, in []byte, name string) stdjson.RawMessage {
	var m map[string]stdjson.RawMessage
	require.NoError(t, stdjson.Unmarshal(in, &m))
	return m[name]
}

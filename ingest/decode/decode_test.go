package decode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/dialect"
)

// testSchema has every role but semi, and nine attributes like the records of
// the benchmarks.
func testSchema(t testing.TB) *equivclass.Schema {
	t.Helper()
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
	return s
}

func newDecoder(t testing.TB, f Format, opts Options) Decoder {
	t.Helper()
	d, err := New(f, testSchema(t), opts)
	require.NoError(t, err)
	return d
}

// show writes a row so that a missing value differs from every text.
func show(row equivclass.Row) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = "-"
		if v != nil {
			parts[i] = fmt.Sprintf("%q", v)
		}
	}
	return strings.Join(parts, " ")
}

const allMissing = `- - - - - - - - -`

type decodeCase struct {
	name, in string
	row      string // of an accepted record
	want     Outcome
}

func runDecodeCases(t *testing.T, f Format, cases []decodeCase) {
	t.Helper()
	runDecodeCasesWith(t, f, Options{}, cases)
}

func runDecodeCasesWith(t *testing.T, f Format, o Options, cases []decodeCase) {
	t.Helper()
	d := newDecoder(t, f, o)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			row := make(equivclass.Row, 9)
			row[3] = []byte("left over")
			in := []byte(c.in)
			got := d.Decode(in, nil, row)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.in, string(in), "the message must not be changed")
			if c.row == "" {
				c.row, row[1] = allMissing, nil // of what is refused its person may stay: TestWhoseMessageIsRefused
			}
			assert.Equal(t, c.row, show(row))
		})
	}
}

func TestDecodeJSON(t *testing.T) {
	bad := Outcome{Reason: ReasonMalformedJSON}
	runDecodeCases(t, JSON, []decodeCase{
		{name: "texts, numbers and booleans become text", in: `{"patient":17,"age":"44","weight":7.50e1,"sex":true,"diagnosis":"flu"}`,
			row: `- "17" "44" "7.50e1" - - "true" - "flu"`},
		{name: "escapes", in: `{"\u0061ge":"4\u0034\n","sex":"\"\ud83d\ude00","diagnosis":"e\u0301"}`, row: `- - "44" - - - "\"😀" - "é"`},
		{name: "null, absent and empty text are missing", in: `{"age":null,"sex":"","diagnosis":"flu"}`, row: `- - - - - - - - "flu"`},
		{name: "identifier and dropped stay nil whatever they hold", in: `{"name":"N","note":{"a":[1]},"age":1}`,
			row: `- - "1" - - - - - -`},
		{name: "unknown members are skipped", in: ` {"zip":[{"age":9}],"age":1} `, row: `- - "1" - - - - - -`},
		{name: "names are compared byte for byte", in: `{"Age":1}`, row: allMissing},
		{name: "a number for a date stays as written", in: `{"admitted":19000}`, row: `- - - - "19000" - - - -`},
		{name: "empty object", in: `{}`, row: allMissing},
		{name: "nested object", in: `{"age":{"years":4},"sex":"f"}`, want: Outcome{Reason: ReasonNested, Attribute: "age"}},
		{name: "nested array", in: `{"sex":["f"]}`, want: Outcome{Reason: ReasonNested, Attribute: "sex"}},
		{name: "broken syntax outweighs nesting", in: `{"sex":["f"],}`, want: bad},
		{name: "duplicate member", in: `{"age":1,"age":1}`, want: Outcome{Reason: ReasonDuplicate}},
		{name: "duplicate by escape", in: `{"age":1,"\u0061ge":2}`, want: Outcome{Reason: ReasonDuplicate}},
		{name: "duplicate below an unknown member", in: `{"x":{"a":1,"a":2}}`, want: Outcome{Reason: ReasonDuplicate}},
		{name: "invalid UTF-8", in: "{\"sex\":\"\xff\"}", want: Outcome{Reason: equivclass.ReasonUTF8}},
		{name: "lone surrogate", in: `{"sex":"\ud800"}`, want: bad},
		{name: "invalid UTF-8 in a dropped value", in: "{\"note\":\"\xff\"}", want: Outcome{Reason: equivclass.ReasonUTF8}},
		{name: "trailing bytes", in: `{"age":1}x`, want: bad},
		{name: "second object", in: `{"age":1}{"age":1}`, want: bad},
		{name: "torn", in: `{"age":1,"sex":"f`, want: bad},
		{name: "leading zero", in: `{"age":01}`, want: bad},
		{name: "empty message", in: ``, want: bad},
		{name: "blank message", in: ` `, want: bad},
		{name: "array", in: `[{"age":1}]`, want: Outcome{Reason: ReasonNotAnObject}},
		{name: "torn array", in: `[{"age":1}`, want: bad},
		{name: "null text", in: `null`, want: Outcome{Reason: ReasonNotAnObject}},
		{name: "byte order mark", in: "\ufeff{}", want: bad},
	})
}

func TestDecodeDebezium(t *testing.T) {
	const rec = `{"age":44,"sex":"f","admitted":19000}`
	const row = `- - "44" - "2022-01-08" - "f" - -`
	unsupported, envelope := Outcome{Reason: ReasonUnsupported}, Outcome{Reason: ReasonEnvelope}
	runDecodeCases(t, Debezium, []decodeCase{
		{name: "create", in: `{"before":null,"after":` + rec + `,"op":"c","source":{"db":"h"}}`, row: row},
		{name: "snapshot read", in: `{"op":"r","after":` + rec + `}`, row: row},
		{name: "wrapped", in: `{"schema":{"type":"struct"},"payload":{"after":` + rec + `,"op":"c"}}`, row: row},
		{name: "a column called op", in: `{"after":{"op":"u","age":1},"op":"c"}`, row: `- - "1" - - - - - -`},
		{name: "dates out of range stay numbers", in: `{"after":{"admitted":1641600000000},"op":"c"}`,
			row: `- - - - "1641600000000" - - - -`},
		{name: "first and last day", in: `{"after":{"admitted":-719528,"sex":2932896},"op":"c"}`,
			row: `- - - - "0000-01-01" - "2932896" - -`},
		{name: "update", in: `{"before":` + rec + `,"after":` + rec + `,"op":"u"}`, want: unsupported},
		{name: "delete", in: `{"before":` + rec + `,"after":null,"op":"d"}`, want: unsupported},
		{name: "truncate", in: `{"op":"t"}`, want: unsupported},
		{name: "unknown operation", in: `{"op":"m"}`, want: unsupported},
		{name: "an update is refused as such whatever it holds", in: `{"after":{"age":[1]},"op":"u"}`, want: unsupported},
		{name: "null payload", in: `{"schema":null,"payload":null}`, want: unsupported},
		{name: "null text", in: `null`, want: unsupported},
		{name: "nested value", in: `{"after":{"age":[1]},"op":"c"}`, want: Outcome{Reason: ReasonNested, Attribute: "age"}},
		{name: "flat", in: rec, want: envelope},
		{name: "create without after", in: `{"op":"c"}`, want: envelope},
		{name: "create with null after", in: `{"op":"c","after":null}`, want: envelope},
		{name: "after is a text", in: `{"op":"c","after":"x"}`, want: envelope},
		{name: "op is a number", in: `{"op":1,"after":{}}`, want: envelope},
		{name: "said twice", in: `{"op":"c","after":{},"payload":{"op":"c","after":{}}}`, want: envelope},
		{name: "op said twice", in: `{"op":"c","payload":{"op":"c","after":{}}}`, want: envelope},
		{name: "after said twice", in: `{"after":{},"payload":{"op":"c","after":{}}}`, want: envelope},
		{name: "payload is a text", in: `{"payload":"x"}`, want: envelope},
		{name: "payload in payload", in: `{"payload":{"payload":{"op":"c","after":{}}}}`, want: envelope},
		{name: "array", in: `[]`, want: Outcome{Reason: ReasonNotAnObject}},
		{name: "torn", in: `{"op":"c","after":{"age":1}`, want: Outcome{Reason: ReasonMalformedJSON}},
		{name: "duplicate", in: `{"op":"c","op":"c"}`, want: Outcome{Reason: ReasonDuplicate}},
	})
}

func TestDecodeCSVWithoutHeader(t *testing.T) {
	bad, count, unclosed := Outcome{Reason: ReasonMalformedCSV}, Outcome{Reason: ReasonFieldCount}, Outcome{Reason: ReasonUnclosedQuote}
	runDecodeCases(t, CSV, []decodeCase{
		{name: "schema order", in: `N,17,44,75.5,2022-01-08,1010,f,x,flu`, row: `- "17" "44" "75.5" "2022-01-08" "1010" "f" - "flu"`},
		{name: "line breaks at the end", in: "N,17,44,,,,,,flu\r\n", row: `- "17" "44" - - - - - "flu"`},
		{name: "quotes", in: "\"N,\",\"1\"\"7\",\"\"\"\"\"\",\"a,b\",,,,,\"\"", row: `- "1\"7" "\"\"" "a,b" - - - - -`},
		{name: "spaces around a value", in: ` , 17, ,,,,,,"flu "`, row: `- "17" - - - - - - "flu"`},
		{name: "a quote after a space", in: `N, "17",44,,,,,,flu`, want: bad},
		{name: "line break in quotes", in: "N,17,44,\"1\n2\",,,,,flu", want: unclosed},
		{name: "CRLF in quotes", in: "N,17,44,\"1\r\n2\",,,,,flu", want: unclosed},
		{name: "line break in a dropped field", in: "N,17,44,,,,,\"a\nb\",flu", want: unclosed},
		{name: "line break after a doubled quote", in: "N,17,44,,,,,\"a\"\"\nb\",flu", want: unclosed},
		{name: "invalid UTF-8 in a value", in: "N,17,44,,,,,,\xff", want: Outcome{Reason: equivclass.ReasonUTF8, Attribute: "diagnosis"}},
		{name: "a dropped field may hold anything", in: "N\x00,17,44,,,,,\"\xff\",flu", row: `- "17" "44" - - - - - "flu"`},
		{name: "too few", in: `17,44`, want: count},
		{name: "too many", in: `N,17,44,,,,,,flu,`, want: count},
		{name: "empty", in: ``, want: count},
		{name: "quote inside a field", in: `N,1"7,44,,,,,,flu`, want: bad},
		{name: "text after a closing quote", in: `N,"17"x,44,,,,,,flu`, want: bad},
		{name: "open quote", in: `N,17,44,,,,,,"flu`, want: unclosed},
		{name: "two lines", in: "N,17,44,,,,,,flu\nN,17,44,,,,,,flu", want: bad},
		{name: "carriage return outside quotes", in: "N,1\r7,44,,,,,,flu", want: bad},
	})
}

func TestDecodeCSVWithMultilineFields(t *testing.T) {
	runDecodeCasesWith(t, CSV, Options{Multiline: true}, []decodeCase{
		{name: "quotes", in: "\"N,\",\"1\"\"7\",\"\"\"\"\"\",\"a,\nb\r\nc\",,,,,\"\"", row: `- "1\"7" "\"\"" "a,\nb\r\nc" - - - - -`},
		{name: "open quote", in: "N,17,44,,,,,,\"flu\n", want: Outcome{Reason: ReasonUnclosedQuote}},
		{name: "line break outside quotes", in: "N,17,44,,,,,,flu\nN", want: Outcome{Reason: ReasonMalformedCSV}},
	})
}

func TestDecodeCSVByHeader(t *testing.T) {
	d := newDecoder(t, CSV, Options{})
	row := make(equivclass.Row, 9)
	header := []string{"diagnosis", "note", "sex", "postcode", "admitted", "weight", "age", "patient"}
	require.True(t, d.Decode([]byte("flu,x,f,1010,,75,44,17"), header, row).Accepted())
	assert.Equal(t, `- "17" "44" "75" - "1010" "f" - "flu"`, show(row))
	assert.Equal(t, Outcome{Reason: ReasonFieldCount}, d.Decode([]byte("flu,x"), header, row))
	assert.Equal(t, Outcome{Reason: ReasonHeader}, d.Decode([]byte("flu,x"), []string{"diagnosis", "x"}, row))
	require.True(t, d.Decode([]byte("N,17,44,75,,1010,f,x,flu"), nil, row).Accepted(), "back to the schema's order")
	assert.Equal(t, `- "17" "44" "75" - "1010" "f" - "flu"`, show(row))
}

func TestTombstonesAndIgnoredReasons(t *testing.T) {
	row := make(equivclass.Row, 9)
	update := []byte(`{"op":"u"}`)
	for _, c := range []struct {
		ignore            []equivclass.Reason
		tombstone, update Outcome
	}{
		{nil, Outcome{Reason: ReasonUnsupported}, Outcome{Reason: ReasonUnsupported}},
		{[]equivclass.Reason{ReasonTombstone}, Outcome{Reason: ReasonTombstone, Ignored: true}, Outcome{Reason: ReasonUnsupported}},
		{[]equivclass.Reason{ReasonUnsupported}, Outcome{Reason: ReasonUnsupported, Ignored: true},
			Outcome{Reason: ReasonUnsupported, Ignored: true}},
	} {
		d := newDecoder(t, Debezium, Options{Ignore: c.ignore})
		assert.Equal(t, c.tombstone, d.Decode(nil, nil, row))
		assert.Equal(t, c.update, d.Decode(update, nil, row))
	}
	for _, f := range []Format{JSON, CSV} {
		assert.Equal(t, Outcome{Reason: ReasonUnsupported}, newDecoder(t, f, Options{}).Decode(nil, nil, row), f)
	}
}

func TestSizeLimit(t *testing.T) {
	row := make(equivclass.Row, 9)
	for f, in := range map[Format]string{JSON: `{"age":1}`, CSV: `,,1,,,,,,`, Debezium: `{"op":"r","after":{"age":1}}`} {
		assert.True(t, newDecoder(t, f, Options{MaxBytes: len(in)}).Decode([]byte(in), nil, row).Accepted(), f)
		assert.Equal(t, Outcome{Reason: ReasonTooLarge},
			newDecoder(t, f, Options{MaxBytes: len(in) - 1}).Decode([]byte(in), nil, row), f)
		assert.Equal(t, Outcome{Reason: ReasonTooLarge},
			newDecoder(t, f, Options{}).Decode(make([]byte, DefaultMaxBytes+1), nil, row), f)
	}
}

func TestNewDecoderRefuses(t *testing.T) {
	_, err := New("xml", testSchema(t), Options{})
	assert.ErrorIs(t, err, errUnknownFormat)
	_, err = New(JSON, testSchema(t), Options{MaxBytes: -1})
	assert.Error(t, err)
}

func TestCheckHeader(t *testing.T) {
	s := testSchema(t)
	good := []string{"patient", "age", "weight", "admitted", "postcode", "sex", "diagnosis"}
	with := func(more ...string) []string { return append(append([]string{}, good...), more...) }
	require.NoError(t, CheckHeader(s, good, false), "identifier and dropped attributes may be absent")
	require.NoError(t, CheckHeader(s, with("note", "name"), false))
	require.NoError(t, CheckHeader(s, with("zip", "zip"), true), "others are dropped")
	require.Error(t, CheckHeader(s, append([]string{"Patient"}, good[1:]...), true), "a misspelt name is missing all the same")
	for _, c := range []struct {
		name   string
		header []string
		want   []string
	}{
		{"unknown", with("zip"), []string{`column 8, "zip", is not in the schema`, "role drop"}},
		{"near miss", append([]string{"Patient"}, good[1:]...), []string{`column 1 is "Patient", the schema has "patient"`,
			`column "patient" is missing`}},
		{"missing", good[1:], []string{`column "patient" is missing: add it`}},
		{"twice", with("age"), []string{`column 8 repeats the name "age"`}},
		{"all at once", with("zip", "age"), []string{`"zip"`, `"age"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h *HeaderError
			require.ErrorAs(t, CheckHeader(s, c.header, false), &h)
			for _, w := range c.want {
				assert.Contains(t, h.Error(), w)
			}
		})
	}
}

// canary stands for a person's value: it must appear in no error and no outcome
// (rule V: no value is shown).
const canary = "CANARY-7731"

func TestRuleVNoDecoderSpeaksValues(t *testing.T) {
	s := testSchema(t)
	headerless := CheckHeader(s, strings.Split(canary+",17,44,75,2022-01-08,1010,f,x,"+canary, ","), false)
	require.Error(t, headerless)
	assert.NotContains(t, headerless.Error(), canary, "the first record of a file without header")
	_, err := ParseHeader([]byte(`x"`+canary), dialect.Form{})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), canary)

	inputs := []string{canary, `"` + canary, `{"age":"` + canary, `{"age":["` + canary + `"]}`, `{"` + canary + `":1,"` + canary + `":1}`,
		`{"age":"` + canary + `\ud800"}`, `["` + canary + `"]`, `{"op":"` + canary + `","age":[]}`,
		`{"op":"c","after":"` + canary + `","age":[]}`, canary + `,"` + canary + `"x`}
	row := make(equivclass.Row, 9)
	for _, f := range []Format{JSON, CSV, Debezium} {
		d := newDecoder(t, f, Options{})
		for _, in := range inputs {
			o := d.Decode([]byte(in), nil, row)
			require.False(t, o.Accepted(), "%s %s", f, in)
			assert.NotContains(t, fmt.Sprintf("%+v", o), canary, "%s %s", f, in)
			assert.Equal(t, allMissing, show(row), "a refused record leaves nothing behind")
		}
	}
}

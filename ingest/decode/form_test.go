package decode

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/dialect"
)

func TestCSVIsReadInItsForm(t *testing.T) {
	d := newDecoder(t, CSV, Options{Form: dialect.Form{Delimiter: ';', Encoding: dialect.Windows1252, DecimalComma: true},
		Dates: map[string]dialect.DateForm{"admitted": {Format: "%d.%m.%Y %H:%M"}}})
	row := make(equivclass.Row, 9)
	decode := func(in string) Outcome { return d.Decode([]byte(in), nil, row) }
	assert.True(t, decode("N;p1;44;75,5;08.01.2022 23:59;1010;f;x;\"G\xfcrtel;rose\"").Accepted())
	assert.Equal(t, `- "p1" "44" "75.5" "2022-01-08" "1010" "f" - "Gürtel;rose"`, show(row))
	for in, want := range map[string]Outcome{
		"N;p1;44;1.075,5;08.01.2022 23:59;1010;f;x;a":   {Reason: equivclass.ReasonNumber, Attribute: "weight"},
		"N;p1;44;75,5;2022-01-08;1010;f;x;a":            {Reason: equivclass.ReasonDate, Attribute: "admitted"},
		"N;p1;44;75,5;08.01.2022 23:59;1010;f;x;a\x81b": {Reason: ReasonEncoding},
		"N,p1,44,75.5,08.01.2022 23:59,1010,f,x,a":      {Reason: ReasonFieldCount},
	} {
		assert.Equal(t, want, decode(in), in)
	}
	decode("N;p1;44;75,5;08.01.2022 23:59;1010;f;x;a\x81b")
	assert.Equal(t, `- "p1" - - - - - - -`, show(row), "the person is known, and so barred")
	decode("N;p\x81;44;75,5;08.01.2022 23:59;1010;f;x;a")
	assert.Equal(t, allMissing, show(row))
}

// A placeholder that is declared as missing is taken as it is, however dates and numbers are written.
func TestMissingValuesAreNotOfTheForm(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "born", Role: equivclass.Quasi, Type: equivclass.Date, MissingValues: []string{"00.00.0000", "9999-12-31"},
			Precision: equivclass.Year},
		{Name: "pay", Role: equivclass.Quasi, Type: equivclass.Integer, MissingValues: []string{"n.a.", "none"}},
		{Name: "dx", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.MissingValue)
	assert.NoError(t, err)
	opts := Options{Form: dialect.Form{DecimalComma: true}, Dates: map[string]dialect.DateForm{"born": {Precision: equivclass.Year}}}
	row := make(equivclass.Row, 3)
	table := equivclass.NewTable(schema.Attributes())
	for format, lines := range map[Format][]string{CSV: {"00.00.0000,n.a.,a", "9999-12-31,,a"}, Debezium: {
		`{"op":"c","after":{"born":"9999-12-31","pay":"none","dx":"a"}}`}} {
		d, err := New(format, schema, opts)
		assert.NoError(t, err)
		for _, line := range lines {
			assert.Equal(t, Outcome{}, d.Decode([]byte(line), nil, row), line)
			why, attribute := table.Append(row)
			assert.Equal(t, equivclass.Accepted, why, "%s of %s", line, attribute)
		}
	}
	for i := range 2 {
		assert.Equal(t, []equivclass.Code{table.Codes[i][0], table.Codes[i][0], table.Codes[i][0]}, table.Codes[i], "all are missing")
	}
}

func TestWhatDebeziumDidNotSendIsNoValue(t *testing.T) {
	row := make(equivclass.Row, 9)
	event := `{"op":"c","after":{"patient":"p1","age":%s,"weight":%s,"admitted":%s,"postcode":"1010","sex":"f","diagnosis":%s}}`
	for _, x := range []struct {
		age, weight, admitted, diagnosis string
		want                             Outcome
	}{
		{`44`, `"75.5"`, `18000`, `"flu"`, Outcome{}},
		{`44`, `75.5`, `18000`, `"__debezium_unavailable_value"`, Outcome{Reason: ReasonUnavailable, Attribute: "diagnosis"}},
		{`44`, `"__debezium_unavailable_value"`, `18000`, `"flu"`, Outcome{Reason: ReasonUnavailable, Attribute: "weight"}},
		{`44`, `"AfQ="`, `18000`, `"flu"`, Outcome{Reason: ReasonEncoded, Attribute: "weight"}},
		{`44`, `"1fQ="`, `18000`, `"flu"`, Outcome{Reason: ReasonEncoded, Attribute: "weight"}},
	} {
		for format, in := range map[Format]string{Debezium: event,
			DebeziumFlat: `{"op":"c","patient":"p1","age":%s,"weight":%s,"admitted":%s,"postcode":"1010","sex":"f","diagnosis":%s}`} {
			in := fmt.Sprintf(in, x.age, x.weight, x.admitted, x.diagnosis)
			assert.Equal(t, x.want, newDecoder(t, format, Options{}).Decode([]byte(in), nil, row), in)
		}
	}
	d := newDecoder(t, Debezium, Options{Dates: map[string]dialect.DateForm{"admitted": {Format: "epoch_millis"}}})
	assert.Equal(t, Outcome{}, d.Decode(fmt.Appendf(nil, event, "44", "75.5", "1641600000000", `"flu"`), nil, row))
	assert.Equal(t, "2022-01-08", string(row[4]))
}

func TestMessagesOfASchemaRegistryHaveAReasonOfTheirOwn(t *testing.T) {
	row := make(equivclass.Row, 9)
	for _, format := range []Format{JSON, Debezium, DebeziumFlat} {
		for _, in := range []string{"\x00\x00\x00\x00\x01" + benchJSON, "\x00\x00\x00\x00\x0a\x02\x06flu", "\x00\x00\x00\x00\x07\x00\x08\x02a"} {
			assert.Equal(t, Outcome{Reason: ReasonFramed}, newDecoder(t, format, Options{}).Decode([]byte(in), nil, row), "%s %q", format, in)
		}
	}
}

func TestAnEnvelopeUnderJSONIsSuspected(t *testing.T) {
	var told []string
	d := newDecoder(t, JSON, Options{Suspect: func(member string) { told = append(told, member) }})
	row := make(equivclass.Row, 9)
	d.Decode([]byte(`{"before":null,"after":{"patient":"p1"},"op":"c"}`), nil, row)
	d.Decode([]byte(`{"patient":"p1","after":"noon"}`), nil, row)
	assert.Equal(t, []string{"after", "op"}, told)
}

// TestRuleBRecordsOfSensitiveValuesAlone: whether they are missing, which makes the row blank where it stands in a file, or there, such a
// record is never one of the dataset. Any other text in its row makes it one.
// Mutation: it is accepted.
func TestRuleBRecordsOfSensitiveValuesAlone(t *testing.T) {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "note", Role: equivclass.Drop},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "sex", Role: equivclass.Quasi, Type: equivclass.Categorical},
	}, equivclass.MissingValue)
	require.NoError(t, err)
	d, err := New(CSV, s, Options{})
	require.NoError(t, err)
	nobody := Outcome{Reason: equivclass.ReasonMissing, Attribute: "age"}
	for in, want := range map[string]Outcome{",,,": nobody, ",,flu,": nobody, `"",,"flu",""`: nobody, ",,[flu,": nobody,
		"x,,,": {}, "x,,flu,": {}, ",44,,": {}, ",,flu,f": {}} {
		assert.Equal(t, want, d.Decode([]byte(in), nil, make(equivclass.Row, 4)), in)
	}
}

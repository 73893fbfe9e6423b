package decode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestWhoseMessageIsRefused: of a message that is refused as a whole, or for its sensitive value, the decoder says whose it
// is where that can be read, as records of the person have it. Empty: it cannot.
func TestWhoseMessageIsRefused(t *testing.T) {
	front := []string{"patient", "age", "weight", "admitted", "postcode", "sex", "diagnosis"}
	behind := []string{"age", "weight", "admitted", "postcode", "sex", "diagnosis", "patient"}
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		name, in string
		format   Format
		header   []string
		reason   equivclass.Reason
		person   string
	}{
		{"CSV, a comma in the value", ` 17 ,44,,,,f,flu, severe`, CSV, front, ReasonFieldCount, "17"},
		{"CSV, a quote in the value", `17,44,,,,f,5" wound`, CSV, front, ReasonMalformedCSV, "17"},
		{"CSV, a line break in the value", "17,44,,,,f,\"a\nb\"", CSV, front, ReasonUnclosedQuote, "17"},
		{"CSV, a long value", `17,44,,,,f,` + long, CSV, front, ReasonTooLarge, "17"},
		{"CSV, behind a value with a comma", `44,,,,f,flu, severe,17`, CSV, behind, ReasonFieldCount, "17"},
		{"CSV, behind a value with a quote", `44,,,,f,5" wound,17`, CSV, behind, ReasonMalformedCSV, ""},
		{"CSV, behind a long value", `44,,,,f,` + long + `,17`, CSV, behind, ReasonTooLarge, "17"},
		{"CSV, no fields at all", ``, CSV, behind, ReasonFieldCount, ""},
		{"CSV, of another header", `17,44`, CSV, []string{"age", "x"}, ReasonHeader, ""},
		{"CSV, a value that is no text", "17,44,,,,f,\xff", CSV, front, equivclass.ReasonUTF8, "17"},
		{"CSV, a person who is no text", "1\xff7,44,,,,f,\xff", CSV, front, equivclass.ReasonUTF8, ""},
		{"JSON, an object for the value", `{"diagnosis":{"code":"flu"},"patient":17}`, JSON, nil, ReasonNested, "17"},
		{"JSON, broken behind the person", `{"patient":17,"diagnosis":"5" wound"}`, JSON, nil, ReasonMalformedJSON, "17"},
		{"JSON, broken before the person", `{"diagnosis":"5" wound","patient":17}`, JSON, nil, ReasonMalformedJSON, ""},
		{"JSON, two values", `{"patient":17,"diagnosis":"a","diagnosis":"b"}`, JSON, nil, ReasonDuplicate, "17"},
		{"JSON, a long value", `{"patient":17,"diagnosis":"` + long + `"}`, JSON, nil, ReasonTooLarge, "17"},
		{"JSON, a value that is no text", "{\"patient\":17,\"diagnosis\":\"\xff\"}", JSON, nil, equivclass.ReasonUTF8, "17"},
		{"Debezium, an object for the value", `{"op":"c","after":{"diagnosis":[1],"patient":17}}`, Debezium, nil, ReasonNested, "17"},
		{"Debezium, broken behind the person", `{"op":"c","after":{"patient":17,"diagnosis":x}}`, Debezium, nil, ReasonMalformedJSON, "17"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDecoder(t, c.format, Options{MaxBytes: 200})
			row := make(equivclass.Row, 9)
			row[3] = []byte("left over")
			require.Equal(t, c.reason, d.Decode([]byte(c.in), c.header, row).Reason)
			assert.Equal(t, c.person, string(row[1]))
			row[1] = nil
			assert.Equal(t, allMissing, show(row))
			if c.reason != ReasonTooLarge {
				return
			}
			require.Equal(t, c.reason, d.TooLarge([]byte(c.in[:201]), c.header, row).Reason)
			cut := c.person
			if strings.HasSuffix(c.in, c.person) {
				cut = ""
			}
			assert.Equal(t, cut, string(row[1]))
		})
	}
}

// TestWhatIsKnownIsJudgedFirst: of two values of the wrong shape that one is named whose attribute is judged first, wherever
// it stands, and in front of the sensitive one a value that is no text. So who has both faults may come again,
// whatever the sensitive value was.
func TestWhatIsKnownIsJudgedFirst(t *testing.T) {
	d := newDecoder(t, JSON, Options{})
	for _, in := range []string{`{"diagnosis":[1],"sex":[2],"patient":17}`, `{"sex":[2],"diagnosis":[1]}`} {
		assert.Equal(t, Outcome{Reason: ReasonNested, Attribute: "sex"}, d.Decode([]byte(in), nil, make(equivclass.Row, 9)), in)
	}
	in := `{"diagnosis":[1],"sex":"` + strings.Repeat("x", 2000) + `"}`
	assert.Equal(t, Outcome{Reason: equivclass.ReasonTooLong, Attribute: "sex"}, d.Decode([]byte(in), nil, make(equivclass.Row, 9)))
}

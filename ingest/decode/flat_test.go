package decode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/decode"
)

func flatSchema(t *testing.T) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "id", Role: equivclass.Subject},
		{Name: "born", Role: equivclass.Quasi, Type: equivclass.Date},
		{Name: "dx", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// TestFlatChangeEvents: the operation decides, wherever the transform puts it.
func TestFlatChangeEvents(t *testing.T) {
	const row = `"id":"a","born":3,"dx":"flu"`
	accepted, unsupported, envelope := equivclass.Accepted, decode.ReasonUnsupported, decode.ReasonEnvelope
	for text, want := range map[string]struct {
		why    equivclass.Reason
		delete bool // where deletes are taken
	}{
		`{` + row + `,"__op":"c","__deleted":"false"}`:                    {accepted, false},
		`{"op":"r",` + row + `}`:                                          {accepted, false},
		`{"schema":{"type":"struct"},"payload":{` + row + `,"__op":"c"}}`: {accepted, false},
		`{` + row + `,"__op":"c","op":"appendectomy"}`:                    {envelope, false}, // declare op with role drop
		`{` + row + `,"__op":"u","__deleted":"false"}`:                    {unsupported, false},
		`{` + row + `,"__op":"d","__deleted":"true"}`:                     {unsupported, true},
		`{` + row + `,"__deleted":true}`:                                  {unsupported, true},
		`{"id":"a","op":"d"}`:                                             {unsupported, true},
		`{` + row + `,"__op":"t"}`:                                        {unsupported, false},
		`{` + row + `,"__op":"c","__deleted":"true"}`:                     {unsupported, true},
		`{` + row + `}`:                                                   {envelope, false},
		`{` + row + `,"__deleted":"false"}`:                               {envelope, false},
		`{` + row + `,"__op":null}`:                                       {envelope, false},
		`{"schema":{},"payload":null}`:                                    {unsupported, false}, // a tombstone
		`{"id":"a","born":"x","dx":["flu"],"__op":"c"}`:                   {decode.ReasonNested, false},
		`{"id":"a","id":"b","__op":"c"}`:                                  {decode.ReasonDuplicate, false},
		`[1]`:                                                             {decode.ReasonNotAnObject, false},
		`{` + row + `,"__op":"c"} x`:                                      {decode.ReasonMalformedJSON, false},
	} {
		for _, deletes := range []bool{false, true} {
			d, err := decode.New(decode.DebeziumFlat, flatSchema(t), decode.Options{Deletes: deletes})
			require.NoError(t, err)
			got := make(equivclass.Row, 3)
			o := d.Decode([]byte(text), nil, got)
			if deletes && want.delete {
				require.Equal(t, decode.Outcome{Delete: true}, o, text)
				require.Equal(t, equivclass.Row{[]byte("a"), nil, nil}, got, text)
				continue
			}
			require.Equal(t, want.why, o.Reason, text)
			require.False(t, o.Delete, text)
			if o.Accepted() {
				require.Equal(t, equivclass.Row{[]byte("a"), []byte("1970-01-04"), []byte("flu")}, got, text)
			}
		}
	}
}

// TestPlainRecordsThatAreChangeEvents are told of, and others are not: also with a member of that name.
func TestPlainRecordsThatAreChangeEvents(t *testing.T) {
	for text, want := range map[string]string{`{"id":"a","__op":"c"}`: "__op", `{"__deleted":false}`: "__deleted", `{"op":"u"}`: "op",
		`{"id":"a","op":"appendectomy"}`: "", `{"x":{"op":"c"}}`: "", `{"id":"a"}`: ""} {
		told := ""
		d, err := decode.New(decode.JSON, flatSchema(t), decode.Options{Suspect: func(member string) { told = member }})
		require.NoError(t, err)
		d.Decode([]byte(text), nil, make(equivclass.Row, 3))
		require.Equal(t, want, told, text)
	}
}

package decode_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/decode"
)

// subjectOf is the subject that a decoder reads in a JSON text.
func subjectIn(t *testing.T, d decode.Decoder, text string) string {
	row := make(equivclass.Row, 3)
	o := d.Decode(fmt.Appendf(nil, `{"id":%s,"born":"2000-01-01","dx":"flu"}`, text), nil, row)
	require.True(t, o.Accepted(), text)
	return string(row[0])
}

// TestSubjectsOfOneNumberAreOnePerson: however an integer is written as a number, it is one subject, and the same as the text of
// its digits; every other number and text is one of its own.
func TestSubjectsOfOneNumberAreOnePerson(t *testing.T) {
	d, err := decode.New(decode.JSON, flatSchema(t), decode.Options{})
	require.NoError(t, err)
	subject := map[string]string{} // by rational number
	numbers := 0
	for _, sign := range []string{"", "-"} {
		for _, whole := range []string{"0", "7", "70", "700", "12"} {
			for _, part := range []string{"", ".0", ".00", ".5", ".50", ".07"} {
				for _, exponent := range []string{"", "e0", "E+1", "e-1", "e2", "E-2", "e07"} {
					text := sign + whole + part + exponent
					r, ok := new(big.Rat).SetString(text)
					require.True(t, ok, text)
					got := subjectIn(t, d, text)
					if !r.IsInt() {
						require.Equal(t, text, got)
						continue
					}
					numbers++
					require.Equal(t, r.Num().String(), got, text)
					require.Equal(t, got, subjectIn(t, d, `"`+got+`"`), "as text")
					if before, known := subject[r.String()]; known {
						require.Equal(t, before, got, text)
					}
					subject[r.String()] = got
				}
			}
		}
	}
	require.Greater(t, numbers, 200)
	long := "1" + strings.Repeat("0", 99)
	for text, want := range map[string]string{`"7.0"`: "7.0", `"007"`: "007", `"7e0"`: "7e0", `"+7"`: "+7", "0e99999999999999999999": "0",
		"1e99": long, "1e100": "1e100", "1e99999999999999999999": "1e99999999999999999999", "true": "true",
		"12345678901234567890123.0": "12345678901234567890123"} {
		require.Equal(t, want, subjectIn(t, d, text))
	}
}

// TestKeysOfDeletesHaveTheFormOfSubjects.
func TestKeysOfDeletesHaveTheFormOfSubjects(t *testing.T) {
	for key, want := range map[string]string{`7.0`: "7", `"7.0"`: "7.0", `{"id":7.0}`: "7", `{"payload":{"id":70e-1}}`: "7", `7`: "7",
		`x7.0`: "x7.0"} {
		for _, format := range []decode.Format{decode.JSON, decode.DebeziumFlat} {
			if key == "x7.0" && format != decode.JSON {
				continue
			}
			d, err := decode.New(format, flatSchema(t), decode.Options{Deletes: true})
			require.NoError(t, err)
			row := make(equivclass.Row, 3)
			require.Equal(t, decode.Outcome{Delete: true}, d.DecodeKeyed([]byte(key), nil, nil, row), key)
			require.Equal(t, want, string(row[0]), key)
		}
	}
	d, err := decode.New(decode.CSV, flatSchema(t), decode.Options{Deletes: true})
	require.NoError(t, err)
	row := make(equivclass.Row, 3)
	d.DecodeKeyed([]byte("7.0"), nil, nil, row)
	require.Equal(t, "7.0", string(row[0]), "all of CSV is text")
}

package csvfields_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/csvfields"
)

func texts(fields [][]byte) (out []string) {
	for _, f := range fields {
		out = append(out, string(f))
	}
	return out
}

func TestARecordIsSplitAtItsDelimiter(t *testing.T) {
	for _, x := range []struct {
		delimiter byte
		line      string
		want      []string
	}{
		{0, "a,b;c\r\n", []string{"a", "b;c"}},
		{';', "a,b;c", []string{"a,b", "c"}},
		{';', `"a;b";"he said ""no"""` + "\n", []string{"a;b", `he said "no"`}},
		{'\t', "a\t\tb", []string{"a", "", "b"}},
		{'|', "", []string{""}},
	} {
		s := csvfields.Splitter{Delimiter: x.delimiter}
		got, why := s.Fields([]byte(x.line))
		assert.Equal(t, csvfields.None, why, "%q", x.line)
		assert.Equal(t, x.want, texts(got), "%q", x.line)
	}
}

func TestWhatIsNoRecordIsAFault(t *testing.T) {
	for line, want := range map[string]csvfields.Fault{`a"b,c`: csvfields.Malformed, `"a"b,c`: csvfields.Malformed,
		"a\rb": csvfields.Malformed,
		`"a,b`: csvfields.Unclosed, "\"a\nb\"": csvfields.Unclosed} {
		_, why := new(csvfields.Splitter).Fields([]byte(line))
		assert.Equal(t, want, why, "%q", line)
	}
}

func TestAppendedFieldsAreReadAsTheyWere(t *testing.T) {
	for _, fields := range [][]string{{"a", "b"}, {`"`, "a;b", ""}, {`x"y`, ";", `;"`}} {
		var line []byte
		for i, f := range fields {
			if i > 0 {
				line = append(line, ';')
			}
			line = csvfields.Append(line, f, ';')
		}
		got, why := (&csvfields.Splitter{Delimiter: ';'}).Fields(line)
		assert.Equal(t, csvfields.None, why)
		assert.Equal(t, fields, texts(got))
	}
}

// FuzzFields: what encoding/csv takes as one record of one line is split alike, whatever the delimiter, and a record that Record
// finds is one that Fields takes, with as many fields.
func FuzzFields(f *testing.F) {
	f.Add([]byte("a,\"b\nc\",d\n"), byte(','))
	f.Add([]byte(`"a;""b""";c`), byte(';'))
	f.Add([]byte("\"\r\n\"\t\"\"\r\nx"), byte('\t'))
	f.Fuzz(func(t *testing.T, text []byte, delimiter byte) {
		if !bytes.Contains([]byte(",;\t|"), []byte{delimiter}) {
			return
		}
		s := csvfields.Splitter{Delimiter: delimiter, Multiline: true}
		end, fields, what := s.Record(text, true)
		if what != csvfields.None {
			return
		}
		record := text[:end]
		got, why := s.Fields(bytes.TrimSuffix(record, []byte("\r")))
		require.Equal(t, csvfields.None, why)
		require.Len(t, got, fields)
		r := csv.NewReader(bytes.NewReader(append(bytes.Clone(record), '\n')))
		r.Comma, r.FieldsPerRecord = rune(delimiter), -1
		if want, err := r.Read(); err == nil && !bytes.Contains(record, []byte("\r")) && len(bytes.TrimSpace(record)) > 0 {
			require.Equal(t, strings.Join(want, "\x00"), string(bytes.Join(got, []byte{0})))
		}
	})
}

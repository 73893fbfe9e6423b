package audit

import (
	"bytes"
	"encoding/csv"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCSV holds the reader against encoding/csv: what ours accepts, the standard
// one reads alike (it is laxer: it skips blank lines and takes CRLF).
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\n\"x,\"\"y\"\"\n\"\n", "a,b\n\"1\n2\",\n", "\n\n", "a,b\n1\n", "a\n\"x\"y\n", "a",
		"\"a\",b\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, header, err := newCSV("x.csv", data)
		checkError(t, data, err)
		if err != nil {
			return
		}
		rows := [][]string{header}
		for {
			ok, err := r.next()
			checkError(t, data, err)
			if err != nil {
				return
			}
			if !ok {
				break
			}
			var row []string
			for _, x := range r.fields {
				row = append(row, string(x))
			}
			rows = append(rows, row)
		}
		if bytes.Contains(data, []byte("\r")) || bytes.HasPrefix(data, []byte("\n")) || bytes.Contains(data, []byte("\n\n")) {
			return
		}
		std := csv.NewReader(bytes.NewReader(data))
		var want [][]string
		for {
			row, err := std.Read()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			want = append(want, row)
		}
		require.Equal(t, want, rows)
	})
}

package audit

import (
	"bytes"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// FuzzCSV holds the reader against encoding/csv: what ours accepts, the standard
// one reads alike (it is laxer: it skips blank lines and takes CRLF).
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\n\"x,\"\"y\"\"\n\"\n", "a,b\n\"1\n2\",\n", "\n\n", "a,b\n1\n", "a\n\"x\"y\n", "a",
		"\"a\",b\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, header, err := format.NewCSV("x.csv", data)
		checkError(t, data, err)
		if err != nil {
			return
		}
		rows := [][]string{header}
		for {
			ok, err := r.Next()
			checkError(t, data, err)
			if err != nil {
				return
			}
			if !ok {
				break
			}
			var row []string
			for _, x := range r.Fields {
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

// TestRowsThatBeginAlike: a reader that leaves out what the row above begins with reads
// what one that looks at every field reads, also if it leaves out whole rows, the same errors on the same lines included.
func TestRowsThatBeginAlike(t *testing.T) {
	kept, whole, broken := 0, 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		fields := 1 + rng.IntN(4)
		some := []string{"a", "", "ab", `"a"`, `"a,b"`, "\"a\nb\"", `"a""b"`, "12"}
		if seed%3 == 0 {
			some = append(some, `a"`, "a\r", `"a`, `"a"b`, "a,b", "a\nb")
		}
		text := strings.Repeat("h,", fields-1) + "h\n"
		for range 1 + rng.IntN(12) {
			for j := range fields {
				text += some[rng.IntN(1+rng.IntN(len(some)))] + map[bool]string{true: "\n", false: ","}[j == fields-1]
			}
		}
		text = text[:len(text)-rng.IntN(2)]
		plain, _, err := format.NewCSV("f", []byte(text))
		require.NoError(t, err)
		quick, _, err := format.NewCSV("f", []byte(text))
		require.NoError(t, err)
		quick.Alike, quick.Repeats = rng.IntN(fields), seed%2 == 0
		for ok := true; ok && err == nil; {
			var errPlain error
			ok, errPlain = plain.Next()
			var also bool
			also, err = quick.Next()
			require.Equal(t, errPlain, err, "%q", text)
			require.Equal(t, ok, also)
			require.Equal(t, []int{plain.Line, plain.At, plain.Pos}, []int{quick.Line, quick.At, quick.Pos}, "%q", text)
			if ok {
				require.Equal(t, plain.Fields, quick.Fields, "%q", text)
			}
			kept += quick.Kept
			if quick.Kept == fields {
				whole++
			}
		}
		if err != nil {
			broken++
		}
	}
	require.Greater(t, kept, 500)
	require.Greater(t, whole, 200)
	require.Greater(t, broken, 100)
}

package topic

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/*.golden anew")

// TestGoldenMessages holds keys and values of format 1: who reads a topic relies on them,
// and a retry by a newer anond has to send the same.
func TestGoldenMessages(t *testing.T) {
	for _, name := range []string{"buckets", "regrouped"} {
		chain := delivertest.New(t, delivertest.Find(t, name), map[string]int{"regrouped": 8}[name]+2)
		m := &memory{until: -1}
		_, err := deliverAll(t, m.sink(), chain.Dir)
		require.NoError(t, err)
		var b strings.Builder
		shown := map[string]int{}
		for _, x := range m.log {
			k, err := parseKey(x.Key)
			require.NoError(t, err)
			if shown[k.Stream]++; (k.Release <= 2 || k.Stream == removedStream) && shown[k.Stream] <= 3 && k.Stream != manifestStream {
				fmt.Fprintf(&b, "%s\n%s\n", x.Key, x.Value)
			}
		}
		path := filepath.Join("testdata", name+".golden")
		if *rewrite {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), b.String(), "go test ./deliver/topic -rewrite")
	}
}

var keyForm = regexp.MustCompile(`(?s)^(\d{6,10})/(.+)/([1-9]\d{0,9})/[0-9a-f]{64}$`)

// FuzzKey holds the reader of keys against a regular expression.
func FuzzKey(f *testing.F) {
	for _, k := range []messageKey{keyOf(1, "part-000001/data.csv", 1, nil), keyOf(4294967295, "a/b", 4294967295, nil),
		keyOf(7, "/", 1, nil)} {
		f.Add([]byte(k.String()))
	}
	f.Add([]byte("000001/x/01/" + strings.Repeat("0", 64)))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := parseKey(text)
		m := keyForm.FindSubmatch(text)
		if err == nil {
			require.NotNil(t, m)
			require.Equal(t, string(text), k.String())
			require.Equal(t, string(m[2]), k.Stream)
			return
		}
		if m == nil || len(text) > maxKey || bytes.ContainsRune(m[2], '\n') {
			return
		}
		release, number := string(m[1]), string(m[3]) // what is left are numbers that are too large, or written otherwise
		var r, n uint64
		_, _ = fmt.Sscan(strings.TrimLeft(release, "0"), &r)
		_, _ = fmt.Sscan(number, &n)
		require.True(t, r == 0 || r > 1<<32-1 || n > 1<<32-1 || fmt.Sprintf("%06d", r) != release, "%q", text)
	})
}

// FuzzMessage feeds values to the readers of messages, and holds what they accept against
// encoding/json and against the writer.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"part":"part-000002","file":"data.csv","columns":["age","class"],"rows":[["[40,44]","1"]]}`))
	f.Add(removedValue(9, deliver.Died{Part: "part-000007", Class: 12}))
	f.Add([]byte(`{"format":1,"dataset":"w","release":2,"first":1,"created_at":"t","records":6,"previous":null,"manifest_sha256":"00",` +
		`"streams":[{"name":"manifest.json","messages":1}]}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		if r, err := decodeRows(value); err == nil {
			again, err := appendHead(nil, r.Part, r.File, r.Columns)
			for i, row := range r.Rows {
				require.Len(t, row, len(r.Columns))
				if i > 0 {
					again = append(again, ',')
				}
				if err == nil {
					again, err = appendTexts(again, row)
				}
			}
			require.NoError(t, err)
			var out rowsMessage
			require.NoError(t, json.Unmarshal(append(again, "]}"...), &out))
			require.Equal(t, *r, out)
		}
		if r, err := decodeRemoved(value); err == nil && !strings.ContainsAny(r.Part, "\"\\") {
			again, err := decodeRemoved(removedValue(r.Release, deliver.Died{Part: r.Part, Class: r.Class}))
			if err == nil {
				require.Equal(t, r, again)
			}
		}
		if m, err := decodeMarker(value); err == nil {
			text, err := json.Marshal(m)
			require.NoError(t, err)
			again, err := decodeMarker(text)
			require.NoError(t, err)
			require.Equal(t, m, again)
		}
	})
}

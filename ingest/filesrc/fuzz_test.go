package filesrc

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/dialect"
)

// pieces hands a text out in pieces of n bytes.
type pieces struct {
	text []byte
	n    int
}

func (p *pieces) read(_ context.Context, to []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(to, p.text[:min(p.n, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

func recordsOf(t *testing.T, text []byte, split splitter, piece, most int) []ingest.Record {
	r := &recordReader{in: &pieces{text, piece}, split: split, final: true, block: 16, place: place{line: 1}}
	var all []ingest.Record
	at := int64(0)
	for {
		b, err := r.next(context.Background(), noStop, most)
		if err == io.EOF {
			require.EqualValues(t, len(text), at, "read to the end")
			return all
		}
		require.NoError(t, err)
		require.Equal(t, at, b.from)
		at = b.next
		for _, x := range b.records {
			if x.Passed == "" {
				all = append(all, x)
			}
		}
	}
}

// FuzzSplit checks that records depend on the text alone, not on the pieces in
// which it comes, and that a CSV text that encoding/csv reads without complaint
// is cut where encoding/csv cuts it.
func FuzzSplit(f *testing.F) {
	for _, x := range texts {
		f.Add([]byte(x.text), x.layout == CSV, x.multiline, uint8(3), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, csv, multiline bool, piece, most uint8) {
		if first, _, _ := bytes.Cut(text, []byte{'\n'}); !utf8.Valid(first) { // the source is refused
			return
		}
		split := splitter{csv: csv, multiline: csv && multiline, max: 64}
		whole := recordsOf(t, text, split, len(text)+1, chunkRecords)
		assert.Equal(t, whole, recordsOf(t, text, split, 1+int(piece), 1+int(most)))
		for _, r := range whole {
			assert.LessOrEqual(t, len(r.Value), split.max+1)
			assert.EqualValues(t, 1+bytes.Count(text[:r.Offset], []byte{'\n'}), r.Line)
		}
		if !csv || bytes.HasPrefix(text, byteOrderMark) || bytes.IndexByte(text, '\r') >= 0 {
			return
		}
		std := stdcsv.NewReader(bytes.NewReader(text))
		std.FieldsPerRecord = -1
		want, err := std.ReadAll()
		if err != nil {
			return
		}
		got := recordsOf(t, text, splitter{csv: true, multiline: true, max: len(text)}, len(text)+1, chunkRecords)
		require.Len(t, got, len(want))
		for i, r := range got {
			fields, err := decode.ParseHeader(r.Value, dialect.Form{})
			require.NoError(t, err)
			assert.Equal(t, want[i], fields)
		}
	})
}

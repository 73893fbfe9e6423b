package deadletter

import (
	"anond/incremental/state"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// TestReadLetters: one after the other, without what is no dead letter; a torn end is told.
func TestReadLetters(t *testing.T) {
	long := letter(3)
	long.Payload = bytes.Repeat([]byte("x"), 3*PrefixBytes)
	text := wantLines(1, 2) + "rubbish\n" + string(Encode(long)) + "\n" + wantLines(4, 4)
	for _, limit := range []int{PrefixBytes, 8 * PrefixBytes} {
		for _, tail := range []string{"", `{"seq":5,"sour`} {
			var seqs []uint64
			bad := 0
			torn, err := Read(strings.NewReader(text+tail), limit, func(line int, d Delivered, err error) error {
				if err != nil {
					require.ErrorIs(t, err, ErrNoLetter)
					bad = line
					return nil
				}
				seqs = append(seqs, d.Seq)
				if d.Seq == 3 {
					assert.Equal(t, limit == PrefixBytes, d.Cut)
					assert.Equal(t, limit == PrefixBytes, d.Payload == nil)
					assert.Equal(t, long.Digest, d.Digest)
				}
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, tail != "", torn)
			assert.Equal(t, []uint64{1, 2, 3, 4}, seqs)
			assert.Equal(t, 3, bad)
		}
	}
	stop := errors.New("stop")
	_, err := Read(strings.NewReader(text), PrefixBytes, func(int, Delivered, error) error { return stop })
	require.ErrorIs(t, err, stop)
}

// TestReadingLettersTakesLittleMemory: however long the file and its lines are.
func TestReadingLettersTakesLittleMemory(t *testing.T) {
	const lines, payload = 40, 4 << 20
	line := letter(1)
	line.Payload = bytes.Repeat([]byte("x"), payload)
	encoded := append(Encode(line), '\n')
	var readers []io.Reader
	for range lines {
		readers = append(readers, bytes.NewReader(encoded))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	_, err := Read(io.MultiReader(readers...), PrefixBytes, func(int, Delivered, error) error { n++; return nil })
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Equal(t, lines, n)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(lines*4*PrefixBytes), "of %d bytes", lines*len(encoded))
}

// TestLetterFiles: rotated and compressed files come in the order of their numbers.
func TestLetterFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dead [letters]")
	require.NoError(t, os.Mkdir(dir, 0o700))
	write := func(name, text string) {
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, err := z.Write([]byte(text))
			require.NoError(t, errors.Join(err, z.Close()))
			text = b.String()
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write(FileName, wantLines(9, 10))
	write("dead-letter.ndjson.2.gz", wantLines(1, 4))
	write("dead-letter-2026.ndjson", wantLines(5, 8))
	write("other.ndjson", wantLines(1, 1))
	paths, err := Files(dir)
	require.NoError(t, err)
	var seqs []uint64
	for _, path := range paths {
		f, err := Open(path)
		require.NoError(t, err)
		_, err = Read(f, PrefixBytes, func(_ int, d Delivered, err error) error { seqs = append(seqs, d.Seq); return err })
		require.NoError(t, errors.Join(err, f.Close()))
	}
	assert.Equal(t, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, seqs)
	write("dead-letter.ndjson.3.gz", "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dead-letter.ndjson.4.gz"), []byte("no gzip"), 0o600))
	_, err = Files(dir)
	require.Error(t, err)
	none, err := Files(t.TempDir())
	require.NoError(t, err)
	assert.Empty(t, none)
}

// TestDeliveredAgainAtAnotherTime: the time of a delivery is no part of the dead letter.
func TestDeliveredAgainAtAnotherTime(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d, err := OpenFile(dir)
	require.NoError(t, err)
	d.Stamp(func() time.Time { return now })
	require.NoError(t, d.Deliver(context.Background(), letters(1, 2)))
	now = now.Add(time.Hour)
	require.NoError(t, d.Deliver(context.Background(), letters(1, 3)))
	assert.Equal(t, 2, strings.Count(content(t, dir), `"delivered":"2026-03-01T12:00:00Z"`))
	assert.Equal(t, 1, strings.Count(content(t, dir), `"delivered":"2026-03-01T13:00:00Z"`))
	other := letter(2)
	other.Offset++
	assert.ErrorIs(t, d.Deliver(context.Background(), []state.DeadLetter{other}), ingest.ErrForeignLetters)
	require.NoError(t, d.Close())
}

// FuzzReadLetters: no bytes make the reader fail, and what it reads is what the decoder says.
func FuzzReadLetters(f *testing.F) {
	f.Add([]byte(wantLines(1, 3)), 100)
	f.Add([]byte("\n\n{\"seq\":1"), PrefixBytes)
	sealed := letter(2)
	sealed.Payload, sealed.Sealed = []byte("secret"), true
	f.Add(append(EncodeDelivered(sealed, time.Unix(1e9, 0)), '\n'), 300)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit = max(0, min(limit, 1<<20))
		lines := bytes.SplitAfter(text, []byte("\n"))
		n := 0
		torn, err := Read(bytes.NewReader(text), limit, func(line int, d Delivered, err error) error {
			n++
			require.Equal(t, n, line)
			if whole := lines[n-1]; len(whole) <= limit {
				want, wantErr := Decode(whole)
				require.Equal(t, wantErr, err)
				require.Equal(t, want, d)
			} else if err == nil {
				require.True(t, d.Cut)
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, bytes.Count(text, []byte("\n")), n)
		require.Equal(t, len(lines[len(lines)-1]) > 0 && limit > 0, torn)
	})
}

// FuzzPrefix: of a dead letter whose payload is cut anywhere, all but the payload is read as from the whole one; and what is
// read from any other beginning is read by encoding/json from the same fields, in an object that ends there.
func FuzzPrefix(f *testing.F) {
	sealed := letter(3)
	sealed.Payload, sealed.Sealed = []byte("secret"), true
	for _, line := range [][]byte{[]byte(wantLines(1, 2)), EncodeDelivered(sealed, time.Unix(1e9, 0)), []byte(`{"seq":1,"payload":"`)} {
		f.Add(line, 3)
	}
	f.Fuzz(func(t *testing.T, line []byte, cut int) {
		if whole, err := Decode(line); err == nil {
			encoded := EncodeDelivered(whole.DeadLetter, whole.At)
			if at := bytes.LastIndex(encoded, []byte(`":"`)); whole.Payload != nil && whole.At.UTC().Year() < 10000 {
				got, err := DecodePrefix(encoded[:at+3+max(0, min(cut, len(encoded)-at-5))])
				require.NoError(t, err)
				want := whole
				want.Cut, want.Payload, want.At, got.At = true, nil, time.Time{}, time.Time{}
				require.Equal(t, want, got)
			}
		}
		got, err := DecodePrefix(line)
		head, _, there := strings.Cut(string(line), `,"payload":"`)
		if !there {
			head, _, there = strings.Cut(string(line), `,"payload_encrypted":"`)
		}
		var plain struct {
			Seq    uint64
			Offset int64
		}
		if err != nil {
			return
		}
		require.True(t, there && got.Cut)
		require.NoError(t, json.Unmarshal([]byte(head+"}"), &plain))
		require.Equal(t, plain.Seq, got.Seq)
		require.Equal(t, plain.Offset, got.Offset)
	})
}

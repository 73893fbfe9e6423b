package deadletter

import (
	"anond/incremental/state"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
	"anond/ingest/decode"
)

func letter(seq uint64) state.DeadLetter {
	return state.DeadLetter{Seq: seq, Partition: state.Partition{Source: "kafka:admissions", ID: 2}, Offset: 100 + int64(seq),
		Reason: decode.ReasonNested, Attribute: "age", Digest: state.Digest{0xab, byte(seq)}}
}

func letters(from, to uint64) []state.DeadLetter {
	var out []state.DeadLetter
	for s := from; s <= to; s++ {
		out = append(out, letter(s))
	}
	return out
}

func wantLines(from, to uint64) string {
	var b strings.Builder
	for _, l := range letters(from, to) {
		b.Write(Encode(l))
		b.WriteByte('\n')
	}
	return b.String()
}

func openLetters(t *testing.T, dir string) *letterFile {
	t.Helper()
	d, err := OpenFile(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func content(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	require.NoError(t, err)
	return string(b)
}

func TestEncode(t *testing.T) {
	assert.Equal(t, `{"seq":7,"source":"kafka:admissions","partition":2,"offset":107,`+
		`"reason":"nested_value","attribute":"age","digest":"ab070000000000000000000000000000"}`,
		string(Encode(letter(7))))
	l := letter(1)
	l.Attribute, l.Payload = "", []byte("{\n")
	l.Partition.Source = "file:\"\n\xff"
	got := Encode(l)
	assert.NotContains(t, string(got), "\n", "one line a dead letter")
	var back map[string]any
	require.NoError(t, json.Unmarshal(got, &back))
	assert.Equal(t, "ewo=", back["payload"])
	assert.NotContains(t, back, "attribute")
}

func TestDeadLetterFileAppendsEachOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "dead-letter")
	ctx := context.Background()
	d := openLetters(t, dir)
	require.NoError(t, d.Deliver(ctx, letters(1, 3)))
	require.NoError(t, d.Deliver(ctx, letters(2, 5)), "redelivered with more")
	require.NoError(t, d.Deliver(ctx, letters(4, 5)), "redelivered alone")
	require.NoError(t, d.Deliver(ctx, nil))
	require.NoError(t, d.Close())
	d = openLetters(t, dir)
	require.NoError(t, d.Deliver(ctx, letters(5, 6)), "redelivered after a restart")
	assert.Equal(t, wantLines(1, 6), content(t, dir))
	for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, FileName): 0o600} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), path)
	}
}

// A crash may leave any prefix of a delivery. Whatever it is, the delivery that
// follows brings the file to the same bytes.
func TestDeadLetterFileRecoversFromEveryTornTail(t *testing.T) {
	whole := wantLines(1, 3)
	path := filepath.Join(t.TempDir(), FileName)
	for n := range len(whole) + 1 {
		require.NoError(t, os.WriteFile(path, []byte(whole[:n]), 0o600))
		d, err := OpenFile(filepath.Dir(path))
		require.NoError(t, err, n)
		require.NoError(t, d.Deliver(context.Background(), letters(1, 3)), n)
		require.NoError(t, d.Close())
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, whole, string(got), "torn after %d bytes", n)
	}
}

func TestDeadLetterFileCutsALongTornTailOff(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	require.NoError(t, os.WriteFile(path, []byte(wantLines(1, 1)+strings.Repeat("x", 10_000)), 0o600))
	d := openLetters(t, dir)
	assert.Equal(t, wantLines(1, 1), content(t, dir), "at once")
	require.NoError(t, d.Deliver(context.Background(), letters(1, 2)))
	assert.Equal(t, wantLines(1, 2), content(t, dir))
}

func TestDeadLetterFileFindsLongLastLine(t *testing.T) {
	dir := t.TempDir()
	long := letter(2)
	long.Payload = bytes.Repeat([]byte("x"), 20_000)
	ctx := context.Background()
	d := openLetters(t, dir)
	require.NoError(t, d.Deliver(ctx, []state.DeadLetter{letter(1), long}))
	require.NoError(t, d.Close())
	d = openLetters(t, dir)
	require.NoError(t, d.Deliver(ctx, []state.DeadLetter{long, letter(3)}))
	assert.Equal(t, 3, strings.Count(content(t, dir), "\n"))
}

func TestDeadLetterFileRefusesForeignLetters(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	d := openLetters(t, dir)
	require.NoError(t, d.Deliver(ctx, letters(1, 3)))
	other := letter(1)
	other.Offset++
	assert.ErrorIs(t, d.Deliver(ctx, []state.DeadLetter{other, letter(4)}), ingest.ErrForeignLetters)
	assert.Equal(t, wantLines(1, 3), content(t, dir), "nothing is written next to them")

	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), []byte("{\"seq\":0}\n"), 0o600))
	_, err := OpenFile(dir)
	assert.ErrorContains(t, err, "no dead letter")
}

// faultyStorage writes half of what it is given and then fails, as a full disk
// does; with stuck, it cannot be truncated either.
type faultyStorage struct {
	storage
	failWrite, failSync, stuck bool
}

var errDisk = errors.New("disk full")

func (f *faultyStorage) WriteAt(p []byte, off int64) (int, error) {
	if f.failWrite {
		n, _ := f.storage.WriteAt(p[:len(p)/2], off)
		return n, errDisk
	}
	return f.storage.WriteAt(p, off)
}

func (f *faultyStorage) Sync() error {
	if f.failSync {
		return errDisk
	}
	return f.storage.Sync()
}

func (f *faultyStorage) Truncate(size int64) error {
	if f.stuck {
		return errDisk
	}
	return f.storage.Truncate(size)
}

func TestDeadLetterFileSurvivesFailedWrites(t *testing.T) {
	ctx := context.Background()
	for _, fault := range []faultyStorage{{failWrite: true}, {failSync: true}, {failWrite: true, stuck: true}} {
		dir := t.TempDir()
		d := openLetters(t, dir)
		require.NoError(t, d.Deliver(ctx, letters(1, 2)))
		disk := &fault
		disk.storage = d.file
		d.file = disk
		assert.ErrorIs(t, d.Deliver(ctx, letters(3, 4)), errDisk)
		assert.ErrorIs(t, d.Deliver(ctx, letters(3, 4)), errDisk)
		disk.failWrite, disk.failSync, disk.stuck = false, false, false
		require.NoError(t, d.Deliver(ctx, letters(3, 4)))
		assert.Equal(t, wantLines(1, 4), content(t, dir))
	}
}

func TestDeadLetterFileHeedsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, openLetters(t, t.TempDir()).Deliver(ctx, letters(1, 1)), context.Canceled)
}

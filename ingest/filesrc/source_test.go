package filesrc

import (
	"anond/incremental/state"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest/decode"
)

func TestHeaderFaultsNameFileAndLine(t *testing.T) {
	path := write(t, temp(t, "people.csv"), "\n\nage,zip\n"+canary+",2\n")
	wrong := errors.New(`column 2, "zip", is not in the schema`)
	cfg := Config{Paths: []string{path}, Layout: CSV, CheckHeader: func(h []string) error {
		assert.Equal(t, []string{"age", "zip"}, h)
		return wrong
	}}
	_, err := Open(context.Background(), cfg, newReading().resume(true))
	require.ErrorIs(t, err, wrong)
	assert.Equal(t, path+`:3: column 2, "zip", is not in the schema`, err.Error())

	cfg.Paths, cfg.Stdin = nil, strings.NewReader("age,zip\n"+canary+",2\n")
	src, err := Open(context.Background(), cfg, newReading().resume(true))
	require.NoError(t, err)
	defer src.Close()
	_, err = src.Next(context.Background())
	assert.EqualError(t, err, `standard input:1: column 2, "zip", is not in the schema`)

	cfg = Config{Paths: []string{write(t, path, `age"`+canary+"\n1\n")}, Layout: CSV}
	_, err = Open(context.Background(), cfg, newReading().resume(true))
	require.ErrorIs(t, err, decode.ErrHeaderSyntax)
	assert.NotContains(t, err.Error(), canary)

	cfg = Config{Paths: []string{write(t, path, strings.Repeat(canary, 100)+"\n1\n")}, Layout: CSV, MaxBytes: 64}
	_, err = Open(context.Background(), cfg, newReading().resume(true))
	require.ErrorIs(t, err, errHeaderTooLong)
	assert.NotContains(t, err.Error(), canary)
}

func TestChunksCarryTheHeader(t *testing.T) {
	s := newReading()
	s.run(t, Config{Paths: []string{write(t, temp(t, "f.csv"), "\"a\",\"b \"\"c\"\"\"\n1,2\n")}, Layout: CSV})
	assert.Equal(t, [][]string{{"a", `b "c"`}}, s.headers)
}

func TestSeveralFilesInOrderOfName(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b.ndjson"), "{\"b\":1}\n{\"b\":2}\n")
	write(t, filepath.Join(dir, "a.ndjson"), "{\"a\":1}\n")
	write(t, filepath.Join(dir, "empty.ndjson"), "")
	write(t, filepath.Join(dir, "other.txt"), "{\"no\":1}\n")
	cfg := Config{Paths: []string{filepath.Join(dir, "*.ndjson"), filepath.Join(dir, "a.ndjson")}, Layout: NDJSON}
	s := newReading()
	s.run(t, cfg)
	assert.Equal(t, []string{`{"a":1}`, `{"b":1}`, `{"b":2}`}, s.lines)
	assert.Len(t, s.positions, 2, "each file is a partition of its own")

	write(t, filepath.Join(dir, "0.ndjson"), "{\"0\":1}\n")
	extend(t, filepath.Join(dir, "a.ndjson"), "{\"a\":2}\n")
	s.run(t, cfg)
	assert.Equal(t, []string{`{"0":1}`, `{"a":2}`}, s.lines[3:])

	write(t, filepath.Join(dir, "copy.ndjson"), "{\"a\":1}\n")
	require.Equal(t, 1, s.run(t, cfg).SetAside)
	assert.Len(t, s.lines, 5)
}

func TestFollowTakesInNewFilesAndServesAllInTurns(t *testing.T) {
	dir := t.TempDir()
	busy, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, busy, "{\"busy\":0}\n")
	waits := 0
	cfg := Config{Paths: []string{filepath.Join(dir, "*")}, Layout: NDJSON, Follow: true, Wait: func(context.Context, time.Duration) error {
		if waits++; waits == 1 {
			write(t, other, "{\"other\":1}\n")
		}
		return nil
	}}
	s := newReading()
	src, err := Open(context.Background(), cfg, s.resume(false))
	require.NoError(t, err)
	defer src.Close()
	for n := 0; n < 20 && !strings.Contains(strings.Join(s.lines, ""), "other"); n++ {
		c, err := src.Next(context.Background())
		require.NoError(t, err)
		s.apply(t, c)
		extend(t, busy, "{\"busy\":1}\n") // it has always grown when it is looked at again
	}
	assert.Contains(t, s.lines, `{"other":1}`)
}

func TestPatternsPassOverWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a.d"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "b")))
	write(t, filepath.Join(dir, "c[1]"), "{}\n")
	for _, pattern := range []string{"*", "c[1]"} {
		s := newReading()
		s.run(t, Config{Paths: []string{filepath.Join(dir, pattern)}, Layout: NDJSON})
		assert.Equal(t, []string{"{}"}, s.lines)
	}
}

// A writer may create a file, take it away and put it back before it has a
// record.
func TestFollowAFileThatComesAndGoes(t *testing.T) {
	path := write(t, temp(t, "f"), "")
	steps := []func(){
		func() { require.NoError(t, os.Remove(path)) },
		func() {},
		func() { write(t, path, "{\"a\":1") },
		func() { extend(t, path, "}\n") },
	}
	cfg := Config{Paths: []string{path}, Layout: NDJSON, Follow: true, Wait: func(context.Context, time.Duration) error {
		steps[0]()
		steps = steps[1:]
		return nil
	}}
	src, err := Open(context.Background(), cfg, newReading().resume(false))
	require.NoError(t, err)
	defer src.Close()
	ends, err := src.Ends(context.Background())
	require.NoError(t, err)
	assert.Equal(t, map[state.Partition]int64{}, ends, "known, and empty")
	c, err := src.Next(context.Background())
	require.NoError(t, err)
	assert.EqualValues(t, 8, c.Next)
	assert.Empty(t, steps)
}

func gzipped(t testing.TB, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestPackedFile(t *testing.T) {
	const records = "a\n1\n2\n3\n"
	path := write(t, temp(t, "f.csv.gz"), gzipped(t, records))
	cfg := Config{Paths: []string{path}, Layout: CSV}
	plain := newReading()
	plain.run(t, Config{Paths: []string{write(t, temp(t, "f.csv"), records)}, Layout: CSV})
	s := newReading()
	s.run(t, cfg)
	for packed := range s.positions {
		for p := range plain.positions {
			begins := func(p state.Partition) []string { return strings.Split(p.Source, ":")[:3] }
			assert.Equal(t, begins(p), begins(packed), "packed or not, a file is the same file")
		}
	}
	assert.Equal(t, under(plain.positions), under(s.positions))

	write(t, path, gzipped(t, records)+gzipped(t, "4\n")) // members in a row are one text
	src, err := Open(context.Background(), cfg, s.resume(true))
	require.NoError(t, err)
	ends, err := src.Ends(context.Background())
	require.NoError(t, err)
	assert.Equal(t, map[state.Partition]int64{onlyPartition(t, s): 10}, ends)
	s.read(t, src)
	require.NoError(t, src.Close())
	assert.Equal(t, []string{"1", "2", "3", "4"}, s.lines)

	for _, apart := range []bool{false, true} { // behind its beginning
		begin := "a\n" + strings.Repeat("7\n", mostBeginning)
		write(t, path, gzipped(t, begin+"1\n2\n3\n"))
		s, cfg.Apart = newReading(), apart
		s.run(t, cfg)
		read := len(s.lines)
		for _, changed := range []string{"1\n2\n", "1\n3\n4\n5\n"} {
			write(t, path, gzipped(t, begin+changed))
			aside := s.run(t, cfg).SetAside
			if apart {
				read += mostBeginning + strings.Count(changed, "\n")
			}
			require.Equal(t, map[bool]int{false: 1}[apart], aside)
			require.Len(t, s.lines, read)
		}
		if apart {
			s.run(t, cfg)
			require.Len(t, s.lines, read, "the newest is known")
		}
	}

	whole := gzipped(t, "a\n1\n2\n")
	write(t, path, whole[:len(whole)-4])
	s = newReading()
	src, err = Open(context.Background(), cfg, s.resume(true))
	if err == nil {
		_, err = src.Next(context.Background())
		require.NoError(t, src.Close())
	}
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "a cut file is no end")
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for want, cfg := range map[string]Config{
		"layout":                  {Paths: []string{"x"}, Layout: "xml"},
		"no file given":           {Layout: CSV},
		"use one of them":         {Paths: []string{"x"}, Stdin: strings.NewReader(""), Layout: CSV},
		"longest record":          {Paths: []string{"x"}, Layout: CSV, MaxBytes: -1},
		"interval":                {Paths: []string{"x"}, Layout: CSV, Interval: -1},
		"syntax error in pattern": {Paths: []string{"["}, Layout: CSV},
		"cannot be followed":      {Paths: []string{"x.gz"}, Layout: CSV, Follow: true},
		"no such file":            {Paths: []string{filepath.Join(dir, "x")}, Layout: CSV},
		"no file matches":         {Paths: []string{filepath.Join(dir, "*.csv")}, Layout: CSV},
		"no regular file":         {Paths: []string{dir}, Layout: CSV},
	} {
		_, err := Open(context.Background(), cfg, newReading().resume(true))
		assert.ErrorContains(t, err, want)
	}
}

func TestStandardInput(t *testing.T) {
	for _, x := range texts {
		for name, r := range map[string]io.Reader{"at once": strings.NewReader(x.text),
			"by bytes": iotest.OneByteReader(strings.NewReader(x.text)),
			"halves":   iotest.HalfReader(strings.NewReader(x.text)), "end with data": iotest.DataErrReader(strings.NewReader(x.text))} {
			s := newReading()
			cfg := Config{Stdin: r, Layout: x.layout, Multiline: x.multiline, MaxBytes: 64}
			src, err := Open(context.Background(), cfg, s.resume(false))
			require.NoError(t, err)
			s.read(t, src)
			assert.Equal(t, x.want, s.lines, "%s %s", x.name, name)
			assert.EqualValues(t, len(x.text), s.positions[onlyPartition(t, s)].Next)
			ends, err := src.Ends(context.Background())
			require.NoError(t, err)
			assert.Nil(t, ends)
			assert.Equal(t, int64(len(x.text)), src.Status().Partitions[0].End)
			require.NoError(t, src.Close())
		}
	}
}

// What a pipe brought is handed out at once, not when a block is full, and a
// read that blocks does not hold up a stop.
func TestStandardInputDoesNotWaitForMore(t *testing.T) {
	r, w := io.Pipe()
	src, err := Open(context.Background(), Config{Stdin: r, Layout: NDJSON}, newReading().resume(false))
	require.NoError(t, err)
	go func() { _, _ = w.Write([]byte("{\"a\":1}\n{\"a\"")) }()
	c, err := src.Next(context.Background())
	require.NoError(t, err)
	assert.EqualValues(t, 8, c.Next)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = src.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	go func() { _, _ = w.Write([]byte(":2}\n")) }()
	c, err = src.Next(context.Background())
	require.NoError(t, err, "a stopped wait loses nothing")
	assert.Equal(t, `{"a":2}`, string(c.Records[0].Value))
	require.NoError(t, w.CloseWithError(io.ErrClosedPipe))
	_, err = src.Next(context.Background())
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.False(t, src.Status().Connected)
	require.NoError(t, src.Close())
	_, err = src.Next(context.Background())
	assert.ErrorIs(t, err, os.ErrClosed)
}

// A line of any length costs no more memory than the longest record.
func TestHugeLineIsNotKept(t *testing.T) {
	const huge = 64 << 20
	in := io.MultiReader(strings.NewReader("{\"a\":1}\n"), io.LimitReader(endless{}, huge), strings.NewReader("\n{\"a\":2}\n"))
	src, err := Open(context.Background(), Config{Stdin: in, Layout: NDJSON}, newReading().resume(false))
	require.NoError(t, err)
	defer src.Close()
	s := newReading()
	s.read(t, src)
	require.Len(t, s.records, 3)
	assert.Len(t, s.records[1].Value, decode.DefaultMaxBytes+1, "enough to be refused")
	assert.Equal(t, `{"a":2}`, s.lines[2])
	assert.EqualValues(t, 8+huge+1, s.records[2].Offset)
	assert.LessOrEqual(t, cap(src.(*stream).reader.buf), 4*decode.DefaultMaxBytes)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestManyRecordsComeInChunks(t *testing.T) {
	const n = 20_000
	path := write(t, temp(t, "f"), strings.Repeat("{\"a\":1}\n", n))
	src, err := Open(context.Background(), Config{Paths: []string{path}, Layout: NDJSON}, newReading().resume(true))
	require.NoError(t, err)
	defer src.Close()
	s := newReading()
	for {
		c, err := src.Next(context.Background())
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		assert.LessOrEqual(t, len(c.Records), chunkRecords)
		s.apply(t, c)
	}
	assert.Len(t, s.lines, n)
	assert.EqualValues(t, n, s.records[n-1].Line)
}

// The bytes of a record belong to the caller permanently.
func TestRecordsAreNeverOverwritten(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i%40) + "\n")
	}
	s := newReading()
	s.run(t, Config{Paths: []string{write(t, temp(t, "f"), b.String())}, Layout: NDJSON})
	for i, r := range s.records {
		require.Equal(t, s.lines[i], string(r.Value))
		require.Equal(t, len(r.Value), cap(r.Value), "an append must not reach the next record")
	}
}

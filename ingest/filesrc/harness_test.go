package filesrc

import (
	"anond/incremental/state"
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
)

// digest is a keyed digest, as state has one.
func digest(b []byte) state.Digest {
	sum := sha256.Sum256(append([]byte("key"), b...))
	return state.Digest(sum[:16])
}

// reading keeps what the machine keeps of a source, and what it was given.
type reading struct {
	positions map[state.Partition]state.Position
	records   []ingest.Record
	lines     []string
	headers   [][]string
	passed    map[equivclass.Reason]int // lines that hold no record
}

func newReading() *reading {
	return &reading{positions: map[state.Partition]state.Position{}, passed: map[equivclass.Reason]int{}}
}

func (s *reading) resume(once bool) ingest.Resume {
	return ingest.Resume{Positions: maps.Clone(s.positions), Digest: digest, Once: once}
}

// apply takes a chunk in as the machine does, and checks the source's promises.
func (s *reading) apply(t testing.TB, c *ingest.Chunk) {
	t.Helper()
	pos, known := s.positions[c.Partition]
	if !known {
		pos.Last = -1
	}
	require.Equal(t, pos.Next, c.From, "chunks are contiguous")
	require.Greater(t, c.Next, c.From)
	at := c.From
	for _, r := range c.Records {
		require.GreaterOrEqual(t, r.Offset, at)
		if r.More > 0 {
			s.passed[decode.ReasonContinued] += r.More
		}
		if r.Passed != "" {
			require.Greater(t, r.End, r.Offset)
			s.passed[r.Passed]++
			at = r.End
			continue
		}
		require.NotNil(t, r.Value)
		at = r.Offset + 1
		if pos.Last, pos.Digest = r.Offset, digest(r.Value); c.Witness != nil {
			pos.Digest = c.Witness(&r)
		}
		s.records = append(s.records, r)
		s.lines = append(s.lines, string(r.Value))
		s.headers = append(s.headers, c.Header)
	}
	require.LessOrEqual(t, at, c.Next)
	pos.Next = c.Next
	s.positions[c.Partition] = pos
}

// read takes in all that a source has.
func (s *reading) read(t testing.TB, src ingest.Source) {
	t.Helper()
	for {
		c, err := src.Next(context.Background())
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		s.apply(t, c)
	}
}

// run opens the source where the state stands and reads to its end. It returns
// what is left unread.
func (s *reading) run(t testing.TB, cfg Config) ingest.Unread {
	t.Helper()
	src, err := Open(context.Background(), cfg, s.resume(true))
	require.NoError(t, err)
	s.read(t, src)
	defer func() { require.NoError(t, src.Close()) }()
	return src.Status().Unread
}

// grown counts the records that are the rest of a line.
func (s *reading) grown() (n int) {
	for _, r := range s.records {
		if r.Refused == decode.ReasonGrown {
			n++
		}
	}
	return n
}

func writePlain(t testing.TB, path, text string) string { return write(t, path, text) }

func write(t testing.TB, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func extend(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func temp(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

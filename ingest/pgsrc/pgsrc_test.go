package pgsrc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/fault"
	"anond/internal/retry"
)

// fakeServer has a table, and fails as it is told.
type fakeServer struct {
	places []int64
	fails  func() error // before each row and each connection; nil: never
	asked  []int64      // from where each connection read
	open   int
}

func (f *fakeServer) failure() error {
	if f.fails == nil {
		return nil
	}
	return f.fails()
}

func (f *fakeServer) connect(_ context.Context, from int64) (stream, error) {
	if err := f.failure(); err != nil {
		return nil, err
	}
	f.asked = append(f.asked, from)
	f.open++
	rest := slices.DeleteFunc(slices.Clone(f.places), func(at int64) bool { return at < from })
	return &fakeStream{f, rest}, nil
}

type fakeStream struct {
	of   *fakeServer
	rest []int64
}

func (s *fakeStream) next() (row, error) {
	if err := s.of.failure(); err != nil {
		return row{}, err
	}
	if len(s.rest) == 0 {
		return row{}, io.EOF
	}
	at := s.rest[0]
	s.rest = s.rest[1:]
	return row{at: at, text: []byte(`{"id":` + strconv.FormatInt(at, 10) + `}`)}, nil
}

func (s *fakeStream) close() { s.of.open-- }

// feed is the source that follows: one partition of so many records, ordered if told.
type feed struct {
	resume ingest.Resume
	left   int
	acked  map[state.Partition]int64
	until  map[state.Partition]int64
	closed bool
}

var feedPartition = state.Partition{Source: "kafka:t"}

func (f *feed) Ends(context.Context) (map[state.Partition]int64, error) {
	return map[state.Partition]int64{feedPartition: 7}, nil
}

func (f *feed) Next(context.Context) (*ingest.Chunk, error) {
	if f.left--; f.left < 0 {
		return nil, io.EOF
	}
	return &ingest.Chunk{Partition: feedPartition, From: 0, Next: 1, Records: []ingest.Record{{}}}, nil
}
func (f *feed) Ack(p map[state.Partition]int64)   { f.acked = p }
func (f *feed) Until(p map[state.Partition]int64) { f.until = p }
func (f *feed) Status() ingest.Status {
	return ingest.Status{Connected: true, Stalled: true, Partitions: []ingest.PartitionStatus{{Partition: feedPartition, End: 7}}}
}
func (f *feed) Close() error { f.closed = true; return nil }

func digest(b []byte) (d state.Digest) {
	copy(d[:], b)
	d[15] = 1
	return d
}

func configOf(f *fakeServer) Config {
	return Config{Query: "SELECT 1", OrderBy: "id", Format: decode.JSON, MaxBytes: 1 << 20, Piece: 500, Log: slog.New(slog.DiscardHandler),
		connect: f.connect, Retry: retry.Policy{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}}
}

func opened(t *testing.T, cfg Config, positions map[state.Partition]state.Position, f *feed) (ingest.Source, error) {
	t.Helper()
	s, err := Open(t.Context(), cfg, ingest.Resume{Positions: positions, Digest: digest}, func(r ingest.Resume) (ingest.Source, error) {
		f.resume = r
		return f, nil
	})
	if err == nil {
		t.Cleanup(func() { require.NoError(t, s.Close()) })
	}
	return s, err
}

// taken reads a source to its end as a state does, and counts how often it had each place of the table. The feed comes last.
func taken(t *testing.T, s ingest.Source, next int64, have map[int64]int) (int64, error) {
	t.Helper()
	fed := false
	for {
		c, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			assert.True(t, fed)
			return next, nil
		}
		if err != nil {
			return next, err
		}
		if c.Partition == feedPartition {
			fed = true
			assert.EqualValues(t, math.MaxInt64, next, "the feed begins before the table is over")
			continue
		}
		assert.False(t, fed, "a row comes behind the feed")
		require.Equal(t, next, c.From, "a gap")
		for _, r := range c.Records {
			assert.Less(t, r.Offset, c.Next)
			assert.Equal(t, fmt.Sprintf(`{"id":%d}`, r.Offset), string(r.Value))
			have[r.Offset]++
		}
		next = c.Next
	}
}

func places(n int) (out []int64) {
	for i := range n {
		out = append(out, int64(i)*int64(i)*1_000_003)
	}
	return out
}

// each says that every place was had once.
func each(t *testing.T, want []int64, have map[int64]int) {
	t.Helper()
	require.Len(t, have, len(want))
	for _, at := range want {
		require.Equal(t, 1, have[at], "place %d", at)
	}
}

// TestATableIsReadOnceBeforeItsFeed: all rows, in order and once, then the feed.
func TestATableIsReadOnceBeforeItsFeed(t *testing.T) {
	server, f, have := &fakeServer{places: places(100)}, &feed{left: 2}, map[int64]int{}
	s, err := opened(t, configOf(server), nil, f)
	require.NoError(t, err)
	ends, err := s.Ends(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[state.Partition]int64{Partition: math.MaxInt64, feedPartition: 7}, ends)
	before := s.Status()
	assert.Equal(t, ingest.PartitionStatus{Partition: Partition, End: -1, Whole: true}, before.Partitions[0])
	assert.False(t, before.Stalled, "nobody waits for the feed")
	_, known := before.Lag(time.Time{})
	assert.False(t, known)
	_, err = taken(t, s, 0, have)
	require.NoError(t, err)
	each(t, server.places, have)
	assert.Equal(t, 0, server.open)
	assert.Len(t, s.Status().Partitions, 1, "what is over is no partition any more")
	s.Ack(map[state.Partition]int64{Partition: 5, feedPartition: 1})
	assert.Equal(t, map[state.Partition]int64{feedPartition: 1}, f.acked)
	s.(ingest.Ordered).Until(map[state.Partition]int64{Partition: 5, feedPartition: 3})
	assert.Equal(t, map[state.Partition]int64{feedPartition: 3}, f.until)
}

// TestATableIsReadOnFromWhereAStateStands: at each position that a state can have committed, rows behind it come once, and
// others do not; also where the row at the position was deleted meanwhile, and where the server fails at random.
func TestATableIsReadOnFromWhereAStateStands(t *testing.T) {
	all := places(40)
	draw := rand.New(rand.NewPCG(1, 2))
	for n := range len(all) + 1 {
		for _, deleted := range []bool{false, true} {
			server, f, have := &fakeServer{places: all}, &feed{left: 1}, map[int64]int{}
			if deleted && n > 0 {
				server.places = slices.Delete(slices.Clone(all), n-1, n)
			}
			server.fails = func() error {
				if draw.IntN(6) == 0 {
					return io.ErrUnexpectedEOF
				}
				return nil
			}
			cfg := configOf(server)
			positions, next := map[state.Partition]state.Position{}, int64(0)
			if n > 0 {
				next = all[n-1] + 1
				positions[Partition] = state.Position{Next: next, Digest: digest([]byte(cfg.Query + "\x00" + cfg.OrderBy))}
			}
			s, err := opened(t, cfg, positions, f)
			require.NoError(t, err)
			assert.Empty(t, f.resume.Positions, "the feed knows no table")
			_, err = taken(t, s, next, have)
			require.NoError(t, err)
			each(t, all[n:], have)
		}
	}
}

// TestATableThatWasReadIsLeftAlone: nobody asks the server, and the feed stands alone.
func TestATableThatWasReadIsLeftAlone(t *testing.T) {
	cfg := configOf(nil)
	cfg.connect = func(context.Context, int64) (stream, error) { panic("the server is asked") }
	f := &feed{}
	witness := digest([]byte(cfg.Query + "\x00" + cfg.OrderBy))
	over := map[state.Partition]state.Position{Partition: {Next: math.MaxInt64, Digest: witness}, feedPartition: {Next: 3}}
	s, err := opened(t, cfg, over, f)
	require.NoError(t, err)
	assert.Same(t, f, s)
	assert.Equal(t, map[state.Partition]state.Position{feedPartition: {Next: 3}}, f.resume.Positions)

	_, err = opened(t, cfg, map[state.Partition]state.Position{Partition: {Next: 4, Digest: digest([]byte("x"))}}, f)
	require.ErrorIs(t, err, ErrOther)
	_, err = opened(t, cfg, map[state.Partition]state.Position{feedPartition: {Next: 3}}, f)
	require.ErrorIs(t, err, ErrLate)
	require.ErrorIs(t, Check(map[state.Partition]state.Position{Partition: {Next: 4}}), ErrUnfinished)
	require.NoError(t, Check(map[state.Partition]state.Position{Partition: {Next: math.MaxInt64}, feedPartition: {}}))
	require.NoError(t, Check(nil))
}

// TestColumnsThatAreNoPlaces: each ends the run with a sentence that names no value, also behind a restart, and nothing that
// follows is read.
func TestColumnsThatAreNoPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		places []int64
		from   int64
		want   string
	}{
		"negative":             {[]int64{-1, 2}, 0, "has a negative value"},
		"too large":            {[]int64{3, math.MaxInt64 - 1}, 0, "too large"},
		"twice":                {[]int64{3, 77777, 77777, 9e9}, 0, "has a value twice"},
		"twice first":          {[]int64{0, 0}, 0, "has a value twice"},
		"twice at the restart": {[]int64{3, 77777, 77777, 9e9}, 77778, "has a value twice"},
		"another order":        {[]int64{77777, 3}, 0, "does not order the rows"},
	} {
		server := &fakeServer{places: c.places}
		cfg := configOf(server)
		positions := map[state.Partition]state.Position{}
		if c.from > 0 {
			positions[Partition] = state.Position{Next: c.from}
		}
		s, err := opened(t, cfg, positions, &feed{left: 1})
		require.NoError(t, err, name)
		_, err = taken(t, s, c.from, map[int64]int{})
		require.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, err.Error(), "77777")
		kind, hint := fault.Of(err)
		assert.Equal(t, fault.Config, kind, name)
		assert.NotEmpty(t, hint, name)
	}
}

// TestAServerThatIsAwayIsWaitedForAndSaid: in the log once, in the status, and a stop ends the wait.
func TestAServerThatIsAwayIsWaitedForAndSaid(t *testing.T) {
	var log bytes.Buffer
	away, there := true, make(chan struct{})
	server := &fakeServer{places: []int64{1, 2}}
	server.fails = func() error {
		if away {
			return errors.New("connection refused")
		}
		return nil
	}
	cfg := configOf(server)
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	tries := 0
	cfg.Retry.Sleep = func(ctx context.Context, _ time.Duration) error {
		if tries++; tries == 5 {
			away = false
			close(there)
		}
		return ctx.Err()
	}
	s, err := opened(t, cfg, nil, &feed{left: 1})
	require.NoError(t, err)
	<-there
	_, err = taken(t, s, 0, map[int64]int{})
	require.NoError(t, err)
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("event=initial_source_away")))
	assert.Contains(t, log.String(), "event=initial_source_connected")
	assert.NotContains(t, log.String(), "event=initial_source_read", "the state does not have them yet")
	s.Ack(map[state.Partition]int64{Partition: math.MaxInt64})
	assert.Contains(t, log.String(), "event=initial_source_read rows=2")

	a := &ahead{Source: &feed{}, table: &table{cfg: cfg}}
	require.NoError(t, a.table.fails(t.Context(), errors.New("connection refused")))
	assert.False(t, a.Status().Connected)
	assert.Equal(t, "initial.source: connection refused", a.Status().Trouble)

	away = true
	ctx, stop := context.WithCancelCause(t.Context())
	cfg.Retry.Sleep = func(ctx context.Context, _ time.Duration) error { stop(nil); <-ctx.Done(); return ctx.Err() }
	f := &feed{}
	_, err = Open(ctx, cfg, ingest.Resume{Digest: digest}, func(ingest.Resume) (ingest.Source, error) { return f, nil })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "connection refused")
	assert.True(t, f.closed)
}

// TestRowsAreMessagesOfTheFormat: a decoder takes a row as one of its own.
func TestRowsAreMessagesOfTheFormat(t *testing.T) {
	for format, want := range map[decode.Format]string{decode.JSON: `{"id":1}`, decode.Debezium: `{"op":"r","after":{"id":1}}`,
		decode.DebeziumFlat: `{"__op":"r","id":1}`} {
		tb := &table{cfg: Config{Format: format, MaxBytes: 6}}
		tb.before, tb.after = envelopeOf(format)
		assert.Equal(t, want, string(tb.record(row{at: 1, text: []byte(`{"id":1}`)}).Value))
		cut := tb.record(row{at: 1, text: []byte(`{"id":1`), cut: true})
		assert.True(t, cut.Cut && cut.CutHere && len(cut.Value) == 6)
	}
}

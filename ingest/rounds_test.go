package ingest_test

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/decode"
)

// topic is a source of several partitions whose chunks end by bytes, as those of a broker do. Nobody may rely on the
// order of its partitions but for what Until asks.
type topic struct {
	log    [][][]byte // by partition, then offset
	first  int        // what Ends says of each partition: the first load
	next   []int64
	bytes  int // from which on a chunk ends
	turn   int
	bounds chan map[state.Partition]int64
	until  map[state.Partition]int64 // nil: nobody asked
}

func newTopic(log [][][]byte, first, bytes int, m *incremental.Machine) *topic {
	s := &topic{log: log, first: first, bytes: bytes, next: make([]int64, len(log)), bounds: make(chan map[state.Partition]int64, 100)}
	for p := range log {
		s.next[p], _ = m.Intake().Next(partAt(p))
	}
	return s
}

func partAt(p int) state.Partition { return state.Partition{Source: "topic", ID: int32(p)} }

func (s *topic) Ends(context.Context) (map[state.Partition]int64, error) {
	ends := map[state.Partition]int64{}
	for p := range s.log {
		ends[partAt(p)] = int64(s.first)
	}
	return ends, nil
}

func (s *topic) Until(ends map[state.Partition]int64) { s.bounds <- ends }

func (s *topic) Next(ctx context.Context) (*ingest.Chunk, error) {
	for {
		select {
		case s.until = <-s.bounds:
		default:
		}
		for i := range s.log {
			if p := (s.turn + i) % len(s.log); s.next[p] < s.bound(p) {
				return s.chunk(p), nil
			}
		}
		if s.read() {
			return nil, io.EOF
		}
		select {
		case s.until = <-s.bounds:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *topic) read() bool {
	for p := range s.log {
		if s.next[p] < int64(len(s.log[p])) {
			return false
		}
	}
	return true
}

func (s *topic) bound(p int) int64 {
	if s.until == nil {
		return int64(len(s.log[p]))
	}
	return s.until[partAt(p)]
}

func (s *topic) chunk(p int) *ingest.Chunk {
	c := &ingest.Chunk{Partition: partAt(p), From: s.next[p]}
	for n := 0; n < s.bytes && s.next[p] < s.bound(p); s.next[p]++ {
		v := s.log[p][s.next[p]]
		c.Records = append(c.Records, ingest.Record{Offset: s.next[p], Value: v})
		n += len(v)
	}
	if c.Next = s.next[p]; s.until == nil {
		s.turn = (p + 1) % len(s.log)
	}
	return c
}

func (s *topic) Ack(map[state.Partition]int64) {}
func (s *topic) Close() error                  { return nil }
func (s *topic) Status() ingest.Status {
	st := ingest.Status{Connected: true}
	for p := range s.log {
		st.Partitions = append(st.Partitions, ingest.PartitionStatus{Partition: partAt(p), End: int64(len(s.log[p]))})
	}
	return st
}

// reading is a host at level L2 over a log.
type reading struct {
	log    [][][]byte
	first  int // offsets of each partition in the first load
	bytes  int // from which on chunks end
	adapt  func(*ingest.Host, *state.Policy)
	source *topic
}

func (r *reading) run(t *testing.T, store *memstore.Store) error {
	policy := state.Policy{Requirement: equivclass.Requirement{K: 2, L: 2}, Level: state.L2, Republication: state.Append,
		OnRefusal: state.QuarantineRefused, Threshold: 1, MaxHold: 3, HoldInCuts: true, CutEvery: 4}
	schema := loopSchema(t)
	h := &ingest.Host{Store: store, Schema: schema, DeadLetters: &bin{seen: map[uint64]state.DeadLetter{}},
		Publisher: &press{releases: map[uint32][32]byte{}}, Clock: fastClock{time.Now()}, Log: slog.New(slog.DiscardHandler), Once: true,
		NewDecoder: func() (decode.Decoder, error) { return decode.New(decode.JSON, schema, decode.Options{}) }}
	if r.adapt != nil {
		r.adapt(h, &policy)
	}
	var err error
	h.Machine, err = incremental.Open(store, incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: policy})
	require.NoError(t, err)
	r.source = newTopic(r.log, r.first, r.bytes, h.Machine)
	h.Source = r.source
	if err := h.Run(t.Context()); !errors.Is(err, ingest.ErrNoPool) && !errors.Is(err, ingest.ErrPoolRefused) {
		return err
	}
	return nil // what is read, and when, is the same
}

// cuts says for each cut which offsets had arrived by it, in order.
func (r *reading) cuts(t *testing.T) []string {
	store := memstore.New()
	require.NoError(t, r.run(t, store))
	return arrivedByCut(t, store)
}

func arrivedByCut(t *testing.T, store *memstore.Store) (cuts []string) {
	var origin []uint16
	var offset []int64
	var at []state.RecordID
	names := map[uint16]int32{}
	require.NoError(t, store.Load(state.Visitor{
		Meta: func(state.Meta) error { return nil }, Counters: func(state.Counters) error { return nil },
		Dictionary: func(int, string) error { return nil }, Class: func(*state.Class) error { return nil },
		Intent: func(*state.Intent) error { return nil },
		Records: func(b *state.RecordBlock) error {
			origin, offset = append(origin, b.Origin...), append(offset, b.Offset...)
			return nil
		},
		Position: func(p state.Partition, pos state.Position) error {
			names[pos.Number] = p.ID
			return nil
		},
		Attempt:     func(a *state.Attempt) error { at = append(at, a.Records); return nil },
		Quarantined: func([]state.RecordID) error { return nil },
		Outbox:      func(uint64, int) error { return nil }, Journal: func(state.JournalMark) error { return nil },
	}))
	from := state.RecordID(0)
	for _, to := range slices.Compact(at) {
		var who []string
		for r := from; r < to; r++ {
			who = append(who, fmt.Sprintf("%d:%d", names[origin[r]], offset[r]))
		}
		cuts, from = append(cuts, strings.Join(who, " ")), to
	}
	return cuts
}

// logOf is two partitions of four records each, whose values are long where a bit of the mask says so.
func logOf(mask int) [][][]byte {
	log := make([][][]byte, 2)
	for i := range 8 {
		pad := ""
		if mask>>i&1 == 1 {
			pad = strings.Repeat("x", 40)
		}
		log[i/4] = append(log[i/4], fmt.Appendf(nil, `{"age":%d,"ward":"w%d","illness":"i%d%s"}`, 20+i, i%2, i%3, pad))
	}
	return log
}

// TestPoolsDoNotDependOnBytes: whatever the lengths of the values are, and wherever chunks end by them, each pool has the
// same people in the same order: those below the offsets that were fixed for it.
func TestPoolsDoNotDependOnBytes(t *testing.T) {
	want := []string{"0:0 0:1 1:0 1:1", "0:2 0:3 1:2 1:3"}
	counted := func(_ *ingest.Host, p *state.Policy) { p.InitialMax = 4 }
	for mask := range 1 << 8 {
		for _, bytes := range []int{1, 90, 200} {
			r := reading{log: logOf(mask), first: 2, bytes: bytes}
			if mask%2 == 1 { // the first load ends by count
				r.first, r.adapt = 4, counted
			}
			require.Equal(t, want, r.cuts(t), "values long by %08b, chunks of %d bytes", mask, bytes)
		}
	}
}

// TestRefusedRecordsTakeTheirPlaces: a record that is refused moves nobody else into another pool.
func TestRefusedRecordsTakeTheirPlaces(t *testing.T) {
	for bad := range 8 {
		log := logOf(0)
		log[bad/4][bad%4] = []byte(`{"age":"none","ward":"w","illness":"i"}`)
		got := (&reading{log: log, first: 2, bytes: 1}).cuts(t)
		name := fmt.Sprintf("%d:%d", bad/4, bad%4)
		want := []string{"0:0 0:1 1:0 1:1", "0:2 0:3 1:2 1:3"}
		for i := range want {
			want[i] = strings.Join(slices.DeleteFunc(strings.Fields(want[i]), func(s string) bool { return s == name }), " ")
		}
		if bad%4 < 2 { // too few for a first pool: its load ends with the record that completes it
			want = []string{strings.Join(strings.Fields(want[0]), " ") + " 0:2", "0:3 1:2 1:3"}
		}
		require.Equal(t, want, got, "%s is refused", name)
	}
}

// TestRoundsGoOnAfterAStop stops a run at every durable step, and goes on with chunks that end elsewhere.
func TestRoundsGoOnAfterAStop(t *testing.T) {
	want := []string{"0:0 0:1 1:0 1:1", "0:2 0:3 1:2 1:3"}
	crash := errors.New("crash")
	for stop := 1; ; stop++ {
		n, store := 0, memstore.New()
		err := (&reading{log: logOf(0b1010), first: 2, bytes: 90, adapt: func(h *ingest.Host, _ *state.Policy) {
			h.CommitRecords = 1
			h.Hook = func(string) error {
				if n++; n == stop {
					return crash
				}
				return nil
			}
		}}).run(t, store)
		if err == nil {
			require.Greater(t, stop, 15)
			return
		}
		require.ErrorIs(t, err, crash)
		require.NoError(t, (&reading{log: logOf(0b1010), first: 2, bytes: 1}).run(t, store))
		require.Equal(t, want, arrivedByCut(t, store), "stopped at step %d", stop)
	}
}

// TestACutByTimeLiesBetweenRounds: also where one is always due.
func TestACutByTimeLiesBetweenRounds(t *testing.T) {
	log := logOf(0b10010110)
	for p := range log {
		log[p] = append(log[p], log[1-p]...)
	}
	r := reading{log: log, first: 2, bytes: 1, adapt: func(h *ingest.Host, p *state.Policy) {
		p.CutEvery, h.Rate, h.CommitRecords = 0, 3, 1
		h.Trigger = ingest.Trigger{Next: func(t time.Time) time.Time { return t.Add(time.Nanosecond) }}
	}}
	got := r.cuts(t)
	require.Equal(t, "0:0 0:1 1:0 1:1", got[0])
	require.Equal(t, []string{"0:2 0:3 1:2", "0:4 0:5 1:3", "0:6 0:7 1:4"}, got[1:4])
}

package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
)

// dated is a source of messages with time stamps in one chunk.
type dated struct {
	*feed
	records []ingest.Record
}

func (d *dated) put(at int64, format string, args ...any) {
	d.records = append(d.records, ingest.Record{Offset: int64(len(d.records)), Time: at, Value: fmt.Appendf(nil, format, args...)})
}

func (d *dated) Next(context.Context) (*ingest.Chunk, error) {
	if d.next == int64(len(d.records)) {
		return nil, io.EOF
	}
	c := &ingest.Chunk{Partition: part, From: d.next, Next: int64(len(d.records)), Records: d.records[d.next:]}
	d.next = c.Next
	return c, nil
}

// strataPress keeps how many people of each stratum a release publishes first.
type strataPress struct {
	mu  sync.Mutex
	was []string
}

func (p *strataPress) Publish(_ context.Context, v *incremental.View) (ingest.Release, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range v.Classes {
		if c.Born == v.Intent.Release {
			p.was = append(p.was, fmt.Sprintf("%d: %d %s", v.Intent.Release, v.Intent.Newcomers, v.Stratum[c.Members[0]]))
			break
		}
	}
	return ingest.Release{Manifest: [32]byte{byte(v.Intent.Release)}}, nil
}

// TestTheEndOfASourcePublishesAllStrata: the first pool is one of the plain stratum, and a release for each other one that has a pool
// follows; who is too few waits, and whoever is still observed settles. Time stamps that lie days ahead end no window:
// they are counted, and logged seldom.
func TestTheEndOfASourcePublishesAllStrata(t *testing.T) {
	schema, err := equivclass.NewSchema(append([]equivclass.Attribute{{Name: "id", Role: equivclass.Subject}},
		loopSchema(t).Attributes()...), equivclass.RefuseMissing)
	require.NoError(t, err)
	policy := rigPolicy()
	policy.Level, policy.Republication, policy.MaxRegroups, policy.CutEvery, policy.InitialMin = state.L2, state.Append, 0, 0, 40
	policy.Initial, policy.Local, policy.Settle.For, policy.Settle.Updates = nil, nil, 1000, true
	store := memstore.New()
	m, err := incremental.Open(store, incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: policy})
	require.NoError(t, err)
	d := &dated{feed: &feed{}}
	value := func(i int) string {
		return fmt.Sprintf(`{"id":"p%d","age":%d,"ward":"w%d","illness":"i%d"}`, i, 20+i%40, i%4, i%9)
	}
	for i := range 109 {
		at := 1e6 + int64(i)
		if i/5 == 10 {
			at = time.Now().UnixMilli() + 48*3600*1000
		}
		d.put(at, `{"op":"c","after":%s}`, value(i))
		if i%3 == 0 { // 37 people
			d.put(1e6+int64(i), `{"op":"u","before":null,"after":%s}`, value(i))
		}
		if i < 3 { // refused for what all know, and then in the stratum of updated people no more
			d.put(1e6+int64(i), `{"op":"u","before":null,"after":{"id":"p%d","age":"?","ward":"w1","illness":"i1"}}`, i)
		}
	}
	for i := 200; i < 240; i++ {
		d.put(1e6+int64(i), `{"op":"c","after":{"id":"p%d","age":"?","ward":"w1","illness":"i1"}}`, i)
		d.put(1e6+int64(i), `{"op":"c","after":%s}`, value(i))
	}
	d.put(1e6+5000, `{"op":"c","after":%s}`, value(1000))
	press, log := &strataPress{}, bytes.Buffer{}
	h := &ingest.Host{Machine: m, Store: store, Source: d, Schema: schema, DeadLetters: &bin{seen: map[uint64]state.DeadLetter{}},
		Publisher: press, Clock: fastClock{time.Now()}, Log: slog.New(slog.NewTextHandler(&log, nil)), Once: true,
		NewDecoder: func() (decode.Decoder, error) {
			return decode.New(decode.Debezium, schema, decode.Options{Kinds: true, Updates: true})
		}}
	require.NoError(t, h.Run(t.Context()))
	require.Equal(t, []string{"1: 68 plain", "2: 40 fault", "3: 36 updated"}, press.was)
	s := m.Status()
	require.Equal(t, s.Sent, s.Accounted())
	require.Equal(t, state.Pending{Waiting: 5, Settling: 1}, s.Pending)
	require.Equal(t, uint64(5), s.Ahead)
	require.Equal(t, 1, s.Observed)
	require.Equal(t, 3, strings.Count(log.String(), "event=stamp_ahead"), "the first, the second and the fourth")
	require.Len(t, s.Strata, 1)
	require.Equal(t, "fault+updated", s.Strata[0].Stratum)
	require.Equal(t, 3, s.Strata[0].Waiting)
	require.Equal(t, 16, s.Strata[0].Records)
}

// TestTheEndOfASourceEndsWindows: with settle: end nobody waits for a time; at the end all are published that have a pool, by how many
// records they have, and who comes later, with the source read on, begins anew or is late.
func TestTheEndOfASourceEndsWindows(t *testing.T) {
	schema, err := equivclass.NewSchema(append([]equivclass.Attribute{{Name: "id", Role: equivclass.Subject}},
		loopSchema(t).Attributes()...), equivclass.RefuseMissing)
	require.NoError(t, err)
	policy := rigPolicy()
	policy.Level, policy.Republication, policy.MaxRegroups, policy.CutEvery, policy.InitialMin = state.L2, state.Append, 0, 0, 40
	policy.Initial, policy.Local, policy.Settle.End, policy.Settle.Max = nil, nil, true, 2
	store, press, d := memstore.New(), &strataPress{}, &dated{feed: &feed{}}
	value := func(i, visit int) {
		d.put(0, `{"id":"p%d","age":%d,"ward":"w%d","illness":"i%d"}`, i, 20+i%40, i%4, (i+visit)%29)
	}
	run := func() incremental.Status {
		m, err := incremental.Open(store, incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: policy})
		require.NoError(t, err)
		next, _ := m.Intake().Next(part)
		d.next = next
		h := &ingest.Host{Machine: m, Store: store, Source: d, Schema: schema, DeadLetters: &bin{seen: map[uint64]state.DeadLetter{}},
			Publisher: press, Clock: fastClock{time.Now()}, Log: slog.New(slog.DiscardHandler), Once: true,
			NewDecoder: func() (decode.Decoder, error) { return decode.New(decode.JSON, schema, decode.Options{Kinds: true}) }}
		require.NoError(t, h.Run(t.Context()))
		s := m.Status()
		require.Equal(t, s.Sent, s.Accounted())
		return s
	}
	for visit := range 3 {
		for i := range 120 {
			if i%2 == 0 || visit == 0 {
				value(i, visit)
			}
		}
	}
	s := run()
	require.Equal(t, []string{"1: 60 plain", "2: 60 2"}, press.was)
	require.Equal(t, []int{180, 120, 60, 0}, []int{s.Published, s.People, s.Beyond, s.Pending.Total()})
	value(0, 5)
	value(200, 0)
	s = run()
	require.Equal(t, []int{180, 120, 61, 1}, []int{s.Published, s.People, s.Beyond, s.Pending.Waiting})
}

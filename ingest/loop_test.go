package ingest_test

import (
	"anond/incremental/state"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/equivtest/tier"
	"anond/ingest/decode"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
)

// feed is a source in memory: one partition of JSON records, handed out in
// chunks of random size.
type feed struct {
	mu     sync.Mutex
	values [][]byte
	next   int64
	rng    *rand.Rand
	most   int
	missed ingest.Missing
}

var part = state.Partition{Source: "feed"}

func (f *feed) Ends(context.Context) (map[state.Partition]int64, error) {
	return map[state.Partition]int64{part: 200}, nil
}

func (f *feed) Next(ctx context.Context) (*ingest.Chunk, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next >= int64(len(f.values)) {
		return nil, io.EOF
	}
	c := &ingest.Chunk{Partition: part, From: f.next}
	if f.next < f.missed.Below {
		f.next, c.Missing = f.missed.Below, f.missed
	}
	for range 1 + f.rng.IntN(f.most) {
		if f.next == int64(len(f.values)) {
			break
		}
		c.Records = append(c.Records, ingest.Record{Offset: f.next, Time: timeOf(f.next), Value: f.values[f.next]})
		f.next++
	}
	c.Next = f.next
	return c, nil
}

// timeOf is the time stamp of a record: not in order, one in three has none, and refused ones lie ahead of the others.
func timeOf(offset int64) int64 {
	switch {
	case offset%97 == 5:
		return 10_000_000 + offset
	case offset%3 == 0:
		return 0
	}
	return 1_000_000 + offset ^ 3
}

func (f *feed) Ack(map[state.Partition]int64) {}
func (f *feed) Status() ingest.Status         { return ingest.Status{Connected: true} }
func (f *feed) Close() error                  { return nil }

// press is a publisher that keeps a digest of the content of each view.
type press struct {
	mu       sync.Mutex
	releases map[uint32][32]byte
	fail     func(release uint32) error
}

func (p *press) Publish(_ context.Context, v *incremental.View) (ingest.Release, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(v.Intent.Release); err != nil {
			return ingest.Release{}, err
		}
	}
	h := sha256.New()
	for _, c := range v.Classes {
		_ = binary.Write(h, binary.LittleEndian, int64(len(c.Members)))
		_ = binary.Write(h, binary.LittleEndian, c.Members)
	}
	sum := [32]byte(h.Sum(nil))
	if old, ok := p.releases[v.Intent.Release]; ok && old != sum {
		return ingest.Release{}, errors.Join(ingest.ErrPermanent, errors.New("a second, different rendering"))
	}
	p.releases[v.Intent.Release] = sum
	return ingest.Release{Manifest: sum}, nil
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }
func (wallClock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// fastClock runs four times as fast as the wall clock, since the loop reports once a second.
type fastClock struct{ begun time.Time }

func (c fastClock) Now() time.Time { return c.begun.Add(4 * time.Since(c.begun)) }
func (c fastClock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	return wallClock{}.Ticker(d / 4)
}

type bin struct {
	mu   sync.Mutex
	seen map[uint64]state.DeadLetter
}

func (b *bin) Deliver(_ context.Context, letters []state.DeadLetter) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range letters {
		b.seen[l.Seq] = l
	}
	return nil
}
func (b *bin) Close() error { return nil }

func people(n int) [][]byte {
	rng := rand.New(rand.NewPCG(7, 7))
	out := make([][]byte, n)
	for i := range out {
		age := 20 + rng.IntN(60)
		out[i] = fmt.Appendf(nil, `{"age":%d,"ward":"w%d","illness":"i%d"}`, age, rng.IntN(4), (age/9+rng.IntN(5))%7)
		if i%97 == 5 {
			out[i] = []byte(`{"age":"canary","ward":"w1","illness":"i1"}`)
		}
	}
	return out
}

func loopSchema(t *testing.T) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// rig is a host in memory, and what it leaves behind.
type rig struct {
	t      *testing.T
	schema *equivclass.Schema
	store  *memstore.Store
	press  *press
	bin    *bin
	values [][]byte
	fence  func() error
	shares ingest.Shares
	missed ingest.Missing // at the beginning of the feed
}

func newRig(t *testing.T, n int) *rig {
	return &rig{t: t, schema: loopSchema(t), store: memstore.New(), values: people(n),
		press: &press{releases: map[uint32][32]byte{}}, bin: &bin{seen: map[uint64]state.DeadLetter{}}}
}

func (r *rig) run(seed uint64, most int, hook func(string) error) (*incremental.Machine, error) {
	h := r.host(seed, most)
	h.Hook = hook
	return h.Machine, h.Run(r.t.Context())
}

func rigPolicy() state.Policy {
	return state.Policy{Requirement: equivclass.Requirement{K: 4, L: 2}, Republication: state.Regroup,
		Threshold: 3, MaxHold: 3, HoldInCuts: true,
		MaxRegroups: 2, Neighbours: 16, Similar: 4, CutEvery: 50, Initial: cuts.Median{}, Local: cuts.Median{}}
}

// host opens the state and makes a host that runs to the end of the source.
func (r *rig) host(seed uint64, most int) *ingest.Host { return r.hostUnder(rigPolicy(), seed, most) }

func (r *rig) hostUnder(p state.Policy, seed uint64, most int) *ingest.Host {
	m, err := incremental.Open(r.store, incremental.Options{Schema: r.schema, Seed: [32]byte{1}, Policy: p})
	require.NoError(r.t, err)
	next, known := m.Intake().Next(part)
	if at := m.Intake().Positions()[part]; known && at.Last >= 0 { // as every source does before it reads on
		require.Equal(r.t, m.Digest(r.values[at.Last]), at.Digest, "the witness of record %d is that of another", at.Last)
	}
	source := &feed{values: r.values, next: next, rng: rand.New(rand.NewPCG(seed, 3)), most: most, missed: r.missed}
	return &ingest.Host{Machine: m, Store: r.store, Source: source, Schema: r.schema, DeadLetters: r.bin, Publisher: r.press,
		Clock: fastClock{time.Now()}, NewDecoder: func() (decode.Decoder, error) {
			return decode.New(decode.JSON, r.schema, decode.Options{})
		},
		Log: slog.New(slog.DiscardHandler), Once: true,
		Limits: ingest.Limits{CommitRecords: 1 + int(seed)%37, Shares: r.shares}, Ports: ingest.Ports{Fence: r.fence}}
}

func TestBatchBordersDoNotMatter(t *testing.T) {
	want := newRig(t, 900)
	m, err := want.run(0, 1000, nil)
	require.NoError(t, err)
	require.Empty(t, m.CheckInvariants())
	require.Greater(t, len(want.press.releases), 5)
	require.Equal(t, 10, int(m.Status().DeadLetter))
	require.Len(t, want.bin.seen, 10)
	for seed := range uint64(10) {
		got := newRig(t, 900)
		_, err := got.run(seed, 1+int(seed*seed*3), nil)
		require.NoError(t, err)
		require.Equal(t, want.press.releases, got.press.releases, "seed %d", seed)
	}
}

// TestCrashAtEveryStep stops a run at every durable step, one after the other,
// and opens the state again: what comes out is what an uninterrupted run makes.
func TestCrashAtEveryStep(t *testing.T) {
	tier.NotShort(t, "it crashes at every step")
	want := newRig(t, 600)
	steps := 0
	m, err := want.run(5, 40, func(string) error { steps++; return nil })
	require.NoError(t, err)
	require.Greater(t, steps, 20)
	crash := errors.New("crash")
	for stop := range steps {
		got := newRig(t, 600)
		n := 0
		_, err := got.run(5, 40, func(string) error {
			if n++; n == stop+1 {
				return crash
			}
			return nil
		})
		require.ErrorIs(t, err, crash)
		again, err := got.run(9, 17, nil)
		require.NoError(t, err)
		require.Equal(t, want.press.releases, got.press.releases, "stopped at step %d", stop)
		require.Equal(t, m.Status(), again.Status(), "stopped at step %d", stop)
		require.Equal(t, timeOf(587), again.Intake().Positions()[part].Time, "stopped at step %d", stop)
		require.Equal(t, want.bin.seen, got.bin.seen, "stopped at step %d", stop)
	}
}

func TestRefusedReleaseStopsTheHost(t *testing.T) {
	r := newRig(t, 400)
	r.press.fail = func(n uint32) error {
		if n == 2 {
			return errors.Join(ingest.ErrPermanent, errors.New("gate"))
		}
		return nil
	}
	_, err := r.run(1, 10, nil)
	require.ErrorIs(t, err, ingest.ErrPermanent)
}

func TestPublishingIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 400)
	failures := 0
	r.press.fail = func(uint32) error {
		if failures++; failures%2 == 1 {
			return errors.New("disk full")
		}
		return nil
	}
	_, err := r.run(1, 10, nil)
	require.NoError(t, err)
	require.Greater(t, failures, 4)
}

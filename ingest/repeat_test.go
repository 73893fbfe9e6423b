package ingest_test

import (
	"anond/incremental/retire"
	"anond/incremental/state"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/sealed"
	"anond/shards/journal"
	"anond/shards/journal/journaltest"
)

// errKilled is how a process ends here.
var errKilled = errors.New("killed")

// dataset is what outlives every process: the topic, the journal, the releases and the list of who was
// forgotten.
type dataset struct {
	t       *testing.T
	schema  *equivclass.Schema
	topic   [][][]byte // by partition
	total   int
	deleted map[string]bool
	log     *journaltest.Log
	key     sealed.Key
	press   *stamps
	list    []state.Digest
	rng     *rand.Rand
	broken  func(journal.Entries, *dataset) journal.Entries // nil: as it is
	policy  state.Policy
	oldest  *memstore.Store      // the first backup: it has the seed, and no records
	ahead   bool                 // the clocks of some producers lie ahead, by more than a day for some hosts and by less for others
	last    *incremental.Machine // of the life
}

const partitions = 3

func partitionOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int(h.Sum32() % partitions)
}

func newDataset(t *testing.T, seed uint64, n int) *dataset {
	d := &dataset{t: t, topic: make([][][]byte, partitions), deleted: map[string]bool{}, log: journaltest.New(),
		rng: rand.New(rand.NewPCG(seed, 17)), press: newStamps(), policy: timedPolicy(seed)}
	var err error
	d.key, err = sealed.NewKey(newRandom(1))
	require.NoError(t, err)
	d.schema, err = equivclass.NewSchema(append([]equivclass.Attribute{{Name: "id", Role: equivclass.Subject}},
		loopSchema(t).Attributes()...), equivclass.RefuseMissing)
	require.NoError(t, err)
	put := func(id, format string, args ...any) {
		p := partitionOf(id)
		d.topic[p] = append(d.topic[p], fmt.Appendf(nil, format, args...))
		d.total++
	}
	for i, v := range people(n) {
		id := fmt.Sprintf("p%d", i)
		put(id, `{"op":"c","after":{"id":"%s",%s}`, id, v[1:])
		if gone := fmt.Sprintf("p%d", i-20); i > 20 && i%9 == 3 {
			put(gone, `{"op":"d","before":{"id":"%s"}}`, gone)
			d.deleted[gone] = true
			if i%18 == 3 {
				put(gone, `{"op":"c","after":{"id":"%s","age":44,"ward":"w1","illness":"i1"}}`, gone)
			}
		}
	}
	d.log.Twice = func() bool { return d.rng.IntN(7) == 0 }
	return d
}

// timedPolicy is one under which the time of arrivals and cuts decides who is published.
func timedPolicy(seed uint64) state.Policy {
	p := rigPolicy()
	p.HoldInCuts, p.MaxHold = false, 20_000
	if seed%6 == 5 { // rule U (units)
		p.Settle.For, seed = 20_000, 2
	}
	switch seed % 4 {
	case 3: // rule W (what may leave)
		p.Level, p.Republication, p.MinPool, p.OnRefusal = state.L2, state.Append, 40, state.QuarantineRefused
		p.Initial, p.Local, p.MaxRegroups = nil, nil, 0
		var err error
		if p.Window, err = retire.Parse("2"); err != nil {
			panic(err)
		}
	case 1:
		p.Republication = state.Append
	case 2: // rule B (buckets)
		p.Level, p.Republication, p.MinPool, p.OnRefusal = state.L2, state.Append, 40, state.QuarantineRefused
		p.Initial, p.Local, p.MaxRegroups = nil, nil, 0
	}
	return p
}

type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 5))} }

func (r random) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return len(p), nil
}

// stamps is a releases directory: what a release looks like is fixed by the first who publishes it.
type stamps struct {
	mu       sync.Mutex
	releases map[uint32][32]byte
}

func newStamps() *stamps { return &stamps{releases: map[uint32][32]byte{}} }

func (s *stamps) Publish(_ context.Context, v *incremental.View) (ingest.Release, error) {
	h := sha256.New()
	number := func(n int64) { h.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) }
	number(v.Intent.CreatedAt)
	number(int64(v.Intent.Cut))
	number(int64(v.Intent.Pending.Total()))
	for _, c := range v.Classes {
		number(int64(len(c.Members)))
		for _, m := range c.Members {
			number(int64(m))
			h.Write([]byte(v.Dictionaries[3].Text(v.SA[0].At(int(m)))))
		}
	}
	sum := [32]byte(h.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.releases[v.Intent.Release]; ok && old != sum {
		return ingest.Release{}, errors.Join(ingest.ErrPermanent, errors.New("a second, different rendering"))
	}
	s.releases[v.Intent.Release] = sum
	return ingest.Release{Manifest: sum}, nil
}

// topicFeed hands out the partitions in an order of its own.
type topicFeed struct {
	d     *dataset
	only  int // partition; -1: all
	next  []int64
	rng   *rand.Rand
	heard *rand.Rand // of Status, which the loop asks while it waits for others
}

func topicPart(p int) state.Partition {
	return state.Partition{Source: "kafka:t", ID: int32(p)}
}

func (f *topicFeed) Ends(context.Context) (map[state.Partition]int64, error) {
	out := map[state.Partition]int64{}
	for p := range partitions {
		out[topicPart(p)] = 30
	}
	return out, nil
}

func (f *topicFeed) Next(ctx context.Context) (*ingest.Chunk, error) {
	var left []int
	for p := range partitions {
		if (f.only < 0 || f.only == p) && f.next[p] < int64(len(f.d.topic[p])) {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		if f.only >= 0 { // it goes on with what comes
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if f.d.policy.Settle.Timed() { // some ticks, at which partitions may be idle
			time.Sleep(10 * time.Millisecond)
		}
		return nil, io.EOF
	}
	p := left[f.rng.IntN(len(left))]
	c := &ingest.Chunk{Partition: topicPart(p), From: f.next[p]}
	for range 1 + f.rng.IntN(25) {
		if f.next[p] == int64(len(f.d.topic[p])) {
			break
		}
		c.Records = append(c.Records, ingest.Record{Offset: f.next[p], Time: f.d.stamp(f.next[p]), Value: f.d.topic[p][f.next[p]]})
		f.next[p]++
	}
	c.Next = f.next[p]
	return c, nil
}

// stamped is the time stamp of a message.
func stamped(offset int64) int64 { return 1e12 + 1000*offset ^ 7 }

// stamp is what the producer of a message gives it.
func (d *dataset) stamp(offset int64) int64 {
	if d.ahead && offset%20 == 13 {
		return stamped(offset) + (24*time.Hour + 50_000*time.Second).Milliseconds() // clocks of hosts lie up to 100,000 s apart
	}
	return stamped(offset)
}

func (f *topicFeed) Ack(map[state.Partition]int64) {}

// Status says of each partition that it was heard of just after the newest message, or some time later.
func (f *topicFeed) Status() ingest.Status {
	s := ingest.Status{Connected: true}
	for p := range partitions {
		heard := time.UnixMilli(stamped(int64(len(f.d.topic[p])))).Add(time.Minute + time.Duration(f.heard.IntN(20_000))*time.Millisecond)
		s.Partitions = append(s.Partitions, ingest.PartitionStatus{Partition: topicPart(p), End: int64(len(f.d.topic[p])), Heard: heard})
	}
	return s
}
func (f *topicFeed) Close() error { return nil }

func (d *dataset) feed(m *incremental.Machine, only int) *topicFeed {
	f := &topicFeed{d: d, only: only, next: make([]int64, partitions), rng: rand.New(rand.NewPCG(d.rng.Uint64(), 1)),
		heard: rand.New(rand.NewPCG(d.rng.Uint64(), 4))}
	for p := range partitions {
		f.next[p], _ = m.Intake().Next(topicPart(p))
	}
	return f
}

// hopping is a clock of a host: it begins somewhere, and goes as it likes.
type hopping struct {
	mu  sync.Mutex
	now time.Time
	rng *rand.Rand
}

func (c *hopping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Duration(c.rng.IntN(120)) * time.Millisecond)
	return c.now
}

func (c *hopping) Ticker(d time.Duration) (<-chan time.Time, func()) {
	return wallClock{}.Ticker(d / 50)
}

// process is one, on a host that has a state.
type process struct {
	*dataset
	host     *ingest.Host
	follower *journal.Follower
	store    *memstore.Store
}

// start opens a state, and what belongs to it.
func (d *dataset) start(store *memstore.Store, press *stamps) (*process, error) {
	ctx := d.t.Context()
	first, err := journal.Open(d.log, d.key, "shard 0", state.JournalMark{}, newRandom(d.rng.Uint64())).First(ctx)
	if err != nil {
		return nil, err
	}
	o := incremental.Options{Schema: d.schema, Policy: d.policy}
	_, _ = newRandom(d.rng.Uint64()).Read(o.Seed[:]) // a state that there is keeps its own
	var root *journal.Genesis
	if first != nil {
		root = first.Genesis
	}
	m, err := incremental.Open(store, o)
	if err != nil {
		return nil, err
	}
	clock := &hopping{now: time.Unix(1e9+d.rng.Int64N(100_000), 0), rng: rand.New(rand.NewPCG(d.rng.Uint64(), 2))}
	p := &process{dataset: d, store: store}
	p.host = &ingest.Host{Machine: m, Store: store, Schema: d.schema, DeadLetters: &bin{seen: map[uint64]state.DeadLetter{}},
		Publisher: press, Clock: clock, Log: slog.New(slog.DiscardHandler), Once: true,
		Limits: ingest.Limits{CommitRecords: 1 + d.rng.IntN(60)},
		Ports:  ingest.Ports{Forgetting: &erasing{store: store, options: o, list: d.list}},
		NewDecoder: func() (decode.Decoder, error) {
			return decode.New(decode.Debezium, d.schema, decode.Options{Deletes: true})
		}}
	entries := journal.Entries(journal.Open(d.log, d.key, "shard 0", m.Journal(), newRandom(d.rng.Uint64())))
	if d.broken != nil {
		entries = d.broken(entries, d)
	}
	p.host.Steps = journal.NewSteps(entries, p.host.Policy)
	p.follower = &journal.Follower{Host: p.host, Entries: entries, Open: p.openPartition,
		Republish: func(ctx context.Context, v *incremental.View, _ [32]byte) (ingest.Release, error) {
			return press.Publish(ctx, v)
		}}
	if err := p.follower.Root(ctx, root); err != nil {
		return nil, err
	}
	if d.oldest == nil {
		d.oldest = store.Clone()
	}
	return p, nil
}

// repeat does again what the journal has.
func (p *process) repeat() error {
	_, err := p.follower.Repeat(p.t.Context())
	return err
}

func (p *process) openPartition(_ context.Context, part state.Partition, _ state.Position) (ingest.Source, error) {
	return p.feed(p.host.Machine, int(part.ID)), nil
}

func (p *process) run() error {
	p.host.Source = p.feed(p.host.Machine, -1)
	return p.host.Run(p.t.Context())
}

// life lets processes be killed and started elsewhere until one of them reaches the end. It returns the state
// of that one, and how many were killed.
func (d *dataset) life(press *stamps) (last *process, kills int, err error) {
	store, backups := memstore.New(), []*memstore.Store(nil)
	for {
		p, err := d.start(store, press)
		if err != nil {
			return nil, kills, err
		}
		left := d.rng.IntN(120)
		p.host.Hook = func(string) error {
			if d.rng.IntN(9) == 0 {
				backups = append(backups, p.store.Clone())
			}
			if left--; left < 0 && kills < 8 {
				return errKilled
			}
			return nil
		}
		if err = p.repeat(); err == nil {
			err = p.run()
		}
		switch {
		case err == nil:
			return p, kills, nil
		case !errors.Is(err, errKilled):
			return nil, kills, err
		}
		kills++
		switch d.rng.IntN(3) {
		case 0: // the same host again
		case 1: // another one, with a copy of the state of some age
			store = append(backups, d.oldest)[d.rng.IntN(len(backups)+1)].Clone()
		case 2:
			store = d.oldest.Clone()
		}
	}
}

// history is the life of a dataset, and what must hold afterwards; the error says what does not.
func (d *dataset) history() (kills, releases int, err error) {
	last, kills, err := d.life(d.press)
	if err != nil {
		return kills, 0, err
	}
	m := last.host.Machine
	d.last = m
	if faults := m.CheckInvariants(); len(faults) > 0 {
		return kills, 0, faults[0]
	}
	s := m.Status()
	if got := int(s.Accounted()); got != d.total || int(s.Sent) != d.total {
		return kills, 0, fmt.Errorf("%d of %d messages are accounted for, %d counted as sent", got, d.total, s.Sent)
	}
	for id := range d.deleted {
		if _, known := m.Forgetting().DigestOf([]byte(id)); !known {
			return kills, 0, fmt.Errorf("%s came back", id)
		}
	}
	if m.Forgetting().Due() > 0 {
		return kills, 0, errors.New("people are due still")
	}
	// The journal tells the same to a host that has the topic and the oldest backup, without records.
	again := newStamps()
	cold, err := d.start(d.oldest.Clone(), again)
	if err != nil {
		return kills, 0, err
	}
	if err := cold.repeat(); err != nil {
		return kills, 0, err
	}
	c := cold.host.Machine.Status()
	switch {
	case len(again.releases) != len(d.press.releases):
		return kills, 0, fmt.Errorf("%d releases, and %d from the oldest backup", len(d.press.releases), len(again.releases))
	case c.Published != s.Published || c.Expired != s.Expired || m.Arrived() != cold.host.Machine.Arrived() ||
		c.Pending != s.Pending || c.Forgotten != s.Forgotten || c.DeadLetter != s.DeadLetter:
		return kills, 0, fmt.Errorf("counts %+v, and %+v from the oldest backup", s, c)
	}
	for n, sum := range d.press.releases {
		if again.releases[n] != sum {
			return kills, 0, fmt.Errorf("release %d differs", n)
		}
	}
	return kills, len(d.press.releases), nil
}

// TestWhoTakesOverRepeatsWhatWasDecided: processes are killed at any step and started again on the same state, on a copy
// of some age or on the oldest one, without records. Every release is published with the same bytes by all of them, nobody is lost or
// twice there, and who was forgotten stays forgotten.
func TestWhoTakesOverRepeatsWhatWasDecided(t *testing.T) {
	kills, releases := 0, 0
	for seed := range uint64(tier.Of(t, 6, 40, 400)) {
		k, n, err := newDataset(t, seed, 400).history()
		require.NoError(t, err, "seed %d, after %d kills", seed, k)
		kills, releases = kills+k, releases+n
	}
	t.Logf("%d kills, %d releases", kills, releases)
	require.NotZero(t, kills)
	require.NotZero(t, releases)
}

// TestAnotherSeedIsRefused: a state with other draws would decide otherwise.
func TestAnotherSeedIsRefused(t *testing.T) {
	d := newDataset(t, 1, 100)
	_, _, err := d.life(d.press)
	require.NoError(t, err)
	_, err = d.start(memstore.New(), newStamps())
	require.ErrorIs(t, err, journal.ErrForked)
	require.ErrorContains(t, err, "another seed")
}

// TestTheSeedIsDurableBeforeItsJournal: who is killed between the two entries goes on with the same draws.
func TestTheSeedIsDurableBeforeItsJournal(t *testing.T) {
	d, store := newDataset(t, 1, 100), memstore.New()
	d.broken = func(j journal.Entries, _ *dataset) journal.Entries { return lostAck{j} }
	_, err := d.start(store, d.press)
	require.ErrorIs(t, err, errKilled)
	d.broken = nil
	_, err = d.start(store, d.press)
	require.NoError(t, err)
}

// lostAck is a journal whose process is killed when an entry is written, before it knows.
type lostAck struct{ journal.Entries }

func (l lostAck) Append(ctx context.Context, e *journal.Entry) (state.JournalMark, error) {
	_, err := l.Entries.Append(ctx, e)
	return state.JournalMark{}, errors.Join(err, errKilled)
}

// TestJournalHasNoSeed: the entries, decrypted, have no part of the seed (rule R, randomness), nor of a key that follows
// from it.
func TestJournalHasNoSeed(t *testing.T) {
	d := newDataset(t, 2, 300)
	last, _, err := d.life(d.press)
	require.NoError(t, err)
	seed := last.host.Machine.Seed()
	require.NotZero(t, seed)
	j := journal.Open(d.log, d.key, "shard 0", state.JournalMark{}, newRandom(1))
	var all []byte
	for {
		e, _, err := j.Read(t.Context())
		require.NoError(t, err)
		if e == nil {
			break
		}
		text, err := json.Marshal(e)
		require.NoError(t, err)
		all = append(all, text...)
	}
	check := last.host.Machine.SeedCheck()
	require.Contains(t, string(all), hex.EncodeToString(check[:]))
	for name, secret := range map[string][]byte{"seed": seed[:], "key of the list of who was forgotten": incremental.SuppressionKey(seed)} {
		for i := range len(secret) - 7 {
			part := secret[i : i+8]
			require.False(t, bytes.Contains(all, part), name)
			require.NotContains(t, string(all), hex.EncodeToString(part), name)
		}
	}
}

// TestATakeoverGoesByTheClocksOfThatTime: by the clock of the host people lapse, and windows end, since a time stamp that lies more than a
// day ahead counts as none. Whoever repeats the journal decides both as the processes did that wrote it, whose clocks were others, also
// where the machine's time counts cuts.
func TestATakeoverGoesByTheClocksOfThatTime(t *testing.T) {
	for name, c := range map[string]struct{ cuts, ahead, lapse bool }{"the machine's time counts cuts": {cuts: true},
		"some stamps lie ahead": {ahead: true}, "both": {cuts: true, ahead: true}, "people lapse": {lapse: true}} {
		t.Run(name, func(t *testing.T) {
			none, lapsed := uint64(0), 0
			for seed := range uint64(tier.Of(t, 3, 10, 60)) {
				d := newDataset(t, 5+6*seed, 400)
				d.ahead = c.ahead
				if d.policy.HoldInCuts = c.cuts; c.cuts {
					d.policy.MaxHold = 2
				}
				if c.lapse {
					d.policy.MaxHold, d.policy.MaxWait, d.policy.Settle.For = 0, 1000, 60_000
				}
				k, _, err := d.history()
				require.NoError(t, err, "seed %d, after %d kills", 5+6*seed, k)
				none, lapsed = none+d.last.Ahead(), lapsed+d.last.Status().Lapsed
			}
			require.Equal(t, c.ahead, none > 0, "stamps that count as none")
			require.Equal(t, c.lapse, lapsed > 0)
		})
	}
}

package kafkasrc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch/fetchtest"
	"anond/internal/retry"
)

const topic = "admissions"

// patience bounds every wait of a test, so far away that no busy machine comes near it.
const patience = time.Hour

// broker starts an in-process cluster that speaks Kafka's protocol on loopback.
func broker(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func background(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// config is a configuration with short waits. Only an answer may take long: a busy
// machine is no failure.
func config(c *kfake.Cluster, log *events) Config {
	return Config{Config: kafkaclient.Config{Brokers: c.ListenAddrs(), Topic: topic, RequestTimeout: patience,
		RefreshInterval: 30 * time.Millisecond, Logger: slog.New(log),
		Reconnect: retry.Policy{Initial: 5 * time.Millisecond, Max: 50 * time.Millisecond}},
		MaxWait: 20 * time.Millisecond, OpenTimeout: 100 * time.Millisecond, ConfirmAfter: 50 * time.Millisecond,
		CommitInterval: 10 * time.Millisecond}
}

func open(t testing.TB, cfg Config, resume ingest.Resume) ingest.Source {
	t.Helper()
	if resume.Digest == nil {
		resume.Digest = sum
	}
	s, err := Open(background(t), cfg, resume)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func sum(b []byte) (d state.Digest) {
	h := sha256.Sum256(b)
	copy(d[:], h[:])
	return d
}

// producer returns a client that writes where it is told.
func producer(t testing.TB, c *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	b := &batched{}
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ManualFlushing(), kgo.MetadataMinAge(10 * time.Millisecond), kgo.WithHooks(b)}, opts...)...)
	require.NoError(t, err)
	batches.Store(cl, b)
	t.Cleanup(func() { cl.Close(); batches.Delete(cl) })
	return cl
}

// batched counts the records that have their place in a batch.
type batched struct{ n atomic.Int64 }

// batches are those of the clients that producer has made.
var batches sync.Map

func (b *batched) OnProduceRecordPartitioned(*kgo.Record, int32) { b.n.Add(1) }

// produce writes records as one batch a partition. A client that does not know the topic yet
// would send what has a place when it is flushed, and the rest behind that.
func produce(t testing.TB, cl *kgo.Client, records ...*kgo.Record) {
	t.Helper()
	errs := make(chan error, len(records))
	b, counts := batches.Load(cl)
	if counts {
		b.(*batched).n.Store(0)
	}
	for _, r := range records {
		cl.Produce(context.Background(), r, func(_ *kgo.Record, err error) { errs <- err })
	}
	if counts {
		eventually(t, "they are in batches", func() bool { return b.(*batched).n.Load() == int64(len(records)) })
	}
	require.NoError(t, cl.Flush(background(t)))
	for range records {
		require.NoError(t, <-errs)
	}
}

// write writes values from..to-1 to a partition, as one batch.
func write(t testing.TB, cl *kgo.Client, partition int32, from, to int) {
	t.Helper()
	var records []*kgo.Record
	for i := from; i < to; i++ {
		records = append(records, &kgo.Record{Topic: topic, Partition: partition, Value: value(partition, i)})
	}
	produce(t, cl, records...)
}

func value(partition int32, i int) []byte { return fmt.Appendf(nil, `{"p":%d,"i":%d}`, partition, i) }

// received is what a test has read; it checks the port's promises on the way.
type received struct {
	next   map[int32]int64
	values map[int32][]string
	pos    map[state.Partition]state.Position
}

func newReceived() *received {
	return &received{map[int32]int64{}, map[int32][]string{}, map[state.Partition]state.Position{}}
}

func (r *received) take(t testing.TB, c *ingest.Chunk) {
	t.Helper()
	id := c.Partition.ID
	if next, known := r.next[id]; known {
		require.Equal(t, next, c.From, "chunks of a partition follow each other")
	}
	require.Greater(t, c.Next, c.From)
	at := c.From
	pos := r.pos[c.Partition]
	if _, known := r.pos[c.Partition]; !known {
		pos.Last = -1
	}
	for _, rec := range c.Records {
		require.GreaterOrEqual(t, rec.Offset, at)
		at = rec.Offset + 1
		r.values[id] = append(r.values[id], string(rec.Value))
		pos.Last, pos.Digest = rec.Offset, sum(rec.Value)
	}
	require.LessOrEqual(t, at, c.Next)
	pos.Next = c.Next
	r.next[id], r.pos[c.Partition] = c.Next, pos
}

func (r *received) count() (n int) {
	for _, v := range r.values {
		n += len(v)
	}
	return n
}

// readEnd reads a Once source to its end.
func (r *received) readEnd(t testing.TB, s ingest.Source) {
	t.Helper()
	ctx := background(t)
	for {
		c, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		r.take(t, c)
	}
}

// readN reads until n records have come altogether.
func (r *received) readN(t testing.TB, s ingest.Source, n int) {
	t.Helper()
	ctx := background(t)
	for r.count() < n {
		c, err := s.Next(ctx)
		require.NoError(t, err)
		r.take(t, c)
	}
}

// readError reads until the source ends with an error.
func (r *received) readError(t testing.TB, s ingest.Source) error {
	t.Helper()
	ctx := background(t)
	for {
		c, err := s.Next(ctx)
		if err != nil {
			require.NotErrorIs(t, err, context.DeadlineExceeded)
			return err
		}
		r.take(t, c)
	}
}

// resume is what a state that holds all that was read would say.
func (r *received) resume(once bool) ingest.Resume {
	return ingest.Resume{Positions: maps.Clone(r.pos), Digest: sum, Once: once}
}

func wantValues(partition int32, ranges ...[2]int) (values []string) {
	for _, r := range ranges {
		for i := r[0]; i < r[1]; i++ {
			values = append(values, string(value(partition, i)))
		}
	}
	return values
}

// events is a slog.Handler that remembers what was logged.
type events struct {
	mu   sync.Mutex
	seen []loggedEvent
}

type loggedEvent struct {
	name string
	text string // all attributes
}

func (e *events) Enabled(context.Context, slog.Level) bool { return true }
func (e *events) WithGroup(string) slog.Handler            { return e }
func (e *events) WithAttrs([]slog.Attr) slog.Handler       { return e }

func (e *events) Handle(_ context.Context, r slog.Record) error {
	le := loggedEvent{text: r.Message}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "event" {
			le.name = a.Value.String()
		}
		le.text += " " + a.String()
		return true
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, le)
	return nil
}

func (e *events) count(name string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.seen {
		if s.name == name {
			n++
		}
	}
	return n
}

// has reports whether an event, of whatever name, has a text. Which failure comes first depends
// on the machine.
func (e *events) has(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.seen, func(s loggedEvent) bool { return strings.Contains(s.text, text) })
}

// text returns the attributes of the last event of that name.
func (e *events) text(name string) (text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.seen {
		if s.name == name {
			text = s.text
		}
	}
	return text
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, patience, 2*time.Millisecond, what)
}

// Batches of tests.
var encodeBatch, record, recompress, sealed = fetchtest.Batch, fetchtest.Record, fetchtest.Recompress, fetchtest.Sealed

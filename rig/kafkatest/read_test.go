package kafkatest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestStatic reads four partitions without a group, is stopped in the middle,
// and commits its positions to a group for lag tools.
func TestStatic(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 4)
	for id := range int32(4) {
		p.write(id, people(int(id)*1000, 250)...)
	}
	group := unique("lag")
	s := newSite(t, p).kafka(section{"group": group})
	run := s.start()
	run.await("source_connected", 1)
	run.await("release_published", 1)
	s.sent(1000)
	run.stop()
	p.write(2, people(10000, 300)...)
	run = s.start()
	s.sent(1300)
	want := map[int32]int64{0: 250, 1: 250, 2: 550, 3: 250}
	require.Eventually(t, func() bool { return fmt.Sprint(p.committed(group, 4)) == fmt.Sprint(want) }, patience, 50*time.Millisecond,
		"commits")
	run.stop()
	c := s.settled(1300, 0)
	require.GreaterOrEqual(t, c.Release, 2)
	require.Positive(t, c.Published)
}

// TestEmptyTopic starts, stops and kills anond before the first record comes.
func TestEmptyTopic(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 2)
	s := newSite(t, p)
	run := s.start()
	run.await("started", 1)
	run.stop()
	run = s.start()
	run.await("started", 1)
	run.kill()
	run = s.start()
	run.await("started", 1)
	p.write(1, people(0, 200)...)
	s.sent(200)
	run.stop()
	s.settled(200, 0)
}

// TestOlderState restores a copy of the state that is older than the group's commits.
func TestOlderState(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 50)...) // too few for a second release: only the group knows
	s := newSite(t, p).kafka(section{"group": unique("witness")})
	s.once().ends(0)
	old := s.backup()
	p.write(0, people(50, 3)...)
	s.start("--once").ends(0)
	old.restore()
	s.start().ends(5)
}

// TestCodecs reads every compression, written by franz-go.
func TestCodecs(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(),
		kgo.ZstdCompression()}
	for i, codec := range codecs {
		p.writeBy(client(t, kgo.ProducerBatchCompression(codec)), 0, people(i*1000, 300)...)
	}
	s := newSite(t, p)
	s.once().ends(0)
	s.settled(300*len(codecs), 0)
}

// TestAborted reads committed records between those of aborted transactions and
// of one that is still open. Aborted people are 99 years old, nobody else is.
func TestAborted(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	a, b := transactor(t), transactor(t)
	for i := range 5 {
		p.transact(a, true, people(i*1000, 60)...)
		p.transact(b, false, marked(i*1000+500, 40)...)
		p.interleave(a, b, people(i*1000+100, 10), marked(i*1000+600, 10))
	}
	require.NoError(t, a.BeginTransaction())
	p.writeBy(a, 0, people(50000, 30)...)
	p.write(0, people(60000, 20)...) // behind the open transaction

	s := newSite(t, p)
	s.once().ends(0)
	c := s.settled(5*70, 0)
	require.Positive(t, c.Published)
	require.NoError(t, a.EndTransaction(wait(t), kgo.TryCommit))
	s.once().ends(0)
	s.settled(5*70+50, 0)
	for _, r := range s.records() {
		require.NotContains(t, r, "99", "a record of an aborted transaction became a person")
	}
}

// marked are people of an aborted transaction.
func marked(from, n int) [][]byte {
	values := make([][]byte, n)
	for i := range values {
		values[i] = person(from+i, 99)
	}
	return values
}

func transactor(t testing.TB) *kgo.Client {
	t.Helper()
	return client(t, kgo.TransactionalID(unique("tx")))
}

// transact writes one transaction.
func (p *topic) transact(c *kgo.Client, commit bool, values ...[]byte) {
	p.t.Helper()
	require.NoError(p.t, c.BeginTransaction())
	p.writeBy(c, 0, values...)
	require.NoError(p.t, c.EndTransaction(wait(p.t), kgo.TransactionEndTry(commit)))
}

// interleave writes two transactions at once, record by record: the first is
// committed, the second aborted.
func (p *topic) interleave(a, b *kgo.Client, good, bad [][]byte) {
	p.t.Helper()
	require.NoError(p.t, a.BeginTransaction())
	require.NoError(p.t, b.BeginTransaction())
	for i := range good {
		p.writeBy(a, 0, good[i])
		p.writeBy(b, 0, bad[i])
	}
	require.NoError(p.t, b.EndTransaction(wait(p.t), kgo.TryAbort))
	require.NoError(p.t, a.EndTransaction(wait(p.t), kgo.TryCommit))
}

// TestCompaction reads a topic whose cleaner left holes, goes on from a position
// whose record is gone, and reads it all from the start.
func TestCompaction(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1, "cleanup.policy=compact", "min.cleanable.dirty.ratio=0.001", "segment.ms=100", "min.compaction.lag.ms=0",
		"delete.retention.ms=0")
	const keys = 400
	s := newSite(t, p)
	p.keyed(0, keys)
	s.once().ends(0)
	require.Equal(t, keys, s.counts().Sent)

	p.keyed(10000, keys) // the same keys again: all that was read is removed
	more := p.compacted(keys)
	run := s.once().ends(0)
	run.await("source_unverified", 1)
	s.settled(2*keys+more, 0)

	fresh := newSite(t, p) // one who comes later sees holes from the start
	fresh.once().ends(0)
	fresh.settled(keys+more, 0)
}

// keyed writes n people under the keys 0 to n-1.
func (p *topic) keyed(from, n int) {
	p.t.Helper()
	records := make([]*kgo.Record, n)
	for i, v := range people(from, n) {
		records[i] = &kgo.Record{Topic: p.name, Key: fmt.Appendf(nil, "%d", i), Value: v}
	}
	require.NoError(p.t, p.c.ProduceSync(wait(p.t), records...).FirstErr())
}

// compacted waits until the cleaner has left one record of each of n keys. It
// never cleans the segment that is written to, so more records are written
// meanwhile, each with a key of its own; their number is returned.
func (p *topic) compacted(n int) (more int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		r := &kgo.Record{Topic: p.name, Key: fmt.Appendf(nil, "more-%d", more), Value: person(90000+more, 50)}
		require.NoError(p.t, p.c.ProduceSync(wait(p.t), r).FirstErr())
		more++
		broker.Compact()
		keys, _ := p.values()
		return len(keys) == n+more
	}, patience, 250*time.Millisecond)
	return more
}

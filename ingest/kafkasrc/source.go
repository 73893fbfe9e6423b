package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/ingest"
	"anond/internal/kafkaclient"
	"anond/internal/retry"
)

// source implements ingest.Source.
type source struct {
	cfg     Config
	resume  ingest.Resume
	client  *client
	log     *slog.Logger
	health  health
	commits *committer // nil without a group

	goroutines
	failure
	chunks chan *ingest.Chunk
	ended  chan struct{} // all partitions reached their limit (Once)

	topicSize
	turns     turns
	idleParts *idleParts

	mu      sync.Mutex
	order   order
	parts   map[int32]*partition
	stalled bool
	silence retry.Silence // about stalls
}

// goroutines are those of a source.
type goroutines struct {
	ctx       context.Context
	cancel    context.CancelFunc
	closeOnce sync.Once
	wg        sync.WaitGroup
}

// failure is the error with which a source ends.
type failure struct {
	failOnce sync.Once
	failed   chan struct{}
	err      error // set before failed is closed
}

// topicSize is how many partitions the topic has.
type topicSize struct {
	fewer time.Time // since when a known partition is missing, while the source starts
	short time.Time // since when a shard's topic has fewer partitions than it had
	total int       // partitions of the topic, those of other shards included
}

var _ ingest.Source = (*source)(nil)

var errClosed = errors.New("the Kafka source is closed")

// Open connects to the cluster, compares the positions of state with the log
// and starts to read all partitions.
//
// It waits for brokers and topic without limit. It returns *ingest.GapError,
// ingest.ErrReplaced and ingest.ErrBehind (a group commit is ahead of state) at
// once, refused credentials and certificates after OpenTimeout, and ctx's
// error.
//
// A partition that state does not know is read from the first offset that the
// log still holds. Behind a gap that OnGap accepts, the first chunk covers the
// missing offsets, so that chunks still follow each other.
func Open(ctx context.Context, cfg Config, resume ingest.Resume) (ingest.Source, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(cfg)
	s := &source{cfg: cfg, resume: resume, client: c, log: cfg.Logger.With(slog.String("topic", cfg.Topic)),
		chunks: make(chan *ingest.Chunk, cfg.Depth), ended: make(chan struct{}),
		failure: failure{failed: make(chan struct{})}, parts: map[int32]*partition{}}
	s.health = health{log: s.log, access: cfg.Access}
	s.order = order{on: resume.Ordered, moved: make(chan struct{})}
	s.turns, s.idleParts = newTurns(cfg.Fetches), newIdleParts(s)
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.retry(ctx, s.start); err != nil {
		s.cancel()
		c.Close()
		return nil, err
	}
	s.log.Info("reading", event("source_connected"), slog.Int("partitions", len(s.parts)))
	return s, nil
}

// heedLease ends the source when the lease is lost: whatever is read from then
// on belongs to another instance.
func (s *source) heedLease() {
	select {
	case <-s.cfg.Lease.Lost():
		s.fail(ErrLeaseLost)
	case <-s.ctx.Done():
	}
}

func (s *source) add(p *partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[p.id] = p
	s.reorder(true)
}

func (s *source) launch(p *partition) { s.wg.Go(func() { p.run(s.ctx) }) }

// crowded reports whether there are more partitions than may wait at a broker.
func (s *source) crowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.parts) > s.cfg.Fetches
}

// fail ends the source with an error; the first one counts. The error is set
// before the context ends, so that it can be found once the context has ended.
func (s *source) fail(err error) {
	s.failOnce.Do(func() {
		s.err = err
		close(s.failed)
		s.cancel()
	})
}

// Next implements ingest.Source.
func (s *source) Next(ctx context.Context) (*ingest.Chunk, error) {
	select {
	case c := <-s.chunks:
		return s.taken(c), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.failed:
		return s.rest(s.err)
	case <-s.ended:
		return s.rest(s.endError())
	case <-s.ctx.Done():
		select {
		case <-s.failed: // fail cancels, too
			return s.rest(s.err)
		default:
			return nil, errClosed
		}
	}
}

func (s *source) endError() error {
	select {
	case <-s.failed:
		return s.err
	default:
		return io.EOF
	}
}

// rest returns what was fetched before the end, then the end.
func (s *source) rest(end error) (*ingest.Chunk, error) {
	select {
	case c := <-s.chunks:
		return s.taken(c), nil
	default:
		return nil, end
	}
}

func (s *source) taken(c *ingest.Chunk) *ingest.Chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[c.Partition.ID].handed.Store(c.Next)
	s.reorder(false)
	return c
}

// Ends implements ingest.Source: the last stable offsets.
func (s *source) Ends(ctx context.Context) (map[state.Partition]int64, error) {
	var offsets map[int32]int64
	err := s.retry(ctx, func(ctx context.Context) (err error) {
		offsets, err = s.client.ListOffsets(ctx, s.ids(), kafka.LastOffset, kafkaclient.ReadCommitted)
		return err
	})
	if err != nil {
		return nil, err
	}
	ends := make(map[state.Partition]int64, len(offsets))
	for id, end := range offsets {
		ends[s.cfg.partition(id)] = end
	}
	return ends, nil
}

func (s *source) ids() []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.parts))
}

// Ack implements ingest.Source.
func (s *source) Ack(positions map[state.Partition]int64) {
	if s.commits == nil {
		return
	}
	offsets := make(map[int32]int64, len(positions))
	for p, next := range positions {
		if p.Source == s.cfg.Source {
			offsets[p.ID] = next
		}
	}
	s.commits.note(offsets)
}

// Status implements ingest.Source.
func (s *source) Status() ingest.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := ingest.Status{Trouble: s.health.trouble(), Stalled: s.stalled}
	st.Connected = st.Trouble == ""
	for _, id := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[id]
		st.Partitions = append(st.Partitions, ingest.PartitionStatus{Partition: s.cfg.partition(id), Next: p.handed.Load(),
			End: p.most(p.end.Load()), Heard: time.Unix(0, p.heard.Load())})
	}
	return st
}

// Close stops all goroutines. What was acknowledged is committed first.
func (s *source) Close() error {
	s.closeOnce.Do(func() {
		s.cancel()
		s.wg.Wait()
		if s.commits != nil {
			s.commits.close()
		}
		s.client.Close()
	})
	return nil
}

// Shard is the part of a topic that a source reads: the partitions whose number modulo Of is
// Index. Of 0: all of them.
type Shard struct {
	Index, Of  int
	Partitions int // that the topic had when it was first read; 0: it was not
}

// Partitions implements ingest.Partitioned.
func (s *source) Partitions() int { return s.total }

// own returns the partitions that are read. A topic that has other partitions than when it was
// first read is final, as the keys of people lead elsewhere: at once if there are more, after
// ConfirmAfter if there are fewer, as a broker that is behind the others names fewer for a while.
func (s *source) own(ids []int32) ([]int32, error) {
	sh := s.cfg.Shard
	s.total = len(ids)
	if sh.Of == 0 {
		return ids, nil
	}
	if s.total < sh.Partitions {
		if s.short.IsZero() {
			s.short = time.Now()
		}
		if time.Since(s.short) < s.cfg.ConfirmAfter {
			return nil, fmt.Errorf("the topic has %d partitions, and had %d", s.total, sh.Partitions)
		}
	}
	if sh.Partitions > 0 && s.total != sh.Partitions {
		return nil, s.partitionsChanged(sh.Partitions, s.total)
	}
	mine := slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return int(id)%sh.Of != sh.Index })
	if len(mine) == 0 {
		return nil, s.partitionsChanged(0, s.total)
	}
	return mine, nil
}

func (s *source) partitionsChanged(was, is int) error {
	err := &ingest.PartitionsChangedError{Source: s.cfg.Source, Was: was, Has: is, Index: s.cfg.Shard.Index, Of: s.cfg.Shard.Of}
	s.log.Error("the topic does not have the partitions that the shard needs", event("source_partitions_changed"),
		slog.Int("partitions", is), slog.String("error", err.Error()))
	return err
}

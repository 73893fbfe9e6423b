package kafkasrc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"anond/incremental"
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

	ctx       context.Context // of the goroutines
	cancel    context.CancelFunc
	closeOnce sync.Once
	wg        sync.WaitGroup
	chunks    chan *ingest.Chunk
	ended     chan struct{} // all partitions reached their limit (Once)

	failOnce sync.Once
	failed   chan struct{}
	err      error // set before failed is closed

	fewer   time.Time // since when a known partition is missing, while the source starts
	short   time.Time // since when a shard's topic has fewer partitions than it had
	total   int       // partitions of the topic, those of other shards included
	turns   turns
	lookout *lookout

	mu      sync.Mutex
	order   order
	parts   map[int32]*partition
	stalled bool
	silence retry.Silence // about stalls
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
		chunks: make(chan *ingest.Chunk, cfg.Depth), ended: make(chan struct{}), failed: make(chan struct{}), parts: map[int32]*partition{}}
	s.health = health{log: s.log, access: cfg.Access}
	s.order = order{on: resume.Ordered, moved: make(chan struct{})}
	s.turns, s.lookout = newTurns(cfg.Fetches), newLookout(s)
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
func (s *source) Ends(ctx context.Context) (map[incremental.Partition]int64, error) {
	var offsets map[int32]int64
	err := s.retry(ctx, func(ctx context.Context) (err error) {
		offsets, err = s.client.ListOffsets(ctx, s.ids(), kafka.LastOffset, kafkaclient.ReadCommitted)
		return err
	})
	if err != nil {
		return nil, err
	}
	ends := make(map[incremental.Partition]int64, len(offsets))
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
func (s *source) Ack(positions map[incremental.Partition]int64) {
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

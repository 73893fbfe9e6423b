package kafkasrc

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/offsetcommit"
	"github.com/segmentio/kafka-go/protocol/offsetfetch"

	"anond/ingest"
	"anond/internal/retry"
)

// committer commits acknowledged positions to the consumer group from time to
// time. It is a best-effort offset commit, for tools that show the lag, and a
// witness: a commit is never ahead of state, so a state that is behind a commit
// was restored from an older copy. It never moves a commit back.
type committer struct {
	src  *source
	stop chan struct{}
	wg   sync.WaitGroup

	mu        sync.Mutex
	wanted    map[int32]int64
	committed map[int32]int64
	failing   bool // the last commit failed, and that was logged
}

// newCommitter reads the group's commits and compares them with state. The
// error is ingest.ErrBehind if state is behind them.
func newCommitter(ctx context.Context, s *source, ids []int32) (*committer, error) {
	commits, err := s.client.committed(ctx, s.cfg.Group, ids)
	if err != nil {
		return nil, err
	}
	for id, offset := range commits {
		p := s.cfg.partition(id)
		if next := max(s.resume.Positions[p].Next, s.resume.Read[p]); offset > next {
			return nil, fmt.Errorf("%w: group %s has committed offset %d of %s partition %d, state is at %d",
				ingest.ErrBehind, s.cfg.Group, offset, s.cfg.Source, id, next)
		}
	}
	c := &committer{src: s, stop: make(chan struct{}), wanted: map[int32]int64{}, committed: commits}
	c.wg.Go(c.run)
	return c, nil
}

func (c *committer) note(offsets map[int32]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, next := range offsets {
		c.wanted[id] = max(next, c.wanted[id])
	}
}

func (c *committer) run() {
	tick := time.NewTicker(c.src.cfg.CommitInterval)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			c.flush()
			return
		case <-tick.C:
			c.flush()
		}
	}
}

func (c *committer) close() {
	close(c.stop)
	c.wg.Wait()
}

// flushTimeout bounds a commit, and so the time that Close takes.
const flushTimeout = 3 * time.Second

// flush commits what has advanced. Only run calls it, so that commits do not
// overtake each other.
func (c *committer) flush() {
	c.mu.Lock()
	due := map[int32]int64{}
	for id, next := range c.wanted {
		if old, ok := c.committed[id]; !ok || next > old {
			due[id] = next
		}
	}
	c.mu.Unlock()
	if len(due) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	err := c.commit(ctx, due)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		maps.Copy(c.committed, due)
	}
	if failing := err != nil; failing != c.failing {
		if c.failing = failing; failing {
			c.src.log.Warn("positions could not be committed to the group; state keeps them anyway", event("source_commit_failed"),
				slog.String("group", c.src.cfg.Group), slog.String("error", err.Error()))
		}
	}
}

func (c *committer) commit(ctx context.Context, offsets map[int32]int64) error {
	if lease := c.src.cfg.Lease; lease != nil {
		return lease.Commit(ctx, offsets)
	}
	return c.src.client.commit(ctx, c.src.cfg.Group, outside, offsets)
}

// committing is as whom offsets are committed.
type committing struct {
	generation int32
	member     string
}

// outside is a consumer outside the group's protocol (no member, no generation).
// The coordinator refuses its commits while the group has members.
var outside = committing{generation: -1}

func (c *client) commit(ctx context.Context, group string, as committing, offsets map[int32]int64) error {
	topic := offsetcommit.RequestTopic{Name: c.cfg.Topic}
	for id, offset := range offsets {
		topic.Partitions = append(topic.Partitions,
			offsetcommit.RequestPartition{PartitionIndex: id, CommittedOffset: offset, CommittedLeaderEpoch: -1, CommitTimestamp: -1})
	}
	m, err := c.Do(ctx, &offsetcommit.Request{GroupID: group, GenerationID: as.generation, MemberID: as.member, RetentionTimeMs: -1,
		Topics: []offsetcommit.RequestTopic{topic}}, 0)
	if err != nil {
		return err
	}
	for _, t := range m.(*offsetcommit.Response).Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return fmt.Errorf("partition %d: %w", p.PartitionIndex, kafka.Error(p.ErrorCode))
			}
		}
	}
	return nil
}

// committed returns the group's committed offsets, of the partitions that have one.
func (c *client) committed(ctx context.Context, group string, ids []int32) (map[int32]int64, error) {
	m, err := c.Do(ctx, &offsetfetch.Request{GroupID: group,
		Topics: []offsetfetch.RequestTopic{{Name: c.cfg.Topic, PartitionIndexes: ids}}}, 0)
	if err != nil {
		return nil, err
	}
	res := m.(*offsetfetch.Response)
	if kafka.Error(res.ErrorCode) == kafka.GroupIdNotFound { // a group that never committed
		return map[int32]int64{}, nil
	}
	if res.ErrorCode != 0 {
		return nil, fmt.Errorf("commits of group %s: %w", group, kafka.Error(res.ErrorCode))
	}
	commits := map[int32]int64{}
	for _, t := range res.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return nil, fmt.Errorf("commits of group %s, partition %d: %w", group, p.PartitionIndex, kafka.Error(p.ErrorCode))
			}
			if p.CommittedOffset >= 0 {
				commits[p.PartitionIndex] = p.CommittedOffset
			}
		}
	}
	return commits, nil
}

// Committed returns the group's commits, of partitions that have one. A commit
// ahead of state says that state is an older copy (ingest.ErrBehind). It waits
// for the brokers until ctx is done.
func (l *Lease) Committed(ctx context.Context) (map[state.Partition]int64, error) {
	attempts, silence := l.cfg.Reconnect.Attempts(), retry.Silence{}
	for {
		commits, err := l.commits(ctx)
		if err == nil {
			named := make(map[state.Partition]int64, len(commits))
			for id, offset := range commits {
				named[l.cfg.partition(id)] = offset
			}
			return named, nil
		}
		if tries, told := silence.Broken(time.Now(), retry.FirstSilence); told {
			l.log.Warn("the group's commits could not be read, trying again", event("source_retry"), slog.String("error", err.Error()),
				slog.Int("tries", tries))
		}
		if err := attempts.Wait(ctx); err != nil {
			return nil, err
		}
		l.client.Renew(0, false)
	}
}

func (l *Lease) commits(ctx context.Context) (map[int32]int64, error) {
	ids, err := l.client.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	return l.client.committed(ctx, l.cfg.Group, ids)
}

// Commit commits offsets as the generation that holds the lease; the group
// refuses those of an older one. It never moves a commit back.
//
// It does not use the connection of the heartbeats, as Generation.CommitOffsets
// does: kafka-go has one deadline for all requests of a connection, so a commit
// would give more time to a heartbeat that nobody answers, and a lost lease would
// be noticed after the group has given it away.
func (l *Lease) Commit(ctx context.Context, offsets map[int32]int64) error {
	l.commitMu.Lock()
	defer l.commitMu.Unlock()
	l.mu.Lock()
	gen := l.generation
	l.mu.Unlock()
	if gen == nil {
		return ErrLeaseLost
	}
	if l.committed == nil {
		commits, err := l.commits(ctx)
		if err != nil {
			return err
		}
		l.committed = commits
	}
	due := map[int32]int64{}
	for id, offset := range offsets {
		if old, known := l.committed[id]; !known || offset > old {
			due[id] = offset
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := l.client.commit(ctx, l.cfg.Group, committing{gen.ID, gen.MemberID}, due); err != nil {
		return err
	}
	maps.Copy(l.committed, due)
	return nil
}

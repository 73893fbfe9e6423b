package kafkasrc

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"anond/incremental"
	"anond/internal/retry"
)

// Committed returns the group's commits, of partitions that have one. A commit
// ahead of state says that state is an older copy (ingest.ErrBehind). It waits
// for the brokers until ctx is done.
func (l *Lease) Committed(ctx context.Context) (map[incremental.Partition]int64, error) {
	attempts, silence := l.cfg.Reconnect.Attempts(), retry.Silence{}
	for {
		commits, err := l.commits(ctx)
		if err == nil {
			named := make(map[incremental.Partition]int64, len(commits))
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

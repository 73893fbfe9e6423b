package kafkasrc

import (
	"context"
	"log/slog"

	"anond/incremental"
)

// Committed returns the group's commits, of partitions that have one. A commit
// ahead of state says that state is an older copy (ingest.ErrBehind). It waits
// for the brokers until ctx is done.
func (l *Lease) Committed(ctx context.Context) (map[incremental.Partition]int64, error) {
	attempts := l.cfg.Reconnect.Attempts()
	for {
		commits, err := l.commits(ctx)
		if err == nil {
			named := make(map[incremental.Partition]int64, len(commits))
			for id, offset := range commits {
				named[l.cfg.partition(id)] = offset
			}
			return named, nil
		}
		l.log.Warn("the group's commits could not be read, trying again", event("source_retry"), slog.String("error", err.Error()))
		if err := attempts.Wait(ctx); err != nil {
			return nil, err
		}
		l.client.renew(0, false)
	}
}

func (l *Lease) commits(ctx context.Context) (map[int32]int64, error) {
	ids, err := l.client.partitions(ctx)
	if err != nil {
		return nil, err
	}
	return l.client.committed(ctx, l.cfg.Group, ids)
}

// Commit commits offsets through the generation that holds the lease; the group
// refuses those of an older one. It never moves a commit back.
func (l *Lease) Commit(offsets map[int32]int64) error {
	l.commitMu.Lock()
	defer l.commitMu.Unlock()
	l.mu.Lock()
	gen := l.generation
	l.mu.Unlock()
	if gen == nil {
		return ErrLeaseLost
	}
	if l.committed == nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		commits, err := l.commits(ctx)
		if err != nil {
			return err
		}
		l.committed = commits
	}
	due := map[int]int64{}
	for id, offset := range offsets {
		if old, known := l.committed[id]; !known || offset > old {
			due[int(id)] = offset
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := gen.CommitOffsets(map[string]map[int]int64{l.cfg.Topic: due}); err != nil {
		return err
	}
	for id, offset := range due {
		l.committed[int32(id)] = offset
	}
	return nil
}

package kafkasrc

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"anond/ingest"
)

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

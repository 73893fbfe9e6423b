package kafkasrc

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"anond/incremental"
	"anond/ingest"
)

// Reread reads single records of the topic again (ingest.Reread), one fetch each.
// Records that retention or compaction took away are left out.
func Reread(cfg Config) ingest.Reread {
	return func(ctx context.Context, wanted map[incremental.Partition][]int64, take ingest.Taken) error {
		cfg, err := cfg.withDefaults()
		if err != nil {
			return err
		}
		c := newClient(cfg)
		defer c.Close()
		s := &source{cfg: cfg, client: c, turns: newTurns(1)}
		order := func(a, b incremental.Partition) int { return cmp.Compare(a.ID, b.ID) }
		for _, p := range slices.SortedFunc(maps.Keys(wanted), order) {
			if p != cfg.partition(p.ID) {
				continue // of another topic
			}
			e, err := c.Extent(ctx, p.ID)
			if err != nil {
				return err
			}
			for _, offset := range wanted[p] {
				if offset < e.First || offset >= e.High {
					continue
				}
				if err := s.reread(ctx, p, offset, take); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (s *source) reread(ctx context.Context, p incremental.Partition, offset int64, take ingest.Taken) error {
	t, err := s.turn(ctx, nil)
	if err != nil {
		return err
	}
	defer t.end()
	res, err := t.fetch(p.ID, offset, 0)
	if err == nil {
		err = res.err()
	}
	if err != nil {
		return err
	}
	r, err := s.recordAt(t, res, offset)
	if err != nil || r.found != sameKind {
		return err
	}
	return take(p, offset, r.key, r.value, nil)
}

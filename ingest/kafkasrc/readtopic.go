package kafkasrc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/kafkaclient/fetch"
)

// ReadTopic gives every message from the beginning of a topic to the end that it has now,
// partition by partition in order. Of one that is longer than cfg.MaxRecord it has the
// beginning (Cut). Messages that the broker deleted are passed over. The brokers have to
// answer within patience; later failures are tried again without limit.
func ReadTopic(ctx context.Context, cfg Config, patience time.Duration, do func(partition int32, r *ingest.Record) error) error {
	cfg.OnGap = gapContinue
	opening, cancel := context.WithTimeoutCause(ctx, patience, ingest.ErrAway)
	defer cancel()
	s, err := Open(opening, cfg, ingest.Resume{Once: true, Digest: plainDigest})
	if err != nil {
		if cause := context.Cause(opening); cause != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return fmt.Errorf("topic %s: %w", cfg.Topic, err)
	}
	defer func() { _ = s.Close() }() // it was only read
	for {
		chunk, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range chunk.Records {
			if err := do(chunk.Partition.ID, &chunk.Records[i]); err != nil {
				return err
			}
		}
	}
}

// plainDigest is what a source asks of a state, where there is none.
func plainDigest(b []byte) (d state.Digest) {
	sum := sha256.Sum256(b)
	copy(d[:], sum[:])
	return d
}

// Reread reads single records of the topic again (ingest.Reread), one fetch each.
// Records that retention or compaction took away are left out.
func Reread(cfg Config) ingest.Reread {
	return func(ctx context.Context, wanted map[state.Partition][]int64, take ingest.Taken) error {
		cfg, err := cfg.withDefaults()
		if err != nil {
			return err
		}
		c := newClient(cfg)
		defer c.Close()
		s := &source{cfg: cfg, client: c, turns: newTurns(1)}
		order := func(a, b state.Partition) int { return cmp.Compare(a.ID, b.ID) }
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

func (s *source) reread(ctx context.Context, p state.Partition, offset int64, take ingest.Taken) error {
	t, err := s.turn(ctx, nil)
	if err != nil {
		return err
	}
	defer t.end()
	res, err := t.fetch(p.ID, offset, 0)
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return err
	}
	r, err := res.RecordAt(offset, s.sizes(), t.beLarge)
	if err != nil || r.Found != fetch.SameKind {
		return err
	}
	value := r.Value
	if s.cfg.Plain != nil {
		if _, value, err = s.cfg.Plain.of(ctx, nil, value); err != nil {
			return err
		}
	}
	return take(p, offset, r.Key, value, nil)
}

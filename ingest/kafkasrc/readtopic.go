package kafkasrc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"anond/incremental"
	"anond/ingest"
	"anond/internal/kafkaclient"
)

// ReadTopic gives every message from the beginning of a topic to the end that it has now,
// partition by partition in order. Of one that is longer than cfg.MaxRecord it has the
// beginning (Cut). Messages that the broker deleted are passed over. The brokers have to
// answer within patience; later failures are tried again without limit.
func ReadTopic(ctx context.Context, cfg Config, patience time.Duration, do func(partition int32, r *ingest.Record) error) error {
	cfg.OnGap = GapContinue
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
func plainDigest(b []byte) (d incremental.Digest) {
	sum := sha256.Sum256(b)
	copy(d[:], sum[:])
	return d
}

// ReadMessages is ReadTopic for who knows no records: a message that is longer than most has no value.
func ReadMessages(ctx context.Context, brokers kafkaclient.Config, most int, patience time.Duration,
	do func(partition int32, offset int64, key, value []byte) error) error {
	return ReadTopic(ctx, Config{Config: brokers, MaxRecord: most}, patience, func(partition int32, r *ingest.Record) error {
		if r.Cut {
			r.Value = nil
		}
		return do(partition, r.Offset, r.Key, r.Value)
	})
}

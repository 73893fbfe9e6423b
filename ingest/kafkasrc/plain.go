package kafkasrc

import (
	"cmp"
	"context"
	"slices"

	"anond/incremental/state"
	"anond/ingest"
)

// plain puts what decoders read in the place of the messages of a chunk. Of one of which that cannot be known the chunk
// ends before it, with the error. The source still knows itself again by the messages as the log has them.
func (s *source) plain(ctx context.Context, c *ingest.Chunk) error {
	if s.cfg.Plain == nil || len(c.Records) == 0 {
		return nil
	}
	size := 0
	for i := range c.Records {
		size += len(c.Records[i].Value)
	}
	logged := make([][]byte, len(c.Records))
	arena := make([]byte, 0, 2*size)
	var err error
	for i := range c.Records {
		r := &c.Records[i]
		logged[i] = r.Value
		if arena, r.Value, err = s.cfg.Plain.of(ctx, arena, r.Value); err == nil && s.cfg.PlainKey != nil {
			arena, r.Key, err = s.cfg.PlainKey.of(ctx, arena, r.Key)
		}
		if err != nil {
			c.Next, c.Records = r.Offset, c.Records[:i]
			break
		}
	}
	if digest := s.resume.Digest; digest != nil {
		c.Witness = func(r *ingest.Record) state.Digest {
			i, _ := slices.BinarySearchFunc(c.Records, r.Offset, func(r ingest.Record, at int64) int { return cmp.Compare(r.Offset, at) })
			return digest(logged[i])
		}
	}
	return err
}

// of is what decoders read of a message; it lies in the arena if it is another text.
func (p Plain) of(ctx context.Context, arena, message []byte) (_, text []byte, err error) {
	start := len(arena)
	arena, other, err := p(ctx, arena, message)
	if err != nil || !other {
		return arena[:start], message, err
	}
	return arena, arena[start:len(arena):len(arena)], nil
}

package repartition

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/retry"
	"anond/shards/keying"
)

// trimmed is a source of which retention has removed the beginning.
type trimmed struct {
	ingest.Source
	chunks []*ingest.Chunk
}

func (s *trimmed) Next(context.Context) (*ingest.Chunk, error) {
	if len(s.chunks) == 0 {
		return nil, io.EOF
	}
	c := s.chunks[0]
	s.chunks = s.chunks[1:]
	return c, nil
}

// onlyOnce takes one request, and then the writer crashes.
type onlyOnce struct {
	logs  map[int32][]Record
	takes int
}

func (o *onlyOnce) Write(_ context.Context, t int32, records []Record) error {
	if o.takes == 0 {
		return errCrash
	}
	o.takes--
	o.logs[t] = append(o.logs[t], records...)
	return nil
}

// TestACrashInTheFirstChunk: a writer that begins behind the start of its source crashes before
// its progress is saved again. The next one tells readers of the partitions that were not reached
// that theirs are the first records.
func TestACrashInTheFirstChunk(t *testing.T) {
	var saved []byte
	target := &onlyOnce{logs: map[int32][]Record{}, takes: 1}
	run := func(p *Progress) error {
		c := &ingest.Chunk{Partition: state.Partition{Source: "a"}, From: 100, Next: 100 + int64(len(lastSubjects))}
		for i, subject := range lastSubjects {
			c.Records = append(c.Records, ingest.Record{Offset: c.From + int64(i), Value: []byte(subject)})
		}
		w := &Work{Source: &trimmed{chunks: []*ingest.Chunk{c}}, Decoder: plain{}, Schema: modelSchema(t), Key: modelKey,
			Links: modelLinks, Target: target,
			Progress: p, Clock: stopped{}, writers: 1, Log: slog.New(slog.DiscardHandler),
			Digest: func(b []byte) state.Digest { return state.KeyedDigest(nil, b) },
			Retry:  retry.Policy{Sleep: func(context.Context, time.Duration) error { return errCrash }},
			Save: func(p *Progress) (err error) {
				if target.takes == 0 && len(target.logs) == 1 {
					return errCrash // it does not live to save what it has done
				}
				saved, err = p.Encode()
				return err
			}}
		_, err := w.Run(t.Context())
		return err
	}
	require.True(t, errors.Is(run(&Progress{From: "a", To: "b", Targets: modelTargets, Key: "k"}), errCrash))
	require.Len(t, target.logs, 1)

	p, err := Decode(saved)
	require.NoError(t, err)
	p.Again = true // the target holds records now
	target.takes = -1
	require.NoError(t, run(p))
	for id := range int32(modelTargets) {
		require.NotEmpty(t, target.logs[id])
		_, hole := keying.Reached{}.Follow(&target.logs[id][0].Link)
		require.False(t, hole, "partition %d: nothing is missing", id)
	}
}

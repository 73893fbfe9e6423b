package kafkasrc

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/ingest"
)

// TestMessagesThatARegistryReads: what reads them is asked again while it is away, in the middle of a chunk as well; what was read before
// is handed out; its final error ends the source; and a restart knows the log by the messages as they are in it.
func TestMessagesThatARegistryReads(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cl := producer(t, c)
	write(t, cl, 0, 0, 100)
	log := &events{}
	cfg := config(c, log)
	var away atomic.Int32
	away.Store(3)
	cfg.Plain = func(_ context.Context, to, message []byte) ([]byte, bool, error) {
		switch {
		case strings.Contains(string(message), `"i":40`) && away.Add(-1) >= 0:
			return to, false, errors.New("the registry is away")
		case strings.Contains(string(message), `"i":150`):
			return to, false, ingest.ErrSchema
		case strings.Contains(string(message), `"i":7`):
			return to, false, nil
		}
		return append(append(to, "plain "...), message...), true, nil
	}
	r := newReceived()
	s, err := Open(background(t), cfg, ingest.Resume{Once: true, Digest: sum})
	require.NoError(t, err)
	for {
		chunk, err := s.Next(background(t))
		if err != nil {
			break
		}
		positions := chunk.Partition
		r.take(t, chunk)
		pos := r.pos[positions]
		pos.Digest = chunk.Witness(&chunk.Records[len(chunk.Records)-1])
		r.pos[positions] = pos
	}
	require.NoError(t, s.Close())
	require.Len(t, r.values[0], 100)
	for i, text := range r.values[0] {
		want := string(value(0, i))
		if !strings.Contains(want, `"i":7`) {
			want = "plain " + want
		}
		assert.Equal(t, want, text)
	}
	assert.Negative(t, away.Load())
	for p, pos := range r.pos {
		assert.Equal(t, sum(value(0, 99)), pos.Digest, p)
	}

	write(t, cl, 0, 100, 200)
	s = open(t, cfg, r.resume(true))
	require.ErrorIs(t, r.readError(t, s), ingest.ErrSchema)
	assert.Len(t, r.values[0], 150)
}

// TestKeysThatARegistryReads: they are read like messages, where somebody looks at them.
func TestKeysThatARegistryReads(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	produce(t, producer(t, c), &kgo.Record{Topic: topic, Key: []byte("k"), Value: []byte("v")}, &kgo.Record{Topic: topic, Key: []byte("k")})
	cfg := config(c, &events{})
	plain := func(_ context.Context, to, message []byte) ([]byte, bool, error) {
		return append(append(to, "plain "...), message...), message != nil, nil
	}
	cfg.Plain, cfg.PlainKey = plain, plain
	s := open(t, cfg, ingest.Resume{Once: true})
	chunk, err := s.Next(background(t))
	require.NoError(t, err)
	require.Len(t, chunk.Records, 2)
	assert.Equal(t, "plain k plain v", string(chunk.Records[0].Key)+" "+string(chunk.Records[0].Value))
	assert.Equal(t, "plain k", string(chunk.Records[1].Key))
	assert.Nil(t, chunk.Records[1].Value)
}

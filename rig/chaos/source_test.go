package chaos

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"

	"anond/incremental/state"
	"anond/ingest"
)

// source hands out a feed in chunks of random size, its partitions in random order.
type source struct {
	feed   *feed
	random *rand.Rand
	once   bool
	next   []int
	armed  *armed
	ahead  bool // of what is read, only what a journal has is needed
}

func newSource(f *feed, random *rand.Rand, r ingest.Resume, a *armed) *source {
	s := &source{feed: f, random: random, once: r.Once, next: make([]int, len(f.parts)), armed: a}
	for p, pos := range r.Positions {
		s.next[p.ID] = int(pos.Next)
	}
	return s
}

// onePartition reads one partition of the feed, for a journal that is repeated.
func onePartition(f *feed, id int32, at state.Position, a *armed) *source {
	s := &source{feed: f, random: rand.New(rand.NewPCG(uint64(id), uint64(at.Next))), next: make([]int, len(f.parts)), armed: a, ahead: true}
	for p := range s.next {
		s.next[p] = len(f.parts[p])
	}
	s.next[id] = int(at.Next)
	return s
}

func partition(p int) state.Partition {
	return state.Partition{Source: sourceName, ID: int32(p)}
}

// Ends are those of the feed, which does not grow during a run.
func (s *source) Ends(context.Context) (map[state.Partition]int64, error) {
	ends := map[state.Partition]int64{}
	for p := range s.feed.parts {
		if s.feed.reads(p) {
			ends[partition(p)] = int64(len(s.feed.parts[p]))
		}
	}
	return ends, nil
}

// Partitions are those of the feed, also those of other shards.
func (s *source) Partitions() int { return len(s.feed.parts) }

// Next hands out what follows of a partition.
func (s *source) Next(ctx context.Context) (*ingest.Chunk, error) {
	if err := waitFor(ctx, readTakes); err != nil {
		return nil, err
	}
	if err := s.armed.read(s.ahead); err != nil {
		return nil, err
	}
	var left []int
	for p, next := range s.next {
		if next < len(s.feed.parts[p]) {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		if s.once {
			return nil, io.EOF
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	p := left[s.random.IntN(len(left))]
	from := s.next[p]
	to := min(len(s.feed.parts[p]), from+1+s.random.IntN(15))
	c := &ingest.Chunk{Partition: partition(p), From: int64(from), Next: int64(to)}
	for i := from; i < to; i++ {
		c.Records = append(c.Records, ingest.Record{Offset: int64(i), Key: s.feed.parts[p][i].key,
			Value: bytes.Clone(s.feed.parts[p][i].value), Time: s.feed.parts[p][i].at})
	}
	s.next[p] = to
	return c, nil
}

// Ack does nothing: the state knows the positions.
func (s *source) Ack(map[state.Partition]int64) {}

// Status says that the source is there.
func (s *source) Status() ingest.Status { return ingest.Status{Connected: true} }

// Close does nothing.
func (s *source) Close() error { return nil }

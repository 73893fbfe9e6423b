package kafkasrc

import (
	"anond/incremental/state"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/decode"
)

// readOrdered reads a source round by round, and returns the offsets in the order in which they came.
func readOrdered(t *testing.T, s ingest.Source, rounds []map[int32]int64) (order []string) {
	got := newReceived()
	for _, round := range rounds {
		ends := map[state.Partition]int64{}
		for id, end := range round {
			ends[state.Partition{Source: "kafka:" + topic, ID: id}] = end
		}
		s.(ingest.Ordered).Until(ends)
		for open := true; open; {
			c, err := s.Next(background(t))
			require.NoError(t, err)
			got.take(t, c)
			require.LessOrEqual(t, c.Next, round[c.Partition.ID])
			for _, r := range c.Records {
				order = append(order, fmt.Sprintf("%d:%d", c.Partition.ID, r.Offset))
			}
			open = false
			for id, end := range round {
				open = open || got.next[id] < end
			}
		}
	}
	return order
}

// TestPartitionsFollowTheBounds: whatever the lengths of values, the size of answers and the number of turns, what is handed out
// is a function of offsets and bounds. No partition keeps another one from going on: neither by its turn, nor by the one for
// large answers.
func TestPartitionsFollowTheBounds(t *testing.T) {
	const partitions, each = 7, 120
	var rounds []map[int32]int64
	var want []string
	for _, end := range []int64{1, 40, 41, each, each + 1} {
		round := map[int32]int64{}
		for p := range int32(partitions) {
			if end != 41 || p == 5 { // one among many
				round[p] = end
			}
		}
		rounds = append(rounds, round)
	}
	at := map[int32]int64{}
	for _, round := range rounds {
		for p := range int32(partitions) {
			for end, ok := round[p]; ok && at[p] < end; at[p]++ {
				want = append(want, fmt.Sprintf("%d:%d", p, at[p]))
			}
		}
	}
	for seed := range uint64(4) {
		c := broker(t, kfake.SeedTopics(partitions, topic))
		cl := producer(t, c)
		rng := rand.New(rand.NewPCG(seed, 1))
		for p := range int32(partitions) {
			for from := 0; from < each; from += 10 {
				var records []*kgo.Record
				for range 10 {
					n := rng.IntN(2000)
					if seed > 0 && rng.IntN(40) == 0 {
						n = 100 << 10 // larger than a usual answer
					}
					records = append(records, &kgo.Record{Topic: topic, Partition: p, Value: bytes.Repeat([]byte{'x'}, n)})
				}
				produce(t, cl, records...)
			}
		}
		for _, turns := range []int{2, 16} {
			cfg := config(c, &events{})
			cfg.MaxBytes, cfg.Fetches = 64<<10, turns
			s := open(t, cfg, ingest.Resume{Ordered: true})
			early, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			_, err := s.Next(early)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, "nothing comes before there are bounds")
			order := readOrdered(t, s, rounds[:4])
			if turns == 16 { // what comes later is seen by partitions that are at their bounds
				for p := range int32(partitions) {
					write(t, cl, p, 0, 1)
				}
			}
			eventually(t, "the new ends are known", func() bool {
				for _, p := range s.Status().Partitions {
					if p.End != each+1 {
						return turns == 2
					}
				}
				return true
			})
			if turns == 16 {
				order = append(order, readOrdered(t, s, rounds[4:])...)
				require.Equal(t, want, order, "seed %d", seed)
			} else {
				require.Equal(t, want[:len(order)], order, "seed %d", seed)
				require.Len(t, order, partitions*each)
			}
		}
	}
}

// TestPoolsOfATopicDoNotDependOnBytes is the real source, loop and machine: padding makes answers and chunks end elsewhere,
// and each cut has the same people in the same order.
func TestPoolsOfATopicDoNotDependOnBytes(t *testing.T) {
	var want []string
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 2))
		c := broker(t, kfake.SeedTopics(3, topic))
		cl := producer(t, c)
		var records []*kgo.Record
		for i := range 600 {
			pad := ""
			if seed > 0 {
				pad = string(bytes.Repeat([]byte{'x'}, rng.IntN(4000)))
			}
			records = append(records, &kgo.Record{Topic: topic, Partition: int32(i % 7 % 3),
				Value: fmt.Appendf(nil, `{"age":%d,"illness":"i%d","pad":"%s"}`, 20+i*7%60, i%5, pad)})
		}
		produce(t, cl, records...)
		cfg := config(c, &events{})
		cfg.MaxBytes = 64 << 10
		got := arrivals(t, cfg, seed)
		if want == nil {
			want = got
		}
		require.Greater(t, len(got), 5)
		require.Equal(t, want, got, "seed %d", seed)
	}
}

// arrivals runs a host over a topic, and returns for each cut which offsets had arrived by it, in order.
func arrivals(t *testing.T, cfg Config, seed uint64) (out []string) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	store := &noting{Store: memstore.New()}
	m, err := incremental.Open(store, incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: state.Policy{
		Requirement: equivclass.Requirement{K: 4, L: 2}, Level: state.L2, Republication: state.Append,
		OnRefusal: state.QuarantineRefused, Threshold: 3, MaxHold: 3, HoldInCuts: true, InitialMax: 100, CutEvery: 70}})
	require.NoError(t, err)
	s := open(t, cfg, ingest.Resume{Once: true, Ordered: true, Digest: m.Digest})
	h := &ingest.Host{Machine: m, Store: store, Source: s, Schema: schema, DeadLetters: nobody{}, Publisher: unseen{}, Clock: wall{},
		Log: slog.New(slog.DiscardHandler), Once: true, Limits: ingest.Limits{CommitRecords: 10 + int(seed)*13},
		NewDecoder: func() (decode.Decoder, error) { return decode.New(decode.JSON, schema, decode.Options{}) }}
	require.NoError(t, h.Run(t.Context()))
	return store.seen
}

// noting is a store that notes what arrives, and when cuts come.
type noting struct {
	*memstore.Store
	seen []string
}

func (n *noting) Commit(d *state.Delta) error {
	for _, b := range d.Records {
		for i := range b.Offset {
			n.seen = append(n.seen, fmt.Sprintf("%d:%d", b.Origin[i], b.Offset[i]))
		}
	}
	if d.Attempt != nil {
		n.seen = append(n.seen, fmt.Sprintf("cut %d", d.Attempt.Records))
	}
	return n.Store.Commit(d)
}

type nobody struct{}

func (nobody) Deliver(context.Context, []state.DeadLetter) error { return errors.New("nobody") }
func (nobody) Close() error                                      { return nil }

type unseen struct{}

func (unseen) Publish(context.Context, *incremental.View) (ingest.Release, error) {
	return ingest.Release{}, nil
}

type wall struct{}

func (wall) Now() time.Time { return time.Now() }
func (wall) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

var _ io.Closer = nobody{}

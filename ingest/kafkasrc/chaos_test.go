package kafkasrc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/equivclass/equivtest/tier"
	"anond/ingest"
)

// Records, transactions that commit and abort, faults, leaders that move,
// restarts of the reader at random chunks: in the end every committed record has
// come exactly once and in order, and nothing else.
func TestRandomFaultsAndRestartsLoseNothing(t *testing.T) {
	tier.NotShort(t, "it waits for retries")
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			c := broker(t, kfake.NumBrokers(3), kfake.SeedTopics(3, topic))
			plain, tx := producer(t, c), producer(t, c, kgo.TransactionalID("t"))
			cfg := config(c, &events{})
			cfg.MaxBytes = []int{1, 200, 1 << 20}[rnd.IntN(3)]

			written, want := map[int32]int{}, map[int32][]string{}
			got, total := newReceived(), 0
			var s ingest.Source
			for round := range 40 {
				p := rnd.Int32N(3)
				from, to := written[p], written[p]+1+rnd.IntN(20)
				written[p] = to
				abort := false
				switch rnd.IntN(4) {
				case 0, 1:
					write(t, plain, p, from, to)
				case 2:
					transact(t, tx, kgo.TryCommit, p, from, to)
				case 3:
					abort = true
					transact(t, tx, kgo.TryAbort, p, from, to)
				}
				if !abort {
					want[p] = append(want[p], wantValues(p, [2]int{from, to})...)
					total += to - from
				}
				strike(c, rnd)
				if s == nil {
					s = open(t, cfg, got.resume(false))
				}
				if round%5 == 4 {
					got.readN(t, s, total-rnd.IntN(10))
				}
				if rnd.IntN(3) == 0 {
					require.NoError(t, s.Close())
					s = nil
				}
			}
			if s != nil {
				require.NoError(t, s.Close())
			}
			got.readEnd(t, open(t, cfg, got.resume(true)))
			for p := range int32(3) {
				require.Equal(t, want[p], got.values[p])
			}
		})
	}
}

// strike installs a fault that goes away by itself.
func strike(c *kfake.Cluster, rnd *rand.Rand) {
	errs := []*kerr.Error{kerr.NotLeaderForPartition, kerr.KafkaStorageError, kerr.UnknownLeaderEpoch, kerr.OffsetOutOfRange,
		kerr.CorruptMessage}
	switch rnd.IntN(6) {
	case 0:
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: errs[rnd.IntN(len(errs))], Count: 1 + rnd.IntN(3)})
	case 1:
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.OffsetNotAvailable, Count: 1})
	case 2:
		c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("drop"), true })
	case 3:
		c.ShufflePartitionLeaders()
	}
}

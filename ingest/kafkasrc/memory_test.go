package kafkasrc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/kafkaclient/fetch"
)

// An answer larger than usual, one batch of several MB, is read when its turn
// has come; one beyond all bounds is a batch that cannot be read.
func TestLargeAnswer(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000000"}))
	cl := producer(t, c, kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytes(20_000_000))
	big := func(i int) []byte { return append(value(0, i), bytes.Repeat([]byte{'x'}, 900_000)...) }
	for p := range int32(2) {
		var records []*kgo.Record
		for i := range 4 {
			records = append(records, &kgo.Record{Topic: topic, Partition: p, Value: big(i)})
		}
		produce(t, cl, records...)
		write(t, cl, p, 4, 10)
	}
	cfg := config(c, &events{})
	cfg.MaxBytes, cfg.Fetches = 100_000, 1
	got := newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	for p := range int32(2) {
		require.Len(t, got.values[p], 10)
		require.Equal(t, string(big(3)), got.values[p][3])
	}
	cfg.MaxBatch, cfg.OnCorrupt = 1_000_000, corruptSkip
	got = newReceived()
	got.readEnd(t, open(t, cfg, ingest.Resume{Once: true}))
	require.Equal(t, wantValues(0, [2]int{4, 10}), got.values[0])
}

// The digest of a message that was cut, or was not cut under the settings of
// that time, still proves the log the same.
func TestSettingsMayChangeBetweenDigests(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	long := bytes.Repeat([]byte("z"), 300_000)
	produce(t, producer(t, c), &kgo.Record{Topic: topic, Value: long})
	part := state.Partition{Source: "kafka:" + topic}
	for _, digested := range [][]byte{long, long[:fetch.CutTo]} {
		for _, most := range []int{100_000, 1 << 20} {
			cfg := config(c, &events{})
			cfg.MaxRecord = most
			open(t, cfg, ingest.Resume{Positions: map[state.Partition]state.Position{
				part: {Next: 1, Last: 0, Digest: sum(digested)}}})
		}
	}
	_, err := Open(background(t), config(c, &events{}), ingest.Resume{Digest: sum,
		Positions: map[state.Partition]state.Position{part: {Next: 1, Last: 0, Digest: sum(long[:fetch.CutTo-1])}}})
	require.ErrorIs(t, err, ingest.ErrReplaced)
}

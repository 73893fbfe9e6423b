package fetch

import (
	"testing"

	"github.com/segmentio/kafka-go/compress"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/kafkaclient/fetch/fetchtest"
)

// timed is a batch with time stamps.
func timed(base int64, attributes int16, first, most int64, records ...kmsg.Record) []byte {
	return fetchtest.Timed(encodeBatch(base, attributes, 7, records[len(records)-1].OffsetDelta, records...), first, most)
}

// TestTimeOfARecord: that of its producer, that of the broker where the topic has those, or none; the same from a batch that is read at
// once and from one that is streamed.
func TestTimeOfARecord(t *testing.T) {
	records := []kmsg.Record{{Value: []byte("a")}, {OffsetDelta: 1, TimestampDelta64: -40, Value: []byte("b")},
		{OffsetDelta: 2, TimestampDelta64: 70000, Value: make([]byte, 200)}}
	read := func(data []byte, s Sizes) (times []int64) {
		c, err := collectWithin(s, &Response{Batches: data}, 5, -1)
		require.NoError(t, err)
		for _, r := range c.Records {
			times = append(times, r.Time)
		}
		return times
	}
	for _, c := range []struct {
		attributes  int16
		first, most int64
		want        []int64
	}{
		{0, 1_000_000, 1_070_000, []int64{1_000_000, 999_960, 1_070_000}},
		{appendTimeBit, 1_000_000, 1_070_000, []int64{1_070_000, 1_070_000, 1_070_000}},
		{0, -1, -1, []int64{0, 0, 69_999}}, // a producer without a clock has -1
		{appendTimeBit, -1, -1, []int64{0, 0, 0}},
	} {
		plain := timed(5, c.attributes, c.first, c.most, records...)
		require.Equal(t, c.want, read(plain, roomy))
		packed := compressed(t, compress.Gzip, 5, records...)
		streamed := sealed(packed, int16(compress.Gzip)|c.attributes, packed[headerSize:])
		require.Equal(t, c.want, read(fetchtest.Timed(streamed, c.first, c.most), tight))
	}
}

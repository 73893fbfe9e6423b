package deadletter_test

import (
	"anond/incremental/state"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest/deadletter"
)

// TestDecodeDeadLetter: what is written can be read, with and without payload;
// what is no dead letter is refused.
func TestDecodeDeadLetter(t *testing.T) {
	for _, want := range []state.DeadLetter{
		{Seq: 7, Partition: state.Partition{Source: "kafka:a\"b", ID: 3}, Offset: 1 << 40, Reason: "value_not_in_hierarchy",
			Attribute: "post,code", Digest: state.Digest{1, 255}},
		{Seq: 1, Partition: state.Partition{Source: "file:0"}, Reason: "too_large", Payload: []byte("\x00\xff\n")},
		{Seq: 1, Partition: state.Partition{Source: "file:0"}, Reason: "too_large", Payload: []byte{}},
	} {
		got, err := deadletter.Decode(deadletter.Encode(want))
		require.NoError(t, err)
		require.Equal(t, want, got.DeadLetter)
		require.Zero(t, got.At)
		at := time.Date(2026, 3, 1, 12, 0, 7, 99, time.UTC)
		got, err = deadletter.Decode(deadletter.EncodeDelivered(want, at))
		require.NoError(t, err)
		require.Equal(t, want, got.DeadLetter)
		require.Equal(t, at.Truncate(time.Second), got.At)
	}
	for _, line := range []string{"", "{}", "[]", `{"seq":1}`, `{"seq":1,"digest":"00"}`,
		`{"seq":1,"digest":"00112233445566778899aabbccddeeff","payload":"!"}`} {
		_, err := deadletter.Decode([]byte(line))
		require.ErrorIs(t, err, deadletter.ErrNoLetter, line)
	}
}

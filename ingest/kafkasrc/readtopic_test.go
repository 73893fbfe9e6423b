package kafkasrc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"anond/incremental/state"
)

// TestReread: single records by their offset; what is not there, and what is of
// another source, is left out.
func TestReread(t *testing.T) {
	c := broker(t, kfake.SeedTopics(2, topic))
	p := producer(t, c)
	write(t, p, 0, 0, 40)
	write(t, p, 1, 0, 5)
	cfg := config(c, &events{})
	of := func(id int32) state.Partition { return state.Partition{Source: "kafka:" + topic, ID: id} }
	var got []string
	err := Reread(cfg)(background(t), map[state.Partition][]int64{of(1): {4, 5, 900}, of(0): {0, 17, 39}, {Source: "file:x"}: {1}},
		func(p state.Partition, offset int64, _, v []byte, header []string) error {
			require.Nil(t, header)
			require.Equal(t, string(value(p.ID, int(offset))), string(v))
			got = append(got, string(v))
			return nil
		})
	require.NoError(t, err)
	require.Equal(t, []string{string(value(0, 0)), string(value(0, 17)), string(value(0, 39)), string(value(1, 4))}, got)
}

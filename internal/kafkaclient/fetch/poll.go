package fetch

import (
	"context"
	"io"

	"github.com/segmentio/kafka-go/protocol"
	fetchAPI "github.com/segmentio/kafka-go/protocol/fetch"

	"anond/internal/kafkaclient"
)

// pollRequest is a fetch of many partitions of which only the ends are of
// interest.
type pollRequest struct{ fetchRequest }

type pollResponse struct {
	top   Response
	parts map[int32]*Response
}

func (*pollResponse) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Poll asks for the ends of partitions of one leader, each from an offset on. The broker answers when one of them
// has something to read, at the latest after ask.Wait.
func Poll(ctx context.Context, c *kafkaclient.Client, ask Ask, from map[int32]int64) (map[int32]*Response, error) {
	r := &pollRequest{*ask.request()}
	parts := make([]fetchAPI.RequestPartition, 0, len(from))
	for id, offset := range from {
		parts = append(parts, fetchAPI.RequestPartition{Partition: id, CurrentLeaderEpoch: -1, FetchOffset: offset, LogStartOffset: -1,
			PartitionMaxBytes: 1})
	}
	r.Topics[0].Partitions = parts
	r.most += len(from) * pollBytes
	res, err := c.Do(ctx, r, ask.Wait)
	if err != nil {
		return nil, err
	}
	answer := res.(*pollResponse)
	return answer.parts, answer.top.Err()
}

// pollBytes is what an answer holds of a partition without records, a few
// aborted transactions included.
const pollBytes = 256

// RawExchange implements protocol.RawExchanger.
func (r *pollRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	body, err := r.exchange(rw)
	if err != nil {
		return nil, err
	}
	res := &pollResponse{parts: map[int32]*Response{}}
	err = parsePartitions(body, r.version, &res.top, func(id *reader) *Response {
		part := &Response{LogStart: -1, High: -1, Stable: -1}
		res.parts[id.int32()] = part
		return part
	})
	return res, err
}

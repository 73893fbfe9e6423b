package fetch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	fetchAPI "github.com/segmentio/kafka-go/protocol/fetch"

	"anond/internal/kafkaclient"
)

// fetchRequest is a Fetch that leaves its answer undecoded. It goes through
// kafka.Transport like any other (leader lookup, pool, TLS, SASL) and reads the
// answer itself by protocol.RawExchanger, the hook that kafka-go offers for
// that: the decoder of kafka-go loses what read_committed needs (doc.go).
type fetchRequest struct {
	fetchAPI.Request
	clientID string
	version  int16
	most     int // bytes of the answer that are held; a longer one is ErrLargeAnswer
}

// Ask is what is asked of a broker: records of a partition from an offset on.
type Ask struct {
	Topic, ClientID string
	Partition       int32
	Offset          int64
	Wait            time.Duration // of the broker, if there are none
	MaxBytes        int           // of the batches; the first one may be longer
	Most            int           // of the answer; a longer one is ErrLargeAnswer
}

// Do asks.
func (a *Ask) Do(ctx context.Context, c *kafkaclient.Client) (*Response, error) {
	res, err := c.Do(ctx, a.request(), a.Wait)
	if err != nil {
		return nil, err
	}
	return res.(*Response), nil
}

// ErrLargeAnswer says that an answer is larger than what was asked for, since
// the first batch alone is. It was not read, and its connection is lost.
var ErrLargeAnswer = errors.New("the answer is larger than asked for")

// Bounds of the protocol versions whose answer is understood. Version 4
// (Kafka 0.11) brought record batches and isolation levels; kafka-go encodes
// requests up to version 11.
const (
	minFetchVersion = 4
	maxFetchVersion = 11
	// maxResponse refuses lengths that no broker would send, such as those of a
	// server that speaks another protocol.
	maxResponse = 1 << 30
	// AnswerOverhead is what an answer may have besides the batches of one
	// partition: heads, and the list of aborted transactions. A batch of the
	// largest size that brokers take by default is a little above 1 MiB.
	AnswerOverhead = 64 << 10
)

// request asks for one partition. Only the partition's limit is set: the
// limit of the whole answer adds nothing, and kfake forgets the list of aborted
// transactions when it is that one which cuts the answer.
func (a *Ask) request() *fetchRequest {
	return &fetchRequest{clientID: a.ClientID, most: a.Most, Request: fetchAPI.Request{
		ReplicaID: -1, MaxWaitTime: int32(a.Wait / time.Millisecond), MinBytes: 1, MaxBytes: math.MaxInt32,
		IsolationLevel: kafkaclient.ReadCommitted, SessionEpoch: -1,
		Topics: []fetchAPI.RequestTopic{{Topic: a.Topic, Partitions: []fetchAPI.RequestPartition{{Partition: a.Partition,
			CurrentLeaderEpoch: -1, FetchOffset: a.Offset, LogStartOffset: -1, PartitionMaxBytes: int32(a.MaxBytes)}}}},
	}}
}

// Required implements protocol.RawExchanger.
func (r *fetchRequest) Required(versions map[protocol.ApiKey]int16) bool {
	r.version = versions[protocol.Fetch]
	return true
}

// fetchCorrelation is the same for all: a connection carries one request at a time.
const fetchCorrelation = 1

// RawExchange implements protocol.RawExchanger.
func (r *fetchRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	body, err := r.exchange(rw)
	if err != nil {
		return nil, err
	}
	return parseFetch(body, r.version)
}

// exchange sends the request and returns the answer behind its correlation id.
func (r *fetchRequest) exchange(rw io.ReadWriter) ([]byte, error) {
	if r.version < minFetchVersion || r.version > maxFetchVersion {
		return nil, fmt.Errorf("the broker offers version %d of Fetch, needed is %d (Kafka 0.11) or newer", r.version, minFetchVersion)
	}
	if err := protocol.WriteRequest(rw, r.version, fetchCorrelation, r.clientID, &r.Request); err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := io.ReadFull(rw, head[:]); err != nil {
		return nil, err
	}
	size, correlation := int32(binary.BigEndian.Uint32(head[:])), binary.BigEndian.Uint32(head[4:])
	if size < 4 || size > maxResponse || correlation != fetchCorrelation {
		return nil, fmt.Errorf("answer of %d bytes to request %d makes no sense", size, correlation)
	}
	if int(size) > r.most {
		return nil, fmt.Errorf("%w: %d bytes", ErrLargeAnswer, size)
	}
	body := make([]byte, size-4)
	_, err := io.ReadFull(rw, body)
	return body, err
}

// Response is the answer for one partition.
type Response struct {
	Throttled bool  // the broker asks for a pause
	Present   bool  // the answer holds the partition (not so when throttled)
	code      int16 // of the partition, or of the whole answer
	High      int64 // high watermark
	Stable    int64 // last stable offset
	LogStart  int64 // -1 if unknown
	aborted   []abortedTransaction
	Batches   []byte // record batches, the last one perhaps cut
}

// abortedTransaction says that the records of a producer from an offset on, up
// to its next abort marker, do not count.
type abortedTransaction struct{ producer, first int64 }

func (*Response) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Err is the error that the broker answered with.
func (r *Response) Err() error {
	if r.code == 0 {
		return nil
	}
	return kafka.Error(r.code)
}

// OrErr is the error of an exchange or else of its answer.
func (r *Response) OrErr(err error) error {
	if err != nil {
		return err
	}
	return r.Err()
}

// parseFetch reads an answer for one partition, without its correlation id.
// Batches is a slice of body.
func parseFetch(body []byte, version int16) (*Response, error) {
	res := &Response{LogStart: -1, High: -1, Stable: -1}
	err := parsePartitions(body, version, res, func(*reader) *Response { return res })
	if err != nil {
		return nil, err
	}
	return res, nil
}

// parsePartitions reads a fetch response. Fields of the whole response go to top. For each partition, of reads its number and
// returns where the fields of this partition go.
func parsePartitions(body []byte, version int16, top *Response, of func(*reader) *Response) error {
	b := &reader{buf: body}
	top.Throttled = b.int32() > 0
	if version >= 7 {
		top.code = b.int16()
		b.int32() // session
	}
	for range b.array(2 + 4) {
		b.skip(int(b.int16())) // topic
		for range b.array(minPartition) {
			b.partition(of(&reader{buf: b.bytes(4)}), version)
		}
	}
	if b.failed {
		return fmt.Errorf("answer to Fetch v%d of %d bytes is cut", version, len(body))
	}
	return nil
}

// minPartition is the least size of a partition in an answer of version 4.
const minPartition = 4 + 2 + 8 + 8 + 4 + 4

func (b *reader) partition(res *Response, version int16) {
	res.Present = true
	if code := b.int16(); code != 0 {
		res.code = code
	}
	res.High, res.Stable = b.int64(), b.int64()
	if version >= 5 {
		res.LogStart = b.int64()
	}
	for range b.array(8 + 8) {
		res.aborted = append(res.aborted, abortedTransaction{producer: b.int64(), first: b.int64()})
	}
	if version >= 11 {
		b.int32() // preferred replica: none, as no rack is named
	}
	if n := b.int32(); n > 0 {
		res.Batches = b.bytes(int(n))
	}
}

// reader reads big-endian fields from a buffer. After a read past the end it is
// failed and returns zeros.
type reader struct {
	buf    []byte
	failed bool
}

func (b *reader) bytes(n int) []byte {
	if n < 0 || n > len(b.buf) {
		b.failed, b.buf = true, nil
		return nil
	}
	head := b.buf[:n:n]
	b.buf = b.buf[n:]
	return head
}

func (b *reader) skip(n int) { b.bytes(n) }

func (b *reader) int16() int16 {
	if v := b.bytes(2); v != nil {
		return int16(binary.BigEndian.Uint16(v))
	}
	return 0
}

func (b *reader) int32() int32 {
	if v := b.bytes(4); v != nil {
		return int32(binary.BigEndian.Uint32(v))
	}
	return 0
}

func (b *reader) int64() int64 {
	if v := b.bytes(8); v != nil {
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

// array returns the length of an array, nil being empty. A length that the rest
// of the buffer cannot hold, given the least size of an element, fails.
func (b *reader) array(least int) int {
	n := int(b.int32())
	if n < 0 {
		return 0
	}
	if n > len(b.buf)/least {
		b.failed, b.buf = true, nil
		return 0
	}
	return n
}

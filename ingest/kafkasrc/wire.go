package kafkasrc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

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
	most     int // bytes of the answer that are held; a longer one is errLargeAnswer
}

// errLargeAnswer says that an answer is larger than what was asked for, since
// the first batch alone is. It was not read, and its connection is lost.
var errLargeAnswer = errors.New("the answer is larger than asked for")

// Bounds of the protocol versions whose answer is understood. Version 4
// (Kafka 0.11) brought record batches and isolation levels; kafka-go encodes
// requests up to version 11.
const (
	minFetchVersion = 4
	maxFetchVersion = 11
	// maxResponse refuses lengths that no broker would send, such as those of a
	// server that speaks another protocol.
	maxResponse = 1 << 30
	// answerOverhead is what an answer may have besides the batches of one
	// partition: heads, and the list of aborted transactions. A batch of the
	// largest size that brokers take by default is a little above 1 MiB.
	answerOverhead = 64 << 10
)

// newFetchRequest asks for one partition. Only the partition's limit is set: the
// limit of the whole answer adds nothing, and kfake forgets the list of aborted
// transactions when it is that one which cuts the answer.
func newFetchRequest(c *Config, partition int32, offset int64, wait int32) *fetchRequest {
	return &fetchRequest{clientID: c.ClientID, most: c.MaxBytes + answerOverhead, Request: fetchAPI.Request{
		ReplicaID: -1, MaxWaitTime: wait, MinBytes: 1, MaxBytes: math.MaxInt32, IsolationLevel: kafkaclient.ReadCommitted, SessionEpoch: -1,
		Topics: []fetchAPI.RequestTopic{{Topic: c.Topic, Partitions: []fetchAPI.RequestPartition{{
			Partition: partition, CurrentLeaderEpoch: -1, FetchOffset: offset, LogStartOffset: -1, PartitionMaxBytes: int32(c.MaxBytes)}}}},
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
		return nil, fmt.Errorf("%w: %d bytes", errLargeAnswer, size)
	}
	body := make([]byte, size-4)
	_, err := io.ReadFull(rw, body)
	return body, err
}

// fetchResponse is the answer for the one partition asked for.
type fetchResponse struct {
	throttled  bool  // the broker asks for a pause
	present    bool  // the answer holds the partition (not so when throttled)
	code       int16 // of the partition, or of the whole answer
	high, lso  int64 // high watermark and last stable offset
	logStart   int64 // -1 if unknown
	aborted    []abortedTransaction
	recordData []byte // record batches, the last one perhaps cut
}

// abortedTransaction says that the records of a producer from an offset on, up
// to its next abort marker, do not count.
type abortedTransaction struct{ producer, first int64 }

func (*fetchResponse) ApiKey() protocol.ApiKey { return protocol.Fetch }

func (r *fetchResponse) err() error {
	if r.code == 0 {
		return nil
	}
	return kafka.Error(r.code)
}

// parseFetch reads an answer for one partition, without its correlation id.
// recordData is a slice of body.
func parseFetch(body []byte, version int16) (*fetchResponse, error) {
	res := &fetchResponse{logStart: -1, high: -1, lso: -1}
	err := parsePartitions(body, version, res, func(*reader) *fetchResponse { return res })
	if err != nil {
		return nil, err
	}
	return res, nil
}

// parsePartitions reads a fetch response. Fields of the whole response go to top. For each partition, of reads its number and
// returns where the fields of this partition go.
func parsePartitions(body []byte, version int16, top *fetchResponse, of func(*reader) *fetchResponse) error {
	b := &reader{buf: body}
	top.throttled = b.int32() > 0
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

func (b *reader) partition(res *fetchResponse, version int16) {
	res.present = true
	if code := b.int16(); code != 0 {
		res.code = code
	}
	res.high, res.lso = b.int64(), b.int64()
	if version >= 5 {
		res.logStart = b.int64()
	}
	for range b.array(8 + 8) {
		res.aborted = append(res.aborted, abortedTransaction{producer: b.int64(), first: b.int64()})
	}
	if version >= 11 {
		b.int32() // preferred replica: none, as no rack is named
	}
	if n := b.int32(); n > 0 {
		res.recordData = b.bytes(int(n))
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

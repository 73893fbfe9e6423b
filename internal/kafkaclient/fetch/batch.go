package fetch

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// Layout of a record batch, format 2 (Kafka 0.11, KIP-98): bytes before the
// checksum, bytes of the whole header.
const (
	lengthAt    = 8
	epochAt     = 12
	magicAt     = 16
	crcAt       = 17
	attributeAt = 21
	headerSize  = 61
	lengthEnd   = 12 // the length field counts from here
)

// Attribute bits of a batch.
const (
	codecBits        = 0x07
	appendTimeBit    = 0x08
	transactionalBit = 0x10
	controlBit       = 0x20
)

// ErrFormat marks a log older than record batches. No retry corrects that.
var ErrFormat = errors.New("message format older than Kafka 0.11 (record format 2), which anond does not read")

// batch is one record batch. Its bytes are those of the fetch's answer.
type batch struct {
	base, last int64 // first and last offset it covers, records removed by compaction included
	epoch      int32 // of the leader that wrote it; NoEpoch: not told
	attributes int16
	producer   int64
	first, max int64 // time stamps, in Unix milliseconds: that of which those of the records differ, and the largest
	count      int
	payload    []byte // records, compressed or not
}

func (b *batch) transactional() bool { return b.attributes&transactionalBit != 0 }
func (b *batch) control() bool       { return b.attributes&controlBit != 0 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// nextBatch cuts the first batch off data and checks it: length, format,
// checksum, counts. It returns nil, data, nil when data holds only a part of a
// batch, as brokers cut the last one at the size that was asked for.
func nextBatch(data []byte) (*batch, []byte, error) {
	if len(data) < lengthEnd {
		return nil, data, nil
	}
	base := int64(binary.BigEndian.Uint64(data))
	length := int64(int32(binary.BigEndian.Uint32(data[lengthAt:])))
	if base < 0 || length < headerSize-lengthEnd {
		if len(data) > magicAt && data[magicAt] < 2 && length > 0 {
			return nil, nil, ErrFormat
		}
		return nil, nil, Corrupt(base, "length %d", length)
	}
	if int64(len(data)) < lengthEnd+length {
		return nil, data, nil
	}
	raw, rest := data[:lengthEnd+length], data[lengthEnd+length:]
	if magic := raw[magicAt]; magic < 2 {
		return nil, nil, ErrFormat
	} else if magic > 2 {
		return nil, nil, Corrupt(base, "format %d", magic)
	}
	if crc32.Checksum(raw[attributeAt:], castagnoli) != binary.BigEndian.Uint32(raw[crcAt:]) {
		return nil, nil, Corrupt(base, "wrong checksum")
	}
	delta := int64(int32(binary.BigEndian.Uint32(raw[23:])))
	count := int64(int32(binary.BigEndian.Uint32(raw[57:])))
	if delta < 0 || count < 0 || count > delta+1 || base > 1<<62 {
		return nil, nil, Corrupt(base, "%d records up to +%d", count, delta)
	}
	return &batch{base: base, last: base + delta, epoch: int32(binary.BigEndian.Uint32(raw[epochAt:])),
		attributes: int16(binary.BigEndian.Uint16(raw[attributeAt:])), producer: int64(binary.BigEndian.Uint64(raw[43:])),
		first: int64(binary.BigEndian.Uint64(raw[27:])), max: int64(binary.BigEndian.Uint64(raw[35:])),
		count: int(count), payload: raw[headerSize:]}, rest, nil
}

// timeOf is the time stamp of a record: that of its producer, or of a topic that says so (LogAppendTime) the one that the broker gave
// the batch. 0: it has none, as a record of a producer older than time stamps.
func (b *batch) timeOf(delta int64) int64 {
	if b.attributes&appendTimeBit != 0 {
		return max(0, b.max)
	}
	return max(0, b.first+delta)
}

// minRecord is the least size of a Record: length, attributes, three deltas or
// lengths of one byte each, two more, no headers.
const minRecord = 7

// cutRecord cuts the first record off data. Headers are skipped by the record's
// length.
func cutRecord(data []byte, b *batch) (rec Record, rest []byte, ok bool) {
	size, n := binary.Varint(data)
	if n <= 0 || size < minRecord-1 || size > int64(len(data)-n) {
		return rec, nil, false
	}
	body, rest := data[n:n+int(size):n+int(size)], data[n+int(size):]
	body = body[1:] // attributes: unused
	later, n := binary.Varint(body)
	if n <= 0 {
		return rec, nil, false
	}
	rec.Time, body = b.timeOf(later), body[n:]
	delta, n := binary.Varint(body)
	if n <= 0 || delta < 0 {
		return rec, nil, false
	}
	rec.Offset = b.base + delta
	if rec.Key, body, ok = cutBytes(body[n:]); !ok {
		return rec, nil, false
	}
	rec.Value, rec.Headers, ok = cutBytes(body)
	return rec, rest, ok
}

// cutBytes cuts a length and that many bytes off data; a negative length is null.
func cutBytes(data []byte) (b, rest []byte, ok bool) {
	size, n := binary.Varint(data)
	if n <= 0 || size > int64(len(data)-n) {
		return nil, nil, false
	}
	data = data[n:]
	if size < 0 {
		return nil, data, true
	}
	return data[:size:size], data[size:], true
}

// transactions decides which batches of a fetch belong to aborted transactions.
//
// Method: as Kafka's own consumer (KIP-98). The broker lists producer and first
// offset of every aborted transaction that the answer touches. Walking the
// batches in order, a producer counts as aborting from that offset on until its
// abort marker, a control batch, comes by.
type transactions struct {
	waiting  []abortedTransaction // ascending by first offset
	aborting map[int64]bool       // producers
}

func newTransactions(aborted []abortedTransaction) *transactions {
	t := &transactions{waiting: slices.Clone(aborted)}
	slices.SortStableFunc(t.waiting, func(a, b abortedTransaction) int {
		switch {
		case a.first < b.first:
			return -1
		case a.first > b.first:
			return 1
		}
		return 0
	})
	return t
}

// hides reports whether the records of the batch do not count: it is a control
// batch, or part of an aborted transaction. To be called once for every batch,
// in order.
func (t *transactions) hides(b *batch) (bool, error) {
	for len(t.waiting) > 0 && t.waiting[0].first <= b.last {
		if t.aborting == nil {
			t.aborting = make(map[int64]bool, len(t.waiting))
		}
		t.aborting[t.waiting[0].producer] = true
		t.waiting = t.waiting[1:]
	}
	if b.control() {
		abort, err := b.abortMarker()
		if abort {
			delete(t.aborting, b.producer)
		}
		return true, err
	}
	return b.transactional() && t.aborting[b.producer], nil
}

// markerBytes bounds a compressed batch of markers. Brokers write one marker a
// batch, uncompressed.
const markerBytes = 64 << 10

// abortMarker reports whether a control batch ends a transaction by aborting it.
// The key of a control record is version and type, two bytes each; type 0 is
// abort, 1 commit, others (leader change, snapshots) are no concern of readers.
func (b *batch) abortMarker() (bool, error) {
	c, err := b.walk(Sizes{Piece: markerBytes, Record: markerBytes, Batch: markerBytes})
	if errors.Is(err, errLarge) {
		return false, b.spoiled("a marker of more than %d bytes", markerBytes)
	}
	if err != nil {
		return false, err
	}
	for abort := false; ; {
		r, ok, err := c.cut(nil)
		if err != nil || !ok {
			return abort, err
		}
		abort = abort || len(r.Key) >= 4 && binary.BigEndian.Uint16(r.Key[2:]) == 0
	}
}

package kafkasrc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/segmentio/kafka-go/compress"
)

// Layout of a record batch, format 2 (Kafka 0.11, KIP-98): bytes before the
// checksum, bytes of the whole header.
const (
	lengthAt    = 8
	magicAt     = 16
	crcAt       = 17
	attributeAt = 21
	headerSize  = 61
	lengthEnd   = 12 // the length field counts from here
)

// Attribute bits of a batch.
const (
	codecBits        = 0x07
	transactionalBit = 0x10
	controlBit       = 0x20
)

// maxBatch bounds what a compressed batch may unfold to.
const maxBatch = 256 << 20

// errCorrupt marks data that is not what the producer sent. The fetch is tried
// again: the fault may lie in transit or in one replica.
var errCorrupt = errors.New("corrupt record batch")

// errFormat marks a log older than record batches. No retry mends that.
var errFormat = errors.New("message format older than Kafka 0.11 (record format 2), which anond does not read")

// batch is one record batch. Its bytes are those of the fetch's answer.
type batch struct {
	base, last int64 // first and last offset it covers, records removed by compaction included
	attributes int16
	producer   int64
	count      int
	payload    []byte // records, compressed or not
}

func (b *batch) transactional() bool { return b.attributes&transactionalBit != 0 }
func (b *batch) control() bool       { return b.attributes&controlBit != 0 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// nextBatch cuts the first batch off data and checks it: length, format,
// checksum, counts. It returns nil, data, nil when data holds only a part of a
// batch, as brokers cut the last one at the size asked for.
func nextBatch(data []byte) (*batch, []byte, error) {
	if len(data) < lengthEnd {
		return nil, data, nil
	}
	base := int64(binary.BigEndian.Uint64(data))
	length := int64(int32(binary.BigEndian.Uint32(data[lengthAt:])))
	if base < 0 || length < headerSize-lengthEnd {
		if len(data) > magicAt && data[magicAt] < 2 && length > 0 {
			return nil, nil, errFormat
		}
		return nil, nil, fmt.Errorf("%w at offset %d: length %d", errCorrupt, base, length)
	}
	if int64(len(data)) < lengthEnd+length {
		return nil, data, nil
	}
	raw, rest := data[:lengthEnd+length], data[lengthEnd+length:]
	if magic := raw[magicAt]; magic < 2 {
		return nil, nil, errFormat
	} else if magic > 2 {
		return nil, nil, fmt.Errorf("%w at offset %d: format %d", errCorrupt, base, magic)
	}
	if crc32.Checksum(raw[attributeAt:], castagnoli) != binary.BigEndian.Uint32(raw[crcAt:]) {
		return nil, nil, fmt.Errorf("%w at offset %d: wrong checksum", errCorrupt, base)
	}
	delta := int64(int32(binary.BigEndian.Uint32(raw[23:])))
	count := int64(int32(binary.BigEndian.Uint32(raw[57:])))
	if delta < 0 || count < 0 || count > delta+1 || base > 1<<62 {
		return nil, nil, fmt.Errorf("%w at offset %d: %d records up to +%d", errCorrupt, base, count, delta)
	}
	return &batch{base: base, last: base + delta, attributes: int16(binary.BigEndian.Uint16(raw[attributeAt:])),
		producer: int64(binary.BigEndian.Uint64(raw[43:])), count: int(count), payload: raw[headerSize:]}, rest, nil
}

// unfolded returns the records' bytes, decompressed if need be. Those of an
// uncompressed batch are the batch's own.
func (b *batch) unfolded() ([]byte, error) {
	code := compress.Compression(b.attributes & codecBits)
	if code == compress.None {
		return b.payload, nil
	}
	codec := code.Codec()
	if codec == nil {
		return nil, fmt.Errorf("%w at offset %d: unknown compression %d", errCorrupt, b.base, int8(code))
	}
	r := codec.NewReader(bytes.NewReader(b.payload))
	defer r.Close()
	out := bytes.NewBuffer(make([]byte, 0, 4*len(b.payload)+bytes.MinRead))
	n, err := out.ReadFrom(io.LimitReader(r, maxBatch+1))
	if err != nil {
		// The codec's error may quote what it could not read.
		return nil, fmt.Errorf("%w at offset %d: %s does not unfold", errCorrupt, b.base, codec.Name())
	}
	if n > maxBatch {
		return nil, fmt.Errorf("%w at offset %d: unfolds to more than %d bytes", errCorrupt, b.base, maxBatch)
	}
	return out.Bytes(), nil
}

// rawRecord is a record inside the bytes of its batch.
type rawRecord struct {
	offset     int64
	key, value []byte // nil: null
}

// minRecord is the least size of a record: length, attributes, three deltas or
// lengths of one byte each, two more, no headers.
const minRecord = 7

// records calls do for every record of the batch, in order. Records are slices
// of one buffer, which nobody else keeps.
func (b *batch) records(do func(rawRecord)) error {
	data, err := b.unfolded()
	if err != nil {
		return err
	}
	if b.count > len(data)/minRecord {
		return fmt.Errorf("%w at offset %d: %d records in %d bytes", errCorrupt, b.base, b.count, len(data))
	}
	next := b.base
	for range b.count {
		var rec rawRecord
		var ok bool
		if rec, data, ok = cutRecord(data, b.base); !ok || rec.offset < next || rec.offset > b.last {
			return fmt.Errorf("%w at offset %d: a record after %d makes no sense", errCorrupt, b.base, next-1)
		}
		next = rec.offset + 1
		do(rec)
	}
	if len(data) > 0 {
		return fmt.Errorf("%w at offset %d: %d bytes after the last record", errCorrupt, b.base, len(data))
	}
	return nil
}

// cutRecord cuts the first record off data. Headers are skipped by the record's
// length.
func cutRecord(data []byte, base int64) (rec rawRecord, rest []byte, ok bool) {
	size, n := binary.Varint(data)
	if n <= 0 || size < minRecord-1 || size > int64(len(data)-n) {
		return rec, nil, false
	}
	body, rest := data[n:n+int(size):n+int(size)], data[n+int(size):]
	body = body[1:] // attributes: unused
	if _, n = binary.Varint(body); n <= 0 {
		return rec, nil, false
	}
	body = body[n:]
	delta, n := binary.Varint(body)
	if n <= 0 || delta < 0 {
		return rec, nil, false
	}
	rec.offset = base + delta
	if rec.key, body, ok = cutBytes(body[n:]); !ok {
		return rec, nil, false
	}
	rec.value, _, ok = cutBytes(body)
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

// Package fetchtest builds record batches as brokers have them, by another library, for tests of what reads them.
package fetchtest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/segmentio/kafka-go/compress"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Layout of a record batch, format 2.
const (
	LengthAt    = 8
	MagicAt     = 16
	CrcAt       = 17
	AttributeAt = 21
	HeaderSize  = 61
	lengthEnd   = 12
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Batch builds a record batch of format 2.
func Batch(base int64, attributes int16, producer int64, lastDelta int32, records ...kmsg.Record) []byte {
	var body []byte
	for _, r := range records {
		r.Length = 0
		r.Length = int32(len(r.AppendTo(nil)) - 1) // less the length itself, one byte while it is 0
		body = r.AppendTo(body)
	}
	b := kmsg.RecordBatch{FirstOffset: base, PartitionLeaderEpoch: -1, Magic: 2, Attributes: attributes, LastOffsetDelta: lastDelta,
		ProducerID: producer, ProducerEpoch: -1, FirstSequence: -1, NumRecords: int32(len(records)), Records: body}
	b.Length = int32(len(b.AppendTo(nil)) - lengthEnd)
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[CrcAt:], crc32.Checksum(raw[AttributeAt:], castagnoli))
	return raw
}

// Timed gives a batch time stamps: the one that those of its records differ from, and the largest.
func Timed(raw []byte, first, most int64) []byte {
	binary.BigEndian.PutUint64(raw[27:], uint64(first))
	binary.BigEndian.PutUint64(raw[35:], uint64(most))
	binary.BigEndian.PutUint32(raw[CrcAt:], crc32.Checksum(raw[AttributeAt:], castagnoli))
	return raw
}

func Record(delta int32, v string) kmsg.Record {
	return kmsg.Record{OffsetDelta: delta, Value: []byte(v)}
}

// Compressed is a batch of the records in one of Kafka's codecs.
func Compressed(t testing.TB, code compress.Compression, base int64, records ...kmsg.Record) []byte {
	t.Helper()
	plain := Batch(base, 0, -1, records[len(records)-1].OffsetDelta, records...)
	return Recompress(t, plain, code, plain[HeaderSize:])
}

// Recompress gives a batch another content, of which the checksum is right.
func Recompress(t testing.TB, head []byte, code compress.Compression, content []byte) []byte {
	t.Helper()
	var body bytes.Buffer
	w := code.Codec().NewWriter(&body)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return Sealed(head, int16(code), body.Bytes())
}

// Sealed is a batch with a head, attributes and a body, and the right checksum.
func Sealed(head []byte, attributes int16, body []byte) []byte {
	raw := append(bytes.Clone(head[:HeaderSize]), body...)
	binary.BigEndian.PutUint32(raw[LengthAt:], uint32(len(raw)-lengthEnd))
	binary.BigEndian.PutUint16(raw[AttributeAt:], uint16(attributes))
	binary.BigEndian.PutUint32(raw[CrcAt:], crc32.Checksum(raw[AttributeAt:], castagnoli))
	return raw
}

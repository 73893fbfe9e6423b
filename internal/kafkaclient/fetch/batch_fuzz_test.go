package fetch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// checkChunk is what collect promises for any input: the same in pieces as at once.
func checkChunk(t *testing.T, data []byte, next, limit int64) {
	c, err := collect(&Response{Batches: data}, next, limit)
	pieces, wrong := collectWithin(tight, &Response{Batches: data}, next, limit)
	require.Equal(t, err == nil, wrong == nil)
	if err == nil {
		require.Equal(t, c.Next, pieces.Next)
		require.Len(t, pieces.Records, len(c.Records))
		for i, r := range c.Records {
			require.Equal(t, r.Offset, pieces.Records[i].Offset)
			require.Equal(t, r.Value, pieces.Records[i].Value)
			require.Equal(t, r.Time, pieces.Records[i].Time)
		}
	}
	if err != nil {
		require.Nil(t, c)
		return
	}
	require.GreaterOrEqual(t, c.Next, next)
	at := next
	for _, r := range c.Records {
		require.GreaterOrEqual(t, r.Offset, at)
		require.Less(t, r.Offset, c.Next)
		at = r.Offset + 1
	}
	if want, ok := readByOther(data, next); ok && limit < 0 {
		require.LessOrEqual(t, len(c.Records), len(want))
		for i, r := range c.Records {
			require.Equal(t, want[i].offset, r.Offset)
			require.Equal(t, max(0, want[i].time), r.Time)
			require.True(t, bytes.Equal(want[i].key, r.Key))
			require.True(t, bytes.Equal(want[i].value, r.Value))
			require.Equal(t, want[i].value == nil, r.Value == nil, "a tombstone")
		}
	}
}

// plainRecord is a record as the second reader sees it.
type plainRecord struct {
	offset     int64
	time       int64
	key, value []byte
}

// readByOther reads record batches with another library, and their records in the
// simplest way. ok is false where it does not read them all, or where a batch is
// compressed: it decompresses nothing.
func readByOther(data []byte, next int64) (out []plainRecord, ok bool) {
	for len(data) >= lengthEnd {
		size := int64(binary.BigEndian.Uint32(data[lengthAt:])) + lengthEnd
		if size < headerSize || size > int64(len(data)) {
			break
		}
		var b kmsg.RecordBatch
		if err := b.ReadFrom(data[:size]); err != nil || b.Attributes&codecBits != 0 {
			return nil, false
		}
		if b.FirstOffset+int64(b.LastOffsetDelta) < next { // ours passes over it, whatever is in it
			data = data[size:]
			continue
		}
		rest := b.Records
		for range b.NumRecords {
			n, width := binary.Varint(rest)
			if width <= 0 || n < 0 || n > int64(len(rest)-width) {
				return out, true // ours reads no further either
			}
			r, ok := plainly(bytes.NewReader(rest[width:][:n]))
			if !ok {
				return out, true
			}
			rest, r.offset, r.time = rest[int64(width)+n:], r.offset+b.FirstOffset, r.time+b.FirstTimestamp
			if b.Attributes&appendTimeBit != 0 {
				r.time = b.MaxTimestamp
			}
			if r.offset >= next && b.Attributes&controlBit == 0 {
				out = append(out, r)
			}
		}
		data = data[size:]
	}
	return out, true
}

// plainly reads a record up to its headers, which ours does not look at.
func plainly(in *bytes.Reader) (r plainRecord, ok bool) {
	_, err := in.ReadByte() // attributes
	later, err1 := binary.ReadVarint(in)
	delta, err2 := binary.ReadVarint(in)
	text := func() []byte {
		n, err := binary.ReadVarint(in)
		if err1 = errors.Join(err1, err); err1 != nil || n < 0 || n > int64(in.Len()) {
			if n > int64(in.Len()) {
				err1 = io.ErrUnexpectedEOF
			}
			return nil
		}
		out := make([]byte, n)
		_, err1 = io.ReadFull(in, out)
		return out
	}
	r = plainRecord{delta, later, text(), text()}
	return r, errors.Join(err, err1, err2) == nil
}

// FuzzBatches feeds arbitrary bytes, sealed with the right checksum so that the
// fuzzer gets past it: whatever a broker sends, reading neither panics nor hands
// out offsets that were not asked for.
func FuzzBatches(f *testing.F) {
	good := encodeBatch(5, 0, 7, 3, kmsg.Record{OffsetDelta: 0, Key: []byte("k"), Value: []byte("v")}, kmsg.Record{OffsetDelta: 2,
		Headers: []kmsg.Header{{Key: "h", Value: []byte("x")}}})
	control := encodeBatch(9, transactionalBit|controlBit, 7, 0, kmsg.Record{Key: []byte{0, 0, 0, 0}, Value: make([]byte, 6)})
	for _, data := range [][]byte{nil, good, append(bytes.Clone(good), control...), good[:40],
		encodeBatch(5, transactionalBit, 7, 0, record(0, "a")), timed(5, 0, 1000, 3000, record(0, "a"), kmsg.Record{OffsetDelta: 1,
			TimestampDelta64: -1}), timed(5, appendTimeBit, 1000, 3000, record(0, "a")),
		encodeBatch(0, 1, 7, 0, record(0, "a")), encodeBatch(0, 2, 7, 0, record(0, "a")), encodeBatch(0, 3, 7, 0, record(0, "a")),
		encodeBatch(0, 4, 7, 0, record(0, "a"))} {
		f.Add(data, int64(6), int64(-1))
		f.Add(data, int64(0), int64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, next, limit int64) {
		if next < 0 || len(data) > 1<<16 {
			return
		}
		checkChunk(t, data, next, limit)
		sealed := bytes.Clone(data)
		for rest := sealed; len(rest) >= headerSize; {
			n := int64(binary.BigEndian.Uint32(rest[lengthAt:])) + lengthEnd
			if n < headerSize || n > int64(len(rest)) {
				break
			}
			binary.BigEndian.PutUint32(rest[crcAt:], crc32.Checksum(rest[attributeAt:n], castagnoli))
			rest = rest[n:]
		}
		checkChunk(t, sealed, next, limit)
	})
}

// FuzzFetchAnswer: an answer is parsed or refused, and its records are a part of it.
func FuzzFetchAnswer(f *testing.F) {
	for _, version := range []int16{4, 5, 7, 11} {
		f.Add(encodedAnswer(version, encodeBatch(0, 0, -1, 0, record(0, "a"))), version)
	}
	f.Fuzz(func(t *testing.T, body []byte, version int16) {
		if version < minFetchVersion || version > maxFetchVersion {
			return
		}
		res, err := parseFetch(body, version)
		if err != nil {
			require.Nil(t, res)
			return
		}
		require.LessOrEqual(t, len(res.Batches), len(body))
		require.LessOrEqual(t, 16*len(res.aborted), len(body))
		other := kmsg.NewPtrFetchResponse()
		other.Version = version
		if err := other.ReadFrom(body); err != nil || len(other.Topics) != 1 || len(other.Topics[0].Partitions) != 1 {
			return
		}
		p := other.Topics[0].Partitions[0]
		require.True(t, res.Present)
		require.Equal(t, p.HighWatermark, res.High)
		require.Equal(t, p.LastStableOffset, res.Stable)
		require.True(t, bytes.Equal(p.RecordBatches, res.Batches))
		require.Len(t, res.aborted, len(p.AbortedTransactions))
		for i, a := range p.AbortedTransactions {
			require.Equal(t, abortedTransaction{producer: a.ProducerID, first: a.FirstOffset}, res.aborted[i])
		}
	})
}

// encodedAnswer encodes an answer to Fetch with one partition, by another library.
func encodedAnswer(version int16, records []byte) []byte {
	part := kmsg.NewFetchResponseTopicPartition()
	part.HighWatermark, part.LastStableOffset, part.LogStartOffset, part.RecordBatches = 12, 11, 3, records
	part.AbortedTransactions = []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: 5, FirstOffset: 6},
		{ProducerID: 7, FirstOffset: 8}}
	top := kmsg.NewFetchResponseTopic()
	top.Topic, top.Partitions = "admissions", []kmsg.FetchResponseTopicPartition{part}
	res := kmsg.NewPtrFetchResponse()
	res.Version, res.Topics = version, []kmsg.FetchResponseTopic{top}
	return res.AppendTo(nil)
}

func TestParsesEveryVersionOfTheAnswer(t *testing.T) {
	batch := encodeBatch(3, 0, -1, 0, record(0, "a"))
	for version := int16(minFetchVersion); version <= maxFetchVersion; version++ {
		body := encodedAnswer(version, batch)
		res, err := parseFetch(body, version)
		require.NoError(t, err)
		want := &Response{Present: true, High: 12, Stable: 11, LogStart: 3, Batches: batch,
			aborted: []abortedTransaction{{producer: 5, first: 6}, {producer: 7, first: 8}}}
		if version < 5 {
			want.LogStart = -1
		}
		require.Equal(t, want, res, "version %d", version)
		for n := range body {
			if res, err := parseFetch(body[:n], version); err == nil {
				require.Empty(t, res.Batches, "version %d cut at %d of %d", version, n, len(body))
			}
		}
	}
}

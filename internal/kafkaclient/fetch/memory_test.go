package fetch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/segmentio/kafka-go/compress"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var allCodecs = []compress.Compression{compress.Gzip, compress.Snappy, compress.Lz4, compress.Zstd}

func numbered(n, size int) (records []kmsg.Record, values []string) {
	for i := range n {
		v := append(fmt.Appendf(nil, `{"p":0,"i":%d}`, i), bytes.Repeat([]byte{'x'}, size)...)
		records = append(records, kmsg.Record{OffsetDelta: int32(i), Key: []byte("k"), Value: v,
			Headers: []kmsg.Header{{Key: "h", Value: []byte("x")}}})
		values = append(values, string(v))
	}
	return records, values
}

// A batch larger than a piece comes in pieces that follow each other, whatever
// its codec, and no piece is much larger than it should be.
func TestLargeBatchComesInPieces(t *testing.T) {
	records, want := numbered(500, 1000)
	for _, code := range append(allCodecs, compress.None) {
		data := encodeBatch(7, 0, -1, 499, records...)
		if code != compress.None {
			data = compressed(t, code, 7, records...)
		}
		data = append(data, encodeBatch(600, 0, -1, 0, record(0, "behind"))...)
		for _, from := range []int64{0, 7, 9, 300} {
			turns := 0
			s := Sizes{Piece: 10_000, Record: 5000, Batch: 1 << 20}
			a := answerOf(&Response{Batches: data}, from, -1, s, func() error { turns++; return nil })
			var got []string
			at := from
			for {
				c, err := a.Piece()
				require.NoError(t, err)
				require.Equal(t, at, c.From)
				if at = c.Next; c.Next == c.From {
					break
				}
				weight := 0
				for _, r := range c.Records {
					got = append(got, string(r.Value))
					weight += weightOf(&r)
				}
				require.Less(t, weight, 10_000+1200)
			}
			a.Close()
			require.Equal(t, int64(601), at)
			require.Equal(t, append(want[max(0, from-7):len(want):len(want)], "behind"), got, "%v from %d", code, from)
			require.Equal(t, code != compress.None, turns == 1, "%v: a batch that is streamed waits for its turn", code)
		}
	}
}

// A message that is too long is handed out in its beginning only, and what
// follows it is not touched.
func TestTooLongMessageIsCut(t *testing.T) {
	long := bytes.Repeat([]byte("z"), 300_000)
	records := []kmsg.Record{record(0, "a"), {OffsetDelta: 1, Key: bytes.Repeat([]byte("k"), 100_000), Value: long}, record(2, "b")}
	for _, code := range append(allCodecs, compress.None) {
		data := encodeBatch(0, 0, -1, 2, records...)
		if code != compress.None {
			data = compressed(t, code, 0, records...)
		}
		for _, piece := range []int{50_000, 1 << 20} {
			var got []Record
			a := answerOf(&Response{Batches: data}, 0, -1, Sizes{Piece: piece, Record: 200_000, Batch: 1 << 20},
				func() error { return nil })
			for {
				c, err := a.Piece()
				require.NoError(t, err)
				if c.Next == c.From {
					break
				}
				got = append(got, c.Records...)
			}
			require.Len(t, got, 3)
			assert.Equal(t, []bool{false, true, false}, []bool{got[0].Short, got[1].Short, got[2].Short})
			assert.Equal(t, long[:CutTo], got[1].Value)
			assert.Equal(t, "b", string(got[2].Value))
		}
	}
}

// A batch that decompresses too far, or to nonsense far behind its beginning,
// gives no record at all, and says which offsets it covers.
func TestSpoiledLargeBatchGivesNothing(t *testing.T) {
	records, _ := numbered(500, 1000)
	plain := encodeBatch(7, 0, -1, 499, records...)
	torn := bytes.Clone(plain[headerSize:])
	torn = append(torn[:len(torn)-10], 0xff)
	for _, code := range allCodecs {
		for name, tc := range map[string]struct {
			data  []byte
			batch int
			why   string
		}{
			"too far":        {compressed(t, code, 7, records...), 300_000, "decompresses to more than"},
			"torn at end":    {recompress(t, plain, code, torn), 1 << 20, ""},
			"bytes behind":   {recompress(t, plain, code, append(bytes.Clone(plain[headerSize:]), 0)), 1 << 20, "after the last record"},
			"cut compressed": {sealed(plain, int16(code), compressed(t, code, 7, records...)[headerSize:headerSize+800]), 1 << 20, ""},
		} {
			a := answerOf(&Response{Batches: tc.data}, 7, -1, Sizes{Piece: 10_000, Record: 5000, Batch: tc.batch},
				func() error { return nil })
			_, err := a.Piece()
			var b *CorruptBatch
			require.ErrorAs(t, err, &b, "%v %s", code, name)
			assert.Equal(t, int64(506), b.Last)
			assert.Contains(t, err.Error(), tc.why)
		}
	}
}

// What a snappy text claims is allocated by its codec before anything is read.
func TestSnappyThatClaimsTooMuchIsNotDecompressed(t *testing.T) {
	plain := encodeBatch(0, 0, -1, 0, record(0, "a"))
	huge := binary.AppendUvarint(nil, 1<<32-1)
	framed := append(append(bytes.Clone(xerialMagic), 0, 0, 0, 1, 0, 0, 0, 1), 0, 0, 0, byte(len(huge)))
	for name, body := range map[string][]byte{
		"block":       append(bytes.Clone(huge), 1, 2, 3),
		"framed":      append(framed, huge...),
		"frame":       append(append(bytes.Clone(xerialMagic), 0, 0, 0, 1, 0, 0, 0, 1), 0xff, 0xff, 0xff, 0xf0, 1),
		"frame's end": append(append(bytes.Clone(xerialMagic), 0, 0, 0, 1, 0, 0, 0, 1), 0, 0),
	} {
		_, err := collect(&Response{Batches: sealed(plain, int16(compress.Snappy), body)}, 0, -1)
		require.ErrorIs(t, err, ErrCorrupt, name)
	}
	good := sealed(plain, int16(compress.Snappy), snappyOf(t, bytes.Repeat([]byte{0}, 10_000)))
	b, _, err := nextBatch(good)
	require.NoError(t, err)
	require.True(t, snappyClaims(b.payload), "the densest text is believed")
}

func snappyOf(t testing.TB, content []byte) []byte {
	var body bytes.Buffer
	w := compress.Snappy.Codec().NewWriter(&body)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return body.Bytes()
}

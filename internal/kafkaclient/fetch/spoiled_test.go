package fetch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBatchesThatLieAreRefused(t *testing.T) {
	good := encodeBatch(0, 0, -1, 1, record(0, "a"), record(1, "b"))
	seal := func(b []byte) []byte {
		b = bytes.Clone(b)
		binary.BigEndian.PutUint32(b[crcAt:], crc32.Checksum(b[attributeAt:], castagnoli))
		return b
	}
	with := func(at int, v ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], v)
		return seal(b)
	}
	cases := map[string]struct {
		data []byte
		want error
	}{
		"cut":                     {good[:len(good)-1], ErrCorrupt},
		"wrong checksum":          {append(good[:len(good)-1:len(good)-1], 'x'), ErrCorrupt},
		"format 1":                {with(magicAt, 1), ErrFormat},
		"format 3":                {with(magicAt, 3), ErrCorrupt},
		"negative count":          {with(57, 0xff, 0xff, 0xff, 0xff), ErrCorrupt},
		"huge count":              {with(57, 0x7f, 0xff, 0xff, 0xff), ErrCorrupt},
		"fewer records than said": {with(23, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0), ErrCorrupt},
		"negative last offset":    {with(23, 0xff, 0xff, 0xff, 0xff), ErrCorrupt},
		"unknown compression":     {with(attributeAt, 0, 5), ErrCorrupt},
		"not gzip":                {with(attributeAt, 0, 1), ErrCorrupt},
		"descending offsets":      {encodeBatch(0, 0, -1, 1, record(1, "b"), record(0, "a")), ErrCorrupt},
		"offset past the last":    {encodeBatch(0, 0, -1, 0, record(0, "a"), record(1, "a")), ErrCorrupt},
		"negative length": {append(bytes.Repeat([]byte{0}, 8), append([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 2},
			make([]byte, 60)...)...), ErrCorrupt},
	}
	binary.BigEndian.PutUint32(cases["fewer records than said"].data[57:], 5)
	cases["fewer records than said"] = struct {
		data []byte
		want error
	}{seal(cases["fewer records than said"].data), ErrCorrupt}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			chunk, err := collect(&Response{Batches: c.data}, 0, -1)
			require.ErrorIs(t, err, c.want)
			require.Nil(t, chunk)
		})
		t.Run(name+" behind a good one", func(t *testing.T) {
			first := encodeBatch(0, 0, -1, 3, record(0, "a"), record(2, "c"))
			chunk, err := collect(&Response{Batches: append(bytes.Clone(first), c.data...)}, 0, -1)
			require.NoError(t, err, "it is met again by the next fetch")
			require.Equal(t, int64(4), chunk.Next)
			require.Len(t, chunk.Records, 2)
		})
	}
}

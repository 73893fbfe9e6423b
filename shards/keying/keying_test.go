package keying_test

import (
	"anond/incremental/state"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/shards/keying"
)

// TestMurmur2: the values are those of the test of Kafka's Java client, UtilsTest.testMurmur2.
func TestMurmur2(t *testing.T) {
	for text, want := range map[string]int32{"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
		"a-little-bit-longer-string": -1486304829, "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971, "abc": 479470107} {
		assert.Equal(t, want, int32(keying.Murmur2([]byte(text))), text)
	}
	numbers := make([]int, 12)
	for i := range numbers {
		numbers[i] = i
	}
	for n := range 2000 {
		key := make([]byte, 0, 40)
		for i := range n % 40 {
			key = append(key, byte(n*31+i*i*7))
		}
		want := kafka.Murmur2Balancer{}.Balance(kafka.Message{Key: key}, numbers...)
		require.EqualValues(t, want, keying.PartitionOf(key, len(numbers)), "%x", key)
	}
}

// TestOtherPartitionersLeadElsewhere: what other clients do by default is no accident that could
// pass unnoticed.
func TestOtherPartitionersLeadElsewhere(t *testing.T) {
	const keys, partitions = 400, 8
	elsewhere := map[string]int{}
	for i := range keys {
		key := fmt.Appendf(nil, "patient-%d", i)
		want := keying.PartitionOf(key, partitions)
		h := fnv.New32a()
		_, _ = h.Write(key)
		for name, got := range map[string]uint32{"crc32": crc32.ChecksumIEEE(key) % partitions, "fnv": h.Sum32() % partitions,
			"round robin": uint32(i % partitions)} {
			if got != uint32(want) {
				elsewhere[name]++
			}
		}
	}
	for name, n := range elsewhere {
		assert.InDelta(t, keys*(partitions-1)/partitions, n, 30, name)
	}
	assert.Len(t, elsewhere, 3)
}

func TestKeying(t *testing.T) {
	const partitions = 8
	raw := &keying.Keying{Partitions: partitions, Subject: 1}
	digest := &keying.Keying{Partitions: partitions, Subject: 1, Digest: func(s []byte) []byte { return append([]byte("d"), s...) }}
	accepted, refused := decode.Outcome{}, decode.Outcome{Reason: decode.ReasonMalformedJSON}
	deleted := decode.Outcome{Delete: true}
	for name, c := range map[string]struct {
		keys    *keying.Keying
		key     []byte
		link    *keying.Link
		outcome decode.Outcome
		subject string
		move    int32 // partitions away from where the key leads
		fault   string
	}{
		"the subject":                 {raw, []byte("p1"), nil, accepted, "p1", 0, ""},
		"another partition":           {raw, []byte("p1"), nil, accepted, "p1", 1, "leads to partition"},
		"no key":                      {raw, nil, nil, accepted, "p1", 0, "has no key"},
		"the subject before cleaning": {raw, []byte("p1 "), nil, accepted, "p1", 0, "is not its subject"},
		"another subject":             {raw, []byte("p1"), nil, accepted, "p2", 0, "is not its subject"},
		"nobody":                      {raw, []byte("p1"), nil, refused, "", 0, ""},
		"nobody, elsewhere":           {raw, []byte("p1"), nil, refused, "", 1, "leads to partition"},
		"a delete":                    {raw, []byte("p1"), nil, deleted, "p1", 0, ""},
		"a delete of another":         {raw, []byte("p1"), nil, deleted, "p2", 0, "is not its subject"},
		"no subject":                  {raw, []byte("p1"), nil, accepted, "", 0, ""},
		"the digest":                  {digest, []byte("dp1"), &keying.Link{}, accepted, "p1", 0, ""},
		"the digest of another":       {digest, []byte("dp1"), &keying.Link{}, accepted, "p2", 0, "is not the digest"},
		"the subject for the digest":  {digest, []byte("p1"), &keying.Link{}, accepted, "p1", 0, "is not the digest"},
		"no link":                     {digest, []byte("dp1"), nil, accepted, "p1", 0, "is not of anond repartition"},
	} {
		t.Run(name, func(t *testing.T) {
			p := state.Partition{Source: "kafka:x"}
			if c.key != nil {
				p.ID = (keying.PartitionOf(c.key, partitions) + c.move) % partitions
			}
			row := make(equivclass.Row, 2)
			if c.subject != "" {
				row[1] = []byte(c.subject)
			}
			err := c.keys.Check(p, &ingest.Record{Offset: 7, Key: c.key, Note: c.link}, c.outcome, row)
			if c.fault == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, keying.ErrKeying)
			require.ErrorContains(t, err, c.fault)
			require.ErrorContains(t, err, fmt.Sprintf("kafka:x partition %d: the record at offset 7", p.ID))
			require.NotContains(t, err.Error(), "p1")
		})
	}
}

func TestLink(t *testing.T) {
	for _, l := range []keying.Link{{}, {Source: 3, Offset: 9, Previous: 8}, {Offset: 0, Previous: -1, First: true},
		{Source: 1 << 30, Offset: 1 << 60, Previous: 5, Cut: true}, {Offset: 4, MAC: keying.LinkMAC{1, 15: 2}}} {
		if l.Offset == 0 {
			l.Previous = -1
		}
		got, err := keying.DecodeLink(l.Encode())
		require.NoError(t, err)
		require.Equal(t, l, *got)
	}
	at := keying.Reached{Known: true, Next: 10}
	for name, c := range map[string]struct {
		at          keying.Reached
		link        keying.Link
		again, hole bool
	}{
		"the next one":                   {at, keying.Link{Offset: 12, Previous: 9}, false, false},
		"had":                            {at, keying.Link{Offset: 9, Previous: 5}, true, false},
		"a hole":                         {at, keying.Link{Offset: 12, Previous: 11}, false, true},
		"one between is gone there":      {at, keying.Link{Offset: 12, Previous: 7}, false, false},
		"a new beginning":                {at, keying.Link{Offset: 12, Previous: 3, First: true}, false, false},
		"a beginning behind what is had": {at, keying.Link{Offset: 30, Previous: 20, First: true}, false, true},
		"the first":                      {keying.Reached{}, keying.Link{Offset: 44, Previous: 40, First: true}, false, false},
		"the first is missing":           {keying.Reached{}, keying.Link{Offset: 4, Previous: 2}, false, true},
	} {
		again, hole := c.at.Follow(&c.link)
		assert.Equal(t, c.again, again, name)
		assert.Equal(t, c.hole, hole, name)
	}
}

// FuzzLink: nothing is read but what is written, and a reader over a struct of encoding/binary reads
// the same, or refuses it too.
func FuzzLink(f *testing.F) {
	f.Add((&keying.Link{Source: 3, Offset: 9, Previous: 8}).Encode())
	f.Add((&keying.Link{Offset: 1, Previous: -1, First: true, Cut: true}).Encode())
	f.Add((&keying.Link{Offset: 1, MAC: keying.LinkMAC{7}}).Encode())
	f.Add([]byte{1, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := keying.DecodeLink(b)
		var plain struct {
			Version, Flags   uint8
			Source           int32
			Offset, Previous int64
		}
		n, bad := binary.Decode(b, binary.BigEndian, &plain)
		mac := b[min(n, len(b)):]
		fits := bad == nil && plain.Version == 2 && len(mac) == len(keying.LinkMAC{}) && plain.Flags < 4 && plain.Source >= 0 &&
			plain.Previous >= -1 && plain.Offset > max(-1, plain.Previous)
		require.Equal(t, fits, err == nil)
		if err != nil {
			require.ErrorIs(t, err, keying.ErrLink)
			return
		}
		same := keying.Link{Source: plain.Source, Offset: plain.Offset, Previous: plain.Previous, First: plain.Flags%2 == 1,
			Cut: plain.Flags/2 == 1}
		copy(same.MAC[:], mac)
		require.Equal(t, same, *l)
		require.Equal(t, b, l.Encode())
		require.Less(t, l.Previous, l.Offset)
	})
}

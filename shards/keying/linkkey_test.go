package keying_test

import (
	"anond/incremental/state"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/shards/keying"
)

const linkPartitions = 8

// forgery is a record of a repartitioned topic as anond repartition wrote it, and then changed.
type forgery struct {
	partition int32
	topic     string
	record    ingest.Record
	link      *keying.Link
}

func genuine(secret string) *forgery {
	key := []byte("0123456789abcdef0123456789abcdef")
	f := &forgery{partition: keying.PartitionOf(key, linkPartitions), topic: "a.subjects", record: ingest.Record{Offset: 7, Key: key,
		Value: []byte(`{"patient":"P1"}`)}, link: &keying.Link{Source: 3, Offset: 20, Previous: 11}}
	f.record.Note = f.link
	keying.NewLinkKey([]byte(secret), "a.subjects").Seal(f.link, f.partition, key, f.record.Value)
	return f
}

// TestForgedLinks: a shard takes what anond repartition wrote where it wrote it. What anybody else
// can make of it without the key stops the shard with partition and offset.
func TestForgedLinks(t *testing.T) {
	const wrong = "has a link with a wrong MAC"
	for name, c := range map[string]struct {
		change func(*forgery)
		fault  string
	}{
		"genuine":              {func(*forgery) {}, ""},
		"a higher offset":      {func(f *forgery) { f.link.Offset = 1 << 40 }, wrong},
		"another place before": {func(f *forgery) { f.link.Previous = -1 }, wrong},
		"another source":       {func(f *forgery) { f.link.Source = 4 }, wrong},
		"called the first":     {func(f *forgery) { f.link.First = true }, wrong},
		"called cut":           {func(f *forgery) { f.link.Cut, f.record.Cut = true, true }, wrong},
		"from another partition": {func(f *forgery) {
			f.partition = (f.partition + 1) % linkPartitions
		}, wrong},
		"from another topic":  {func(f *forgery) { f.topic = "b.subjects" }, wrong},
		"another value":       {func(f *forgery) { f.record.Value = []byte(`{"patient":"P2"}`) }, wrong},
		"a shorter value":     {func(f *forgery) { f.record.Value = f.record.Value[:5] }, wrong},
		"an empty value":      {func(f *forgery) { f.record.Value = []byte{} }, wrong},
		"a tombstone":         {func(f *forgery) { f.record.Value = nil }, wrong},
		"key and value moved": {func(f *forgery) { f.moved() }, wrong},
		"one bit of the MAC":  {func(f *forgery) { f.link.MAC[15] ^= 1 }, wrong},
		"too long here":       {func(f *forgery) { f.cutHere() }, "is longer than source.max_record_bytes"},
		"cut by repartition":  {func(f *forgery) { f.cutByRepartition() }, ""},
		"cut by repartition, and too long here": {func(f *forgery) { f.cutByRepartition(); f.cutHere() },
			"is longer than source.max_record_bytes, which is less than that of anond repartition"},
		"another subject.key": {func(f *forgery) { *f = *genuine("other") }, wrong},
	} {
		t.Run(name, func(t *testing.T) {
			f := genuine("secret")
			c.change(f)
			keys := &keying.Keying{Partitions: linkPartitions, Digest: func([]byte) []byte { return f.record.Key },
				Links: keying.NewLinkKey([]byte("secret"), f.topic)}
			p := state.Partition{Source: "kafka:" + f.topic, ID: f.partition}
			err := keys.Check(p, &f.record, decode.Outcome{}, equivclass.Row{[]byte("P1")})
			if c.fault == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, keying.ErrKeying)
			require.ErrorContains(t, err, c.fault)
			require.ErrorContains(t, err, fmt.Sprintf("kafka:%s partition %d: the record at offset 7 ", f.topic, f.partition))
			require.NotContains(t, err.Error(), "P1")
		})
	}
}

// cutByRepartition: the message is the beginning of a record that was too long for anond repartition.
func (f *forgery) cutByRepartition() {
	f.record.Cut, f.link.Cut = true, true
	keying.NewLinkKey([]byte("secret"), f.topic).Seal(f.link, f.partition, f.record.Key, f.record.Value)
}

// cutHere: it is longer than what this shard takes.
func (f *forgery) cutHere() {
	f.record.Cut, f.record.CutHere, f.record.Value = true, true, f.record.Value[:5]
}

// moved takes the first byte of the value to the end of the key.
func (f *forgery) moved() {
	f.record.Key = append(f.record.Key[:len(f.record.Key):len(f.record.Key)], f.record.Value[0])
	f.record.Value = f.record.Value[1:]
}

// TestTruncatedLinks: no part of a link is one.
func TestTruncatedLinks(t *testing.T) {
	whole := genuine("secret").link.Encode()
	require.Len(t, whole, 38)
	for n := range whole {
		_, err := keying.DecodeLink(whole[:n])
		assert.ErrorIs(t, err, keying.ErrLink, n)
	}
	_, err := keying.DecodeLink(append(whole, 0))
	assert.ErrorIs(t, err, keying.ErrLink)
	whole[0]--
	_, err = keying.DecodeLink(whole)
	assert.ErrorIs(t, err, keying.ErrLink, "another version")
}

// BenchmarkLink: what sealing and checking a link cost, with records of several sizes.
func BenchmarkLink(b *testing.B) {
	for _, size := range []int{200, 1000} {
		value := make([]byte, size)
		f := genuine("secret")
		keys := keying.NewLinkKey([]byte("secret"), f.topic)
		b.Run(fmt.Sprintf("seal/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				keys.Seal(f.link, f.partition, f.record.Key, value)
			}
		})
		b.Run(fmt.Sprintf("check/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !keys.Sealed(f.link, f.partition, f.record.Key, value) {
					b.Fatal("wrong")
				}
			}
		})
	}
}

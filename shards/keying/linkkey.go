package keying

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// LinkMAC is what a link is sealed with: the first half of an HMAC-SHA-256.
type LinkMAC [16]byte

// LinkKey seals the links of a repartitioned topic, and checks them. Without it whoever may write to
// the topic could have a shard skip records: a link with a high offset makes it drop all below.
//
// The MAC is over the link, topic and partition, and key and value of the record. So a link
// cannot be taken from another partition or topic, nor put on another record. A record that is
// written there a second time passes, and the link says that it was had. Cost: an HMAC-SHA-256
// over the record, some 100 bytes, and the topic's name. Safe for concurrent use.
type LinkKey struct {
	topic string
	macs  sync.Pool
}

// linking is what one MAC needs: recycled, since records are many.
type linking struct {
	mac hash.Hash
	buf []byte
}

// NewLinkKey makes the key of the links in a topic from a secret.
func NewLinkKey(secret []byte, topic string) *LinkKey {
	k := &LinkKey{topic: topic}
	k.macs.New = func() any { return &linking{mac: hmac.New(sha256.New, secret)} }
	return k
}

// Seal gives a link its MAC, for a record in a partition. A nil value is a tombstone.
func (k *LinkKey) Seal(l *Link, partition int32, key, value []byte) {
	l.MAC = k.macOf(l, partition, key, value)
}

// Sealed reports whether a link has the MAC of a record in a partition.
func (k *LinkKey) Sealed(l *Link, partition int32, key, value []byte) bool {
	want := k.macOf(l, partition, key, value)
	return hmac.Equal(want[:], l.MAC[:])
}

// macOf hashes the link, partition, then topic, key and value with their lengths in front, so
// that no two records give the same bytes.
func (k *LinkKey) macOf(l *Link, partition int32, key, value []byte) (out LinkMAC) {
	m := k.macs.Get().(*linking)
	defer k.macs.Put(m)
	b := l.appendPlace(m.buf[:0])
	b = binary.BigEndian.AppendUint32(b, uint32(partition))
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(k.topic))), k.topic...)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(key))), key...)
	b = binary.BigEndian.AppendUint64(b, lengthOf(value))
	m.mac.Reset()
	m.mac.Write(b)
	m.mac.Write(value)
	m.buf = m.mac.Sum(b[:0])
	copy(out[:], m.buf)
	return out
}

// lengthOf is the length of a value, and another number for a tombstone.
func lengthOf(value []byte) uint64 {
	if value == nil {
		return 1 << 63
	}
	return uint64(len(value))
}

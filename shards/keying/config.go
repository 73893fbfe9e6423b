package keying

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"

	"anond/config"
)

// Of checks the keys of the records of a configuration's shard, in a topic of so many partitions.
func Of(c *config.Config, partitions int) *Keying {
	k := &Keying{Partitions: partitions, Subject: c.Schema().SubjectIndex()}
	if c.Shard.Key == config.KeyIsDigest {
		k.Digest, k.Links = RecordKey(c), LinkKeyOf(c, c.Source.Kafka.Topic)
	}
	return k
}

// RecordKey makes the key of a subject in a topic of anond repartition: HMAC-SHA-256 under a key
// derived from subject.key, the first 16 bytes as 32 hexadecimal digits. Who has the topic and
// not subject.key learns from it which records are of one person, as from the subject itself,
// and not who that is.
func RecordKey(c *config.Config) func(subject []byte) []byte {
	secret := c.SubjectKey().Derive("anond key of a repartitioned record")
	macs := sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }} // decoders work side by side
	return func(subject []byte) []byte {
		mac := macs.Get().(hash.Hash)
		defer macs.Put(mac)
		mac.Reset()
		mac.Write(subject)
		return hex.AppendEncode(nil, mac.Sum(nil)[:16])
	}
}

// LinkKeyOf seals the links of records in a topic of anond repartition: whoever has the topic and not
// subject.key can make none.
func LinkKeyOf(c *config.Config, topic string) *LinkKey {
	return NewLinkKey(c.SubjectKey().Derive("anond link of a repartitioned record"), topic)
}

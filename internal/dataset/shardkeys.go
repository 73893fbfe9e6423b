package dataset

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/fault"
	"anond/shards/keying"
)

// subjectKey keys the digests of subjects in the state; nil: a key of the state's seed does.
func subjectKey(c *config.Config) []byte {
	k := c.SubjectKey()
	if !k.Set() {
		return nil
	}
	return k.Derive("anond digest of a subject")
}

// SubjectKeyName names subject.key in front of the digests in exports, so that an audit of several
// shards knows that they have the same key; empty without one. It does not tell the key.
func SubjectKeyName(c *config.Config) string {
	k := c.SubjectKey()
	if !k.Set() {
		return ""
	}
	return hex.EncodeToString(k.Derive("anond name of a subject key")[:8]) + ":"
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

// LinkKey seals the links of records in a topic of anond repartition: whoever has the topic and not
// subject.key can make none.
func LinkKey(c *config.Config, topic string) *keying.LinkKey {
	return keying.NewLinkKey(c.SubjectKey().Derive("anond link of a repartitioned record"), topic)
}

// linkHeader is the header in which records of a shard have their links, if they have any.
func linkHeader(c *config.Config) kafkasrc.Header {
	if !c.Shard.Set() || c.Shard.Key != config.KeyIsDigest {
		return kafkasrc.Header{}
	}
	return kafkasrc.Header{Name: keying.LinkHeader, Take: keying.ReadLink}
}

// KeyingOf checks the keys of a shard's records; nil: the configuration has none.
func KeyingOf(c *config.Config, partitions int) *keying.Keying {
	if !c.Shard.Set() {
		return nil
	}
	k := &keying.Keying{Partitions: partitions, Subject: c.Schema().SubjectIndex()}
	if c.Shard.Key == config.KeyIsDigest {
		k.Digest, k.Links = RecordKey(c), LinkKey(c, c.Source.Kafka.Topic)
	}
	return k
}

// KeysOf is keyingOf, and keeps how many partitions the topic has: the first commit stores it.
func KeysOf(c *config.Config, m *incremental.Machine, s ingest.Source) (*keying.Keying, error) {
	if !c.Shard.Set() {
		return nil, nil
	}
	of, ok := s.(ingest.Partitioned)
	if !ok {
		return nil, fault.Errorf(fault.Config, "remove shard, or read a topic", "shard needs a source that has partitions")
	}
	m.Source().SetPartitions(of.Partitions())
	return KeyingOf(c, m.Source().Partitions()), nil
}

// Placed has a host look at where records lie, if it is that of a shard.
func Placed(host *ingest.Host, keys *keying.Keying) {
	if keys != nil {
		host.Placement, host.RefusalWaits = keys, true
	}
}

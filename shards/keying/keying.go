// Package keying says in which shard a person is, and checks it: records lie in the partition to which the key of their person
// leads, and those of a topic that anond repartition writes carry links, by which a reader has each once or stops at a hole.
// It implements ingest.Placement.
package keying

import (
	"anond/incremental/state"
	"bytes"
	"fmt"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/fault"
)

var _ ingest.Placement = (*Keying)(nil)

// Keying checks that each record of a shard lies where its person's key leads: so a person is in
// one shard permanently, and the people of two shards are different ones. Rules D (difference)
// and A (frozen classes) are kept in each shard; that nobody is published twice is this check.
//
// The first record that is elsewhere stops the shard, since nobody knows then how many others
// are, and in which shard their people were published. Cost: a hash of the key, and where the
// keys are digests one of the subject. Judge and Check are safe for concurrent use.
type Keying struct {
	Partitions int // of the topic
	Subject    int // its place in a row
	// Digest makes the key of a subject, in a topic of `anond repartition`; nil: the key is the subject.
	Digest func(subject []byte) []byte
	// Links checks who wrote the links of such a topic; nil: it was checked before, or nobody
	// is asked.
	Links *LinkKey

	chains chains // of the one goroutine that places records
}

// ErrKeying matches every *KeyingError.
var ErrKeying = fault.Errorf(fault.Config, "have producers write the subject as the key with the partitioner of Kafka's Java client "+
	"(murmur2), or write the topic anew: anond repartition", "a record is not where the key of its person leads")

// KeyingError says of which record the key is wrong. It has no text of a key (rule V, values).
type KeyingError struct {
	Partition     state.Partition
	Offset        int64
	Why           string
	Link          bool // it is the link of a repartitioned record that is wrong
	Repartitioned bool // the topic should be one that anond repartition has written
}

func (e *KeyingError) Error() string {
	return fmt.Sprintf("%s partition %d: the record at offset %d %s, so that shards would not have each person once",
		e.Partition.Source, e.Partition.ID, e.Offset, e.Why)
}

// Unwrap makes errors.Is(err, ErrKeying) true.
func (e *KeyingError) Unwrap() error { return ErrKeying }

// Fault implements fault.Fault.
func (e *KeyingError) Fault() (fault.Kind, string) {
	const anew = "write another topic with anond repartition --to, for a new dataset of other people"
	switch {
	case e.Link:
		return fault.Config, "nobody but anond repartition may have the right to write to the topic: take it away, and " + anew
	case e.Repartitioned:
		return fault.Config, "with shard.key: digest, name a topic that anond repartition has written. If it is one, another " +
			"program wrote to it, too: " +
			"take the right to write away, and " + anew
	}
	return 0, ""
}

// Judge is Check for a record that is about to be placed. Of a message that cannot be read a raw key names the person.
func (k *Keying) Judge(p state.Partition, r *ingest.Record, o decode.Outcome, row equivclass.Row) error {
	if k.Digest == nil && !o.Accepted() && row[k.Subject] == nil {
		row[k.Subject] = r.Key
	}
	return k.Check(p, r, o, row)
}

// Check compares the key of a record with the partition in which it is, and with the subject in
// its row. A record that cannot be decoded has no person: only its partition is checked. A delete has
// one, whom the same shard has to forget.
func (k *Keying) Check(p state.Partition, r *ingest.Record, o decode.Outcome, row equivclass.Row) error {
	if why := k.forged(p.ID, r); why != "" && r.Key != nil {
		return &KeyingError{Partition: p, Offset: r.Offset, Why: why, Link: true, Repartitioned: true}
	}
	if why := k.fault(p.ID, r, o, row); why != "" {
		return &KeyingError{Partition: p, Offset: r.Offset, Why: why, Repartitioned: k.Digest != nil}
	}
	return nil
}

// Recheck is Check of a record that was placed before: its link was followed, and its MAC checked.
func (k *Keying) Recheck(p state.Partition, r *ingest.Record, o decode.Outcome, row equivclass.Row) error {
	again := *r
	again.Note = &Link{}
	return (&Keying{Partitions: k.Partitions, Subject: k.Subject, Digest: k.Digest}).Check(p, &again, o, row)
}

// PartitionOf is where the records of a subject are.
func (k *Keying) PartitionOf(subject []byte) int32 {
	if k.Digest != nil {
		subject = k.Digest(subject)
	}
	return PartitionOf(subject, k.Partitions)
}

func (k *Keying) fault(partition int32, r *ingest.Record, o decode.Outcome, row equivclass.Row) string {
	if r.Key == nil {
		return "has no key"
	}
	if k.Digest != nil && linkOf(r) == nil {
		return "is not of anond repartition: it does not say which record it was"
	}
	if leads := PartitionOf(r.Key, k.Partitions); leads != partition {
		return fmt.Sprintf("has a key that leads to partition %d of %d", leads, k.Partitions)
	}
	if !o.Accepted() && !o.Delete {
		return ""
	}
	subject := row[k.Subject]
	switch {
	case subject == nil: // the machine refuses it
	case k.Digest != nil && !bytes.Equal(r.Key, k.Digest(subject)):
		return "has a key that is not the digest of its subject under subject.key"
	case k.Digest == nil && !bytes.Equal(r.Key, subject):
		return "has a key that is not its subject as anond reads it"
	}
	return ""
}

// forged says what is wrong with who wrote the link of a record.
func (k *Keying) forged(partition int32, r *ingest.Record) string {
	switch l := linkOf(r); {
	case k.Links == nil || l == nil:
		return ""
	case r.CutHere: // perhaps a second time, behind anond repartition
		return "is longer than source.max_record_bytes, which is less than that of anond repartition, and its MAC cannot be checked"
	case !k.Links.Sealed(l, partition, r.Key, r.Value):
		return "has a link with a wrong MAC: it was not written there by anond repartition with this subject.key"
	}
	return ""
}

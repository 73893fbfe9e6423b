// Package repartition writes a topic anew so that each person's records lie in one partition: keyed by
// a keyed digest of the subject, where the key of the original says something else or nothing.
//
// # Guarantee
//
// Every record that the source hands out is in the target at least once, and behind the record
// that was written there before it from the same source partition. A reader that follows the
// links (keying.Link) has each record once and in order, or stops at a hole: none is lost in
// silence. This holds over crashes, lost acknowledgements, duplicates that arrive late, and any
// number of writers at once, also with an older progress.
//
// # Method
//
// No transaction: a record of Kafka's may show before its transaction ends, and after it was
// aborted. Instead a chunk of one source partition is divided by target partition, and each part
// is written with acks=all, one request at a time, the same one until it is acknowledged. The
// next chunk is begun when all of it is. So of two records of a source partition in one target
// partition, the later one is sent when the earlier one is acknowledged. Each carries its own
// place and that of the one before. What is written depends on the source alone, so that
// another writer writes the same, and a reader drops by the place what it has had.
//
// A record whose subject cannot be read has no person. It is passed on, under a key of its own,
// and becomes a dead letter of the shard that reads it: so the shards count every record once.
//
// # Limits
//
// The target must keep what was written to it (no compaction), and its partitions. Headers and
// times of the original are not passed on. Records are written in the order of each source
// partition; between two of them there is no order, as there was none.
package repartition

// Package topic writes releases to a Kafka topic, and makes releases of one again.
//
// Guarantee: a topic holds every release that was delivered to it, whole, also after
// compaction, retries, crashes, and with several that deliver at once. A reader knows
// without order and without Kafka's transactions which releases are whole, and Rebuild
// gives the bytes of each.
//
// Why: a message is a function of the published files alone, its key ends with the SHA-256
// of its value, and only rows are taken back that a marker says have left the releases (rule
// W). So the value of a key never changes,
// and what is sent twice changes nothing: a topic is a set that grows. Compaction removes a
// message only where a later one has the same key, thus the same value. The marker of a
// release counts its messages. A reader takes a release for whole when it has the marker
// and as many different messages as that counts, wherever they stand: behind the marker as
// well, where compaction has removed an earlier copy of a message that was sent again.
//
// Classes that regrouping replaced get a message of their own and no tombstone: a tombstone
// would take the class away from the earlier releases, too.
//
// Cost: one message a class, and one a bucket; a reader reads the topic once from its
// beginning. Memory: 16 bytes a message, the rest is in a temporary file.
package topic

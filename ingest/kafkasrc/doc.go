// Package kafkasrc reads a Kafka topic as an ingest.Source, holds the lease of a
// consumer group, and writes dead letters to a topic. It and the client below it
// (internal/kafkaclient) alone know kafka-go.
//
// # Guarantee
//
// Every committed record of every partition is handed out at least once and in
// order, from the position that state holds. Records of aborted transactions,
// control records and records of a batch whose checksum is wrong are never handed
// out. Offsets that hold no record are either explained (a control batch, an
// aborted transaction, compaction) or stop the source: *ingest.GapError when
// records above the position were deleted, *ingest.CorruptError when a batch
// cannot be read (spoiled.go), ingest.ErrReplaced when the log is another one. A
// gap or batch that the configuration gives up is handed out as ingest.Missing.
//
// # Method
//
// One goroutine a partition fetches, checks and hands its chunks to a bounded
// channel (partition.go); while the channel is full nothing is fetched. A fetch
// needs a turn (turn.go). With ingest.Resume.Ordered the partitions are handed out one
// after the other, up to bounds that the host sets (order.go). Turns are few, so that neither memory nor connections
// grow with the number of partitions; where there are more partitions than turns,
// one request a broker waits for all that are idle (idle.go). An answer is read
// in pieces (package kafkaclient/fetch): a batch that decompresses to more than a piece is checked
// to its end and then decompressed record by record.
//
// A failure is retried without limit, with capped, jittered exponential backoff
// (retry.Policy). Final are only those that need an operator: a gap, a batch
// that cannot be read, a replaced log, credentials refused when the source is
// opened. After each failure, and before the first batch of another leader is handed
// out, the last record read is compared with the log again. So a topic is noticed
// that was deleted and created while the broker was away, and an election that lost
// records (verify.go, leader.go). A watchdog rebuilds all connections when there is
// something to read and nothing comes (watch.go).
//
// # Difference from the usual
//
// Fetches go through kafka.Transport, which keeps connections and finds leaders,
// but the answer is read by ours (package kafkaclient/fetch).
//
// # Cost
//
// At most Config.Fetches answers of Config.MaxBytes, as many chunks, Config.Depth
// chunks that wait, and one larger answer or batch are held at a time. A batch is
// decoded in place: the records of an uncompressed batch are slices of the answer.
//
// # Source
//
// Apache Kafka's protocol guide, Fetch versions 4 to 11 and record batch format 2;
// KIP-98 for transactions.
//
// # Events
//
// Lines of the log have a stable event name:
//
//	source_connected            reading, or reading again after failures
//	source_disconnected         the first failure; error, partition and a hint
//	source_retry                further failures (at growing distances, else debug)
//	source_stalled              there is something to read and nothing comes
//	source_corrupt              a batch cannot be read
//	source_partition_added      the topic has a new partition
//	source_partitions_changed        the topic of a shard has other partitions than it must have
//	source_gap                  records were deleted before they were read
//	source_replaced             the topic is not the one that state has read, or has lost records
//	source_unverified           the last record read is gone, nothing to compare
//	source_commit_failed        the best-effort offset commit failed
//	source_token_failed         no token for OAUTHBEARER could be fetched
//	source_lease_standby        another instance is active
//	source_lease_acquired       this instance is active
//	source_lease_lost           this instance must stop
//	source_lease_released       this instance stopped and released the lease
//	deadletter_payload_dropped  a dead letter was too large for its topic
package kafkasrc

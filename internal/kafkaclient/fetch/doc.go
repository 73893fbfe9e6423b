// Package fetch asks a broker for records and reads its answer: the source of package ingest/kafkasrc does, which knows positions
// and states, and who reads a public topic (ReadTopic), which knows neither.
//
// Guarantee: every committed record of an answer is handed out once and in order, and nothing else is: no record of an aborted
// transaction, no control record, and no record of a batch whose checksum is wrong or whose content is not what its head says.
//
// Method: fetches go through kafka.Transport, which keeps connections and finds leaders, but the answer is read here (wire.go,
// batch.go). The decoding of kafka-go drops the list of aborted transactions (Client.Fetch) and the last offset of a batch, trusts
// the record count of a batch so far that it may panic, and ignores checksums (Reader).
//
// Cost: an answer is read in pieces (Answer). A batch is decoded in place: the records of an uncompressed batch are slices of the
// answer. One that decompresses to more than a piece is checked to its end and then decompressed record by record.
//
// Source: Apache Kafka's protocol guide, Fetch versions 4 to 11 and record batch format 2; KIP-98 for transactions.
package fetch

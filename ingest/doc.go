// Package ingest brings records from outside into the machine of package
// incremental: a port for sources (Source) and one for refused records
// (DeadLetters), decoders for the formats, and the loop that joins them.
//
// Reading is at least once; the effect is exactly once, because the machine
// keeps the position of every partition in the same transaction as the records
// and drops what lies below it. Adapters live in packages of their own
// (kafkasrc, filesrc), so that the loop knows neither Kafka nor files.
package ingest

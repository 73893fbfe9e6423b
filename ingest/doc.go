// Package ingest brings records from outside into the machine of package
// incremental and its releases to a publisher. It has the ports for sources
// (Source), for refused records (DeadLetters) and for releases (Publisher), and
// the loop that joins them (Host.Run).
//
// # Guarantee
//
// Every record that its source hands out has its effect exactly once, although it
// may be read several times: the position of each partition is committed in the
// same transaction as the records, and a record below the position is dropped. A
// record that is refused becomes a dead letter in that transaction. Where chunks
// and batches begin and end changes nothing in what is published. No error and no
// line of the log has a person's value (rule V: no value is shown).
//
// # Method
//
// A record takes this way, one file a step:
//
//	source.go       a source hands out chunks, each of one partition
//	decode/         a decoder makes a row of each message, or refuses it with a reason
//	stage.go        both of these run ahead of the machine, in a goroutine of their own
//	intake.go       the machine takes the rows, one by one
//	transaction.go  one transaction makes records, positions and dead letters durable
//	cut.go          the machine decides what the next release publishes
//	publish.go      the release is published while reading goes on, and then marked
//
// One goroutine owns the machine and reacts to events (loop.go); the loop has a part of its own for each of these,
// for people to forget, for what operators ask and for what they are told. What runs
// alongside it does not know it: the release in progress (release.go) and the
// delivery of dead letters (outbox.go) tell the loop by events how they end. A
// refusal, of the machine or of the gate, takes one way out of the loop
// (publish.go): logged once, returned as the error of Run. Adapters live in
// packages of their own (kafkasrc, filesrc, deadletter), so that the loop knows neither Kafka
// nor files; what shards need of it is behind two ports (Placement, Steps).
//
// # Difference from the usual
//
// A usual consumer keeps its position at the broker, next to which its effects are
// a second, separate commit. Here the position lies in the state. Offset commits
// to the broker are best effort; they serve tools that show the lag.
//
// # Cost
//
// What is in flight is bounded in bytes, whatever the number of partitions (Shares).
// A transaction gathers 10,000 records or 200 ms of them, unless a cut comes first.
// docs/ARCHITECTURE.md argues the order of the durable steps.
package ingest

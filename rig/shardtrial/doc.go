// Package shardtrial tries what shards/SCALING.md promises, with real processes and a real
// broker: one dataset in several shards and their union, while processes are killed.
//
// Guarantee: the program is the binary that users have; nothing in it is changed. What a
// trial reports was looked at from outside: the topic as the one who wrote it knows it, the
// private exports, the files of the releases, and what anond audit says of them. A trial
// fails if a record is lost or counted twice, if a person is published twice or is in two
// shards, if the union is not certified, or if a run that was killed again and again leaves
// other parts or other sums than one that was not, created_at apart.
//
// Method: a trial has two topics, keyed by subject. The first has many partitions. Shards and
// two unions read it while it is written; a schedule that the seed fixes kills each of them
// (SIGKILL) several times, and a broker once. Then the same number of shards, and one process
// without shards, read the full topic as fast as they can: that is the rate. The order in
// which a shard reads several partitions is not determined, so what it decided is made again
// from its state by anond audit --replay. The second topic has one partition for each shard,
// so there the order is determined: a run that is killed and an undisturbed one, which begin
// with copies of one state and so with the same seeds, must write the same bytes.
//
// Cost: make trial-shards takes a quarter of an hour on two cores. The test of this package is
// a small trial on kfake.
//
// Source: ours.
package shardtrial

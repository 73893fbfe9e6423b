// Package shards measures what it costs to divide people among shards: the information
// loss by the number of shards, at an equal number of people.
//
// Guarantee: the seed fixes all numbers. A person is in the shard of which a topic keyed by
// subject makes it: keying.PartitionOf, then the partition modulo the number of shards.
//
// Method: the people of UCI Adult, and of the synthetic hospital, arrive as in the figure
// frontier: half of them at once, then 30 batches, then empty ticks until nothing more is
// publishable. Each shard is a state machine of the daemon over the store in memory, with a
// seed, pools and a least size of pools of its own (policy.min_pool and MinPool are judged
// per shard). It knows nothing of the others. All try a cut at the same moments. The loss is
// that of the whole table: over all people who arrived, with one domain for all shards.
//
// Difference from the papers: none has this figure.
//
// Cost: about half an hour of processor time and 2 GB of memory at scale 1, most of both for a
// million people.
//
// Source: this project (shards/SCALING.md, "What hashing costs"). `anond-lab experiment run shards`
// measures it; nothing of the daemon depends on it.
package shards

// Package publish gives releases their name: a gate checks what was rendered, and
// durable steps make it public, one release at a time or as the union of shards.
//
// Guarantee: at every moment, a power cut included, a release either has its name and is
// complete, or it has none; see Publisher, and Union.
//
// Why a union of shards is safe (Union): people are in one shard each and the seeds of the
// shards are independent, so for each person one shard's chain alone depends on the value,
// given the public vector of releases; and that chain is certified by Theorem A, P or E
// for every exchangeable prior, also one that other shards' releases have changed. Each
// shard's pools are large enough by themselves, and times and settings depend on no value
// (Corollary U in docs/PROOFS.md). Which shard a part is of follows from the keys of
// its people. A union looks at manifests and copies files; it reads no value.
//
// Method: render -> Gate -> fsync -> rename -> CURRENT -> ledger. Reconcile compares
// what stands on disk with the state at start; Pruning takes away the files of old releases.
//
// Cost: that of the rendering, and of the gate; the durable steps are some ten calls of fsync.
//
// Source: the durable steps are described in docs/ARCHITECTURE.md, the rules in
// docs/PROOFS.md.
package publish

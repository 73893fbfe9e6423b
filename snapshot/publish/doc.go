// Package publish gives releases their name: a gate checks what was rendered, and
// durable steps make it public, one release at a time.
//
// Guarantee: at every moment, a power cut included, a release either has its name and is
// complete, or it has none; see Publisher.
//
// Method: render -> Gate -> fsync -> rename -> CURRENT -> ledger, written once (Sequence); the union of shards
// goes the same way (package shards/union). Reconcile compares
// what stands on disk with the state at start; Pruning takes away the files of old releases.
//
// Cost: that of the rendering, and of the gate; the durable steps are some ten calls of fsync.
//
// Source: the durable steps are described in docs/DURABLE.md, the rules in
// docs/PROOFS.md.
package publish

// Package deliver takes published releases to where they are used: to a topic (package
// topic) and to a database (package postgres).
//
// Guarantee: a sink gets every release of a chain, in order, each once or again with the
// same content, also after crashes, retries, and alongside others that deliver the same. What
// reads a sink sees whole releases only. What has left the releases (rule W) is deleted from
// a sink, and nothing else. Nothing but public files is read: manifests, parts
// and hierarchies. So nothing is published here (rules A, D and F of docs/PROOFS.md
// are about releases, and a copy of one is not a second rendering): who reads the sink
// knows what a reader of the files knows.
//
// Method: what a release changed is what it gave birth to, what left with it (Pieces), and which
// classes died in it. How far a sink is, the sink itself says. This package keeps nothing.
//
// It imports neither the state nor what opens it; a test of the module holds that.
package deliver

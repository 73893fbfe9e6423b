// Package verify holds a releases directory against its own hashes: every file
// against its manifest, every manifest against the chain, CURRENT and the ledger.
//
// Guarantee: it reads only, and every fault is found that the hashes tell. It judges
// no promise of privacy; that is package audit's.
//
// Cost: every byte is read once.
package verify

// Package incremental is the state machine of anond: it positions records at
// their classes, plans classes in the neighbourhood of what has arrived, and
// decides what a release publishes, under the rules of the privacy contract
// (docs/THREAT_MODEL.md).
//
// It is deterministic. Same state, same input, same seed: same output. There is
// no clock, no I/O and no global randomness inside; time is an input (Tick), the
// store is a port (Store).
//
// The host's duties, in order: Apply what was read; Commit (records, positions
// and dead letters in one transaction); only then acknowledge to the source and
// deliver dead letters. When Due says so, Cut (the intent is committed), render
// the View, publish, and report it with Published.
package incremental

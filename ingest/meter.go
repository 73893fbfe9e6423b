package ingest

import "time"

// Meter counts and times what happens between two reports, which say how things
// stand. It is called by several goroutines, and must neither block nor cost much.
// No call has a person's value.
type Meter interface {
	// Worked: long work with the machine has ended; doing is DoingCommit, DoingDecide
	// or DoingView.
	Worked(doing string, took time.Duration)
	// Published: a release is public, and was decided so long ago.
	Published(took time.Duration)
	// Skipped: a cut published nothing; why is that of event release_skipped, or
	// SkippedQuarantined.
	Skipped(why string)
	// Failed: an attempt to publish or to deliver failed, and is repeated.
	Failed(what Attempt)
}

// Attempt is what is repeated until it succeeds.
type Attempt string

// The attempts.
const (
	AttemptPublish Attempt = "publish" // a release
	AttemptDeliver Attempt = "deliver" // dead letters
)

// Why a cut published nothing.
const (
	SkippedFirstLoad   = "first_load"     // the first load is not complete
	SkippedNothingNew  = "nothing_new"    // no record waits that may be published
	SkippedHeld        = "held"           // planned classes wait for better ones
	SkippedPoolSmall   = "pool_too_small" // level L2: fewer people wait than the next pool needs
	SkippedQuarantined = "quarantined"    // level L2: the pool can never be published
)

// noMeter measures nothing.
type noMeter struct{}

func (noMeter) Worked(string, time.Duration) {}
func (noMeter) Published(time.Duration)      {}
func (noMeter) Skipped(string)               {}
func (noMeter) Failed(Attempt)               {}

package ingest

import (
	"anond/incremental/state"
	"context"
	"log/slog"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest/decode"
	"anond/internal/clock"
	"anond/internal/fault"
	"anond/internal/retry"
)

// publisher renders and publishes what a view shows. It may be called again for
// the same release after a failure or a crash, and then publishes the same bytes.
type publisher interface {
	// Publish returns what was published, or an error. An error that wraps
	// ErrPermanent is final: trying again cannot correct it.
	Publish(ctx context.Context, v *incremental.View) (Release, error)
}

// Release is what a publication achieved; everything in it is public.
type Release struct {
	Manifest     [32]byte             // SHA-256 of manifest.json
	Buckets      int                  // at level L2
	KMin         int                  // records in the smallest class
	MaxFrequency float64              // highest share of one value in a class
	Allowed      float64              // highest share that is promised at most, where that is
	Reached      []equivclass.Reached // by sensitive attribute
	NCP          float64              // information loss of the published records
}

// ErrPermanent marks an error of a Publisher that no retry can correct: the gate
// refused the release, or another rendering of its number is already public.
var ErrPermanent = fault.Errorf(fault.Failed, "the release is decided but not published, and retries cannot help: correct the cause, "+
	"then start again",
	"the release cannot be published")

// Trigger says when the host asks the machine for a release, besides the
// machine's own count of records. The zero Trigger never asks.
type Trigger struct {
	// Update: as soon as a local update has planned something.
	Update bool
	// MinInterval is the least time between two cuts that the trigger asks for. A
	// scheduled moment that comes earlier waits.
	MinInterval time.Duration
	// Next returns the first scheduled moment after t (interval, cron); nil: none.
	Next func(t time.Time) time.Time
	// SkipMissed: a moment that passed while nobody ran, or while the host was paused, is
	// left out. Otherwise all of them together count as one that is due at once.
	SkipMissed bool
}

// Host joins a source, the machine and a publisher: the daemon's main loop. All
// fields must be set unless said otherwise.
type Host struct {
	Machine     *incremental.Machine
	Store       state.Store // for the outbox only
	Source      Source
	NewDecoder  func() (decode.Decoder, error)
	Schema      *equivclass.Schema
	DeadLetters DeadLetters
	Publisher   publisher
	Trigger     Trigger
	Clock       clock.Clock
	Log         *slog.Logger
	Policy      [32]byte // digest of schema, policy and recoding, for the intent
	Once        bool     // stop at the end of the source
	Payload     bool     // keep the bytes of refused records in the dead letter
	Paused      bool     // the host begins paused
	TrustClock  bool     // the clock is right though it lies far ahead of when it was seen last
	// RefusalWaits: a first load that is refused waits also at the end of its source (rule I, infeasible), since others go on.
	RefusalWaits bool
	// Retry says how long to wait between attempts to publish and to deliver.
	Retry retry.Policy
	Limits
	Ports
	Observers
	// Rehearsed has the host only rehearse a run with Once, and is told what that came to: nothing is
	// decided, published, forgotten or delivered, and Publisher is not needed. The machine's store
	// must keep nothing, and the source must not take an Ack for one. nil: the host runs.
	Rehearsed func(Rehearsal)
}

// Limits bound what a host holds and how long it waits. The zero value means the defaults.
type Limits struct {
	// CommitRecords and CommitEvery bound what one transaction gathers; zero
	// means 10,000 and 200 ms.
	CommitRecords int
	CommitEvery   time.Duration
	// DeliverFor bounds how long the end of a source waits for a sink of dead
	// letters that takes none; zero means 10 s. OnceFor bounds how long a run with
	// Once waits for a source that is away; zero means a minute.
	DeliverFor, OnceFor time.Duration
	// DrainFor bounds how long a stop waits for a release in progress; zero
	// means the constant DrainFor.
	DrainFor time.Duration
	// Shares bounds by bytes what is decoded, staged and delivered at once; the
	// zero value means those of DefaultMaxInFlight.
	Shares Shares
	Rate   int // the most records taken per second, on average; 0: no limit
	// MaxRefused is the share of records, looked at a thousand at a time, that may be refused:
	// more of them pause the host, or end a run with Once, which also ends with an error if it has
	// refused everything. 0: all may.
	MaxRefused float64
	// Quota is the limit of the state's file; may be nil. StopWhenFull: a state without room
	// ends the run, in place of a pause.
	Quota        Quota
	StopWhenFull bool
}

// Ports are what else takes part in a run. Each may be nil.
type Ports struct {
	// Placement judges where records lie; nil: nobody does.
	Placement Placement
	// Owners says which people are this dataset's; nil: all are.
	Owners Owners
	// Steps is told what the host does before it does it; nil: nobody is.
	Steps Steps
	// Forgetting lets the state forget people; nil: it cannot.
	Forgetting Forgetting
	// Commands brings what operators ask.
	Commands *Commands
	// Fence is asked before each commit; its error ends the run at once. It says
	// that this process must neither commit nor publish any more, since another
	// one may (lease).
	Fence func() error
	// Judged makes durable, outside of the state, that a pool was quarantined or refused. It is asked
	// when the state has that and before anybody is told; its error ends the run.
	Judged func(incremental.Judged) error
	// Faults tells what was found next to the loop and ends the run.
	Faults <-chan error
	// Hook is called at each durable step; an error stops the host as a crash would (tests).
	Hook func(step string) error
}

// Observers are told how things stand. Each may be nil.
type Observers struct {
	// Observe is told the state of things each second and after each release.
	Observe func(Report)
	// Meter counts and times what happens.
	Meter Meter
	// Damage tells what was found damaged of what is published, nil if nothing.
	Damage func() *Damage
	// Tripped is called after a pause for MaxRefused.
	Tripped func() error
}

// DrainFor is Host.DrainFor unless it is set. What stops a daemon waits longer: the units
// and manifests of deploy/ are held against it.
const DrainFor = 30 * time.Second

func (h *Host) setDefaults() {
	if h.CommitRecords == 0 {
		h.CommitRecords = 10000
	}
	if h.CommitEvery == 0 {
		h.CommitEvery = 200 * time.Millisecond
	}
	if h.Shares == (Shares{}) {
		h.Shares = SharesOf(0, 0)
	}
	if h.DrainFor == 0 {
		h.DrainFor = DrainFor
	}
	if h.DeliverFor == 0 {
		h.DeliverFor = 10 * time.Second
	}
	if h.OnceFor == 0 {
		h.OnceFor = time.Minute
	}
	if h.MaxRefused == 0 {
		h.MaxRefused = 1
	}
	if h.Steps == nil {
		h.Steps = untold{}
	}
	if h.Hook == nil {
		h.Hook = func(string) error { return nil }
	}
	if h.Observe == nil {
		h.Observe = func(Report) {}
	}
	if h.Meter == nil {
		h.Meter = noMeter{}
	}
	if h.Quota == nil {
		h.Quota = unlimited{}
	}
}

package ingest

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"cmp"
	"log/slog"
	"slices"
	"time"

	"anond/incremental"
)

// Report is what the host shows to operators: counts only (rule H: why a record
// is held is not shown; rule V: no value is shown).
type Report struct {
	Time      time.Time
	Machine   incremental.Status
	Before    incremental.Status // Machine when the run began to read
	Counted   time.Time          // when Machine was counted: before Time while long work goes on
	Source    Status
	Releasing uint32    // the release in progress, 0 if none
	Newest    *Latest   // newest release published by this process, nil if none
	Doing     string    // what it does when it does not read; see DoingDecide and the others
	Since     time.Time // of Doing
	// ReleaseFailure and LetterFailure say why the newest attempt to publish, and to
	// deliver dead letters, failed; empty if it did not.
	ReleaseFailure, LetterFailure string
	Damage                        *Damage // of published files, nil if none was found
	// LastRecord is when the newest record was read by this process, LettersSince when
	// the dead letter came that waits longest for its sink, and NextRelease when the
	// trigger asks for a release next. Zero: there is none, or it is not known.
	LastRecord, LettersSince, NextRelease time.Time
	Updates                               plan.Updates // local updates of this process
	Paused                                bool         // by an operator
	Full                                  bool         // nothing is read: the state has no room
	QuarantinedFor                        []string     // attributes for which pools of this run were quarantined
	// What the daemon adds; the loop does not know it.
	State    StateSize
	Verified bool    // the newest release was read again, so that the next one may be published
	Reload   *Reload // how the newest reload of the configuration went
	Backup   *Backup // nil: none was made, and none is asked for
	Views    []View  // of release.views, in their order
	Owned    *Owned  // nil: there is no ledger of subjects
}

// Owned is what is known of the ledger of subjects.
type Owned struct {
	People   int `json:"people"`   // whom this dataset has claimed
	Datasets int `json:"datasets"` // that share the ledger
}

// View is how far a view of the releases is.
type View struct {
	Name      string    `json:"name"`
	Release   uint32    `json:"release"`             // its newest; 0: none
	CreatedAt time.Time `json:"created_at,omitzero"` // of that
	Behind    int       `json:"behind"`              // releases that it lacks
	Failure   string    `json:"failure,omitempty"`   // why the newest attempt to make one failed
}

// Backup is what is known of copies of the state.
type Backup struct {
	Made     time.Time `json:"made"`             // when the newest was made; zero: none
	Verified time.Time `json:"verified"`         // when the newest was loaded as a test
	Release  uint32    `json:"release"`          // that it knows
	Failed   bool      `json:"failed,omitempty"` // the newest attempt failed
	Sent     time.Time `json:"sent,omitzero"`    // when state.backup.command last had taken one elsewhere; zero: it is not known
	// Rehearsed is when anond state rehearse last had one back and certified the releases by it; zero: it is not known.
	Rehearsed time.Time `json:"rehearsed,omitzero"`
}

// StateSize is the size of the state's file in bytes.
type StateSize struct {
	File  int64 `json:"file"`
	Free  int64 `json:"free"`  // of these: hold nothing
	Quota int64 `json:"quota"` // the file may not become larger; 0: no limit
	// Stale: free pages may hold what was forgotten while anond ran, until the next start.
	Stale bool `json:"stale,omitempty"`
}

// Reload is the outcome of a reload.
type Reload struct {
	OK bool      `json:"ok"`
	At time.Time `json:"at"`
}

// Damage says that published files are not what was published any more.
type Damage struct {
	Faults  int    `json:"faults"`
	Release uint32 `json:"release"` // of the first fault found; 0: of none in particular
	File    string `json:"file"`
	Kind    string `json:"kind"`
}

// Latest is a release that was just published.
type Latest struct {
	Intent  state.Intent
	Release Release
	Took    time.Duration // from the decision to the last durable step
}

// reporting tells operators how things stand.
type reporting struct {
	*loop
	doing     activity
	working   bool               // long work has the machine
	seen      time.Time          // last report
	statusLog time.Time          // last event=status
	connected time.Time          // when the source was last seen connected
	latest    *Latest            // newest release of this run
	counts    incremental.Status // as of counted: long work has the machine
	counted   time.Time
	updates   plan.Updates // as of counted
	records   recordClock
	letters   letterClock
}

// reportDue reports once a second.
func (l *reporting) reportDue() {
	now := l.now()
	// Where the clock was set back, nothing waits until it is there again. Only onTick heeds that: work may last.
	if since := now.Sub(l.seen); since >= time.Second || since < 0 {
		l.report(now)
	}
}

// reportLast reports once more, so that what is shown of a run that has failed is what the next one finds: all that was
// taken is stored. Where it is not, the report before stays.
func (l *reporting) reportLast() {
	if l.transaction.staged.since.IsZero() && !l.working {
		l.report(l.now())
	}
}

// report tells observers how things stand, and the log once a minute. While long
// work has the machine, the counts are those from before.
func (l *reporting) report(now time.Time) {
	l.seen = now
	if !l.working {
		l.count(now)
	}
	rep := Report{Time: now, Machine: l.counts, Before: l.before, Counted: l.counted, Source: l.Source.Status(),
		Releasing: l.publishing.releases.current, Newest: l.latest, Doing: l.doing.name, Since: l.doing.since,
		ReleaseFailure: l.publishing.releases.trouble(), LetterFailure: l.outbox.trouble(), LastRecord: l.records.newest,
		LettersSince: l.letters.since(), NextRelease: l.cuts.schedule.next(), Updates: l.updates, Paused: l.operator.paused}
	rep.Full, rep.QuarantinedFor = l.intake.full(), l.cuts.failed
	l.intake.sayFull(rep.Full)
	if l.Damage != nil {
		rep.Damage = l.Damage()
	}
	if rep.Source.Connected {
		l.connected = now
	}
	l.Observe(rep)
	if now.Sub(l.statusLog) < time.Minute {
		return
	}
	l.statusLog = now
	LogStatus(l.Log, rep)
	if l.intake.refusals.all() && !l.intake.refusals.warned {
		_ = l.intake.manyRefused("all that was read so far")
	}
}

// count takes the machine's counts.
func (l *reporting) count(now time.Time) {
	l.counts, l.counted, l.updates = l.Machine.Status(), now, l.Machine.Updates()
	l.records.see(l.counts, now)
	l.letters.see(l.counts, now)
}

// LogStatus writes the line of event status.
func LogStatus(log *slog.Logger, rep Report) {
	s := rep.Machine
	lag, known := rep.Source.Lag(rep.Time)
	attrs := []any{"event", "status", "sent", s.Sent, "published", s.Published, "pending", s.Pending.Total(), "dead_letter", s.DeadLetter,
		"outbox", s.Outbox, "classes", s.Classes, "release", s.Release, "infeasible", s.Infeasible, "connected", rep.Source.Connected,
		"lag", lag, "lag_known", known, "lags", lags(rep.Source), "stalled", rep.Source.Stalled,
		"unterminated", rep.Source.Unread.Unterminated}
	if s.Public < s.Release {
		attrs = append(attrs, "public_release", s.Public)
	}
	if s.Pool != nil {
		attrs = append(attrs, "waiting", s.Pending.Waiting, "pool_needs", s.Pool.Records, "pool_possible", s.Pool.Possible,
			"pool_bounded", s.Pool.Bounded, "pool_missing", s.Pool.Missing)
	}
	if s.Beyond > 0 {
		attrs = append(attrs, "beyond", s.Beyond)
	}
	if s.Elsewhere > 0 {
		attrs = append(attrs, "elsewhere", s.Elsewhere)
	}
	if s.Expired > 0 {
		attrs = append(attrs, "expired", s.Expired)
	}
	if s.Withdrawn > 0 {
		attrs = append(attrs, "withdrawn", s.Withdrawn)
	}
	if s.Forgotten > 0 {
		attrs = append(attrs, "forgotten", s.Forgotten)
	}
	if s.ForgetDue > 0 {
		attrs = append(attrs, "forget_due", s.ForgetDue)
	}
	if s.Outdated > 0 {
		attrs = append(attrs, "outdated", s.Outdated)
	}
	if rep.Doing != "" {
		attrs = append(attrs, "doing", rep.Doing, "for", rep.Time.Sub(rep.Since).Round(time.Second).String())
	}
	if rep.Paused {
		attrs = append(attrs, "paused", true)
	}
	if rep.Full {
		attrs = append(attrs, "full", true)
	}
	if len(rep.QuarantinedFor) > 0 {
		attrs = append(attrs, "quarantined_for", rep.QuarantinedFor)
	}
	if d := rep.Damage; d != nil {
		attrs = append(attrs, "damaged_files", d.Faults, "damaged_file", d.File)
	}
	log.Info("status", attrs...)
}

// lagsShown bounds the partitions that a line of the log names.
const lagsShown = 16

// lags lists the lag of each partition that has one, the largest first; those
// that follow are left to status.json.
func lags(s Status) []partitionLag {
	out := []partitionLag{}
	for _, p := range s.Partitions {
		if lag := p.Lag(); lag > 0 {
			out = append(out, partitionLag{p.Partition.ID, lag})
		}
	}
	slices.SortStableFunc(out, func(a, b partitionLag) int { return cmp.Compare(b.Lag, a.Lag) })
	return out[:min(len(out), lagsShown)]
}

// partitionLag is the lag of one partition as a line of the log shows it.
type partitionLag struct {
	Partition int32 `json:"partition"`
	Lag       int64 `json:"lag"`
}

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
	SkippedFew         = "few_newcomers"  // level L2: too few have come since the newest release to plan for them
	SkippedQuarantined = "quarantined"    // level L2: the pool can never be published
)

// noMeter measures nothing.
type noMeter struct{}

func (noMeter) Worked(string, time.Duration) {}
func (noMeter) Published(time.Duration)      {}
func (noMeter) Skipped(string)               {}
func (noMeter) Failed(Attempt)               {}

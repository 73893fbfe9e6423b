package chaos

import (
	"errors"
	"os"
	"time"

	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/upkeep"
)

// ending is how a run of the daemon ends, as an operator can tell.
type ending string

// The ways in which a process ends in a plan. After each but the first two, the dataset goes on by a start, some by a documented
// command before it.
const (
	ended          ending = "ended"           // exit 0
	killed         ending = "killed"          // the process, or the power, was cut
	noRoom         ending = "no room"         // exit 1: no space left for the state
	parked         ending = "parked"          // exit 1: five attempts to publish failed
	diskFailed     ending = "disk failed"     // exit 1: a file system's error at start
	sourceFailed   ending = "source failed"   // exit 1: the injected source
	stateDamaged   ending = "state damaged"   // exit 1: restore the newest state
	releaseDamaged ending = "release damaged" // exit 1: restore the file from a copy
	foreignLetters ending = "foreign letters" // exit 1: move the dead-letter file away
	unpublished    ending = "unpublished"     // exit 1: the gate cannot read the rendering
	manyRefused    ending = "many refused"    // exit 1: more are refused than dead_letter.max_share allows
	paused         ending = "paused"          // exit 1: --once, and anond has paused before
	refused        ending = "refused"         // exit 3: the gate
	poolRefused    ending = "pool refused"    // exit 3: the first pool at level L2, of which one value has too much
	locked         ending = "locked"          // exit 4
	behind         ending = "behind"          // exit 5: restore the newest state
	leapt          ending = "leapt"           // exit 78: the clock is more than a window ahead; trust it after a look
	foreignList    ending = "foreign list"    // exit 5, too: a state that began anew does not know who was forgotten
	unexpected     ending = "unexpected"      // anything else
)

// kind is what the harness knows of a kind of fault: its documentation, in a form
// that plans are held against.
type kind struct {
	real   bool // of plans with processes
	leased bool // of those in which a consumer group leases the topic
	alone  bool // of those in which it does not
	// endings are those that it may bring about, besides ended.
	endings []ending
	// named is what the log or the message must contain, one of them, once the fault
	// has taken effect. For a kill, only the next start can say that it starts.
	named   []string
	stopped bool // real plans: it happens while the daemon is stopped
	// needs says which settings it needs; nil: any.
	needs func(*planSetting) bool
	// most bounds Step.N.
	most int
	at   []string // steps at which it may happen; none: at none in particular
}

func (k kind) suits(p *chaosPlan) bool {
	return k.real == p.Real && (!k.leased || p.World.Leased) && (!k.alone || !p.World.Leased) && (k.needs == nil || k.needs(&p.World))
}

const (
	started = `"event":"started"`
	failed  = `"event":"release_failed"`

	pruneFailed = `"event":"prune_failed"`
)

// diskNamed are the lines that name an error of the releases' disk: of a release, of a pruning, of a start, and of a
// shard with a journal that takes over.
var diskNamed = []string{failed, pruneFailed, "releases directory", "ledger", "take the releases over", `"event":"release_parked"`,
	`"event":"view_failed"`}

// insideKinds are the faults of plans inside this process.
var insideKinds = map[string]kind{
	"kill-effect":        {at: stepsOfReleases, endings: []ending{killed}, named: []string{started}, most: 60},
	"kill-before-commit": {at: commits, endings: []ending{killed}, named: []string{started}, most: 5},
	"kill-after-commit":  {at: commits, endings: []ending{killed}, named: []string{started}, most: 5},
	"cut-effect":         {at: stepsOfReleases, endings: []ending{killed}, named: []string{started}, most: 60},
	"cut-commit":         {at: commits, endings: []ending{killed}, named: []string{started}, most: 5},
	// A release that was pruned at once is in no copy that this harness has.
	"lie-releases": {endings: []ending{killed, releaseDamaged}, most: 40, needs: func(w *planSetting) bool { return w.Keep == 0 },
		named: []string{started, "published files are damaged", "differs from its rendering"}},
	"lie-state": {endings: []ending{killed, stateDamaged, behind, foreignLetters, foreignList}, most: 6,
		named: []string{started, "the state is damaged", "state is behind", "dead letters of another state",
			upkeep.ErrForeignList.Error()}},
	"fail-write": {at: stepsOfReleases, endings: []ending{parked, diskFailed}, named: diskNamed, most: 60},
	"fail-sync":  {at: syncs, endings: []ending{parked, diskFailed}, named: diskNamed, most: 20},
	"full-state": {at: commits, endings: []ending{noRoom}, named: []string{"no space left for the state"}, most: 5},
	"flip-render": {endings: []ending{refused, unpublished, releaseDamaged, parked}, most: 6,
		named: []string{`"event":"release_refused"`, failed, pruneFailed, "differs from its rendering", `"event":"view_failed"`}},
	"connections-cut":      {most: 12, needs: withBroker},
	"answers-lost":         {most: 12, needs: withBroker},
	"broker-errs":          {most: 12, needs: withBroker},
	"kill-delivery":        {endings: []ending{killed}, named: []string{started}, most: 3},
	"kill-behind-delivery": {endings: []ending{killed}, named: []string{started}, most: 3},
	"sink-away":            {named: []string{`"event":"dead_letter_failed"`}, most: 3},
	"source-fails":         {endings: []ending{sourceFailed}, named: []string{errSource.Error()}, most: 20},
	"clock-back":           {named: []string{`"event":"clock_behind"`}, most: 300},
	// A clock that leaps forwards looks like a process that was suspended. A run has few commits, and needs not
	// look at its clock behind the last: see strikeClock.
	"clock-leaps": {most: 4},
	"clock-falls": {named: []string{`"event":"clock_behind"`}, most: 4},
	"restore-old": {endings: []ending{behind, foreignLetters}, named: []string{started, "state is behind"}, most: 1},
	"restore-unjudged": {endings: []ending{behind, foreignList, foreignLetters}, most: 1, needs: pooled,
		named: []string{"pools were quarantined, and the state knows of", "the first pool was refused, and the state does not know",
			upkeep.ErrForeignList.Error()}},
	"flip-state": {endings: []ending{stateDamaged, behind, foreignLetters}, most: 1,
		named: []string{"the state is damaged", "state is behind"}},
	"flip-newest": {endings: []ending{releaseDamaged}, most: 1,
		named: []string{"published files are damaged", "differs from its rendering"}},
	"flip-older": {endings: []ending{releaseDamaged}, named: []string{`"event":"release_damaged"`, "published files are damaged"}, most: 1},
	"ledger-old": {named: []string{started}, most: 1},
	"kill-prune": {endings: []ending{killed}, named: []string{started}, most: 8, needs: prunes},
	"cut-prune":  {endings: []ending{killed}, named: []string{started}, most: 8, needs: prunes},
	"kill-forget": {at: erasures, endings: []ending{killed}, named: []string{started}, most: 6,
		needs: func(w *planSetting) bool { return w.Deletes && w.erasable() }},
	"kill-removal": {at: removals, endings: []ending{killed}, named: []string{started}, most: 2,
		needs: func(w *planSetting) bool { return w.Window != "" }},
	"kill-before-entry": {endings: []ending{killed}, named: []string{started}, most: 30, needs: journaled},
	"kill-after-entry":  {endings: []ending{killed}, named: []string{started}, most: 30, needs: journaled},
	"kill-claim":        {at: claimed, endings: []ending{killed}, named: []string{started}, most: 20, needs: claims},
	"forget-killed": {named: []string{`"event":"forgotten_again"`, started}, most: 6,
		needs: (*planSetting).forgets},
	"quota-ends":   {endings: []ending{noRoom}, named: []string{"state.max_bytes is reached"}, most: 4},
	"quota-pauses": {endings: []ending{noRoom}, named: []string{quotaReached, "state.max_bytes is reached"}, most: 3},
	"flood": {endings: []ending{manyRefused, paused}, most: 1,
		named: []string{ingest.ErrManyRefused.Error(), `"event":"too_many_refused"`}},
	"restore-copy": {named: []string{started, "state is behind", boltstore.ErrAhead.Error()}, endings: []ending{foreignLetters}, most: 1,
		needs: func(w *planSetting) bool { return w.Copies }},
}

// pooled says that pools are judged, and that nothing but a file next to the ledger tells of those in no release: a
// journal would, too.
func pooled(w *planSetting) bool { return w.Level == "L2" && !w.Journal }

func claims(w *planSetting) bool { return w.Claims }

func withBroker(w *planSetting) bool { return w.Broker }

func prunes(w *planSetting) bool { return w.Keep > 0 }

func journaled(w *planSetting) bool { return w.Journal }

func sharded(w *planSetting) bool { return w.Shards > 0 }

// unionKinds are the faults of a union of shards. Its next attempt finishes what was begun, and need not say so.
var unionKinds = map[string]kind{
	"union-killed":    {at: stepsOfUnions, endings: []ending{killed}, most: 60, needs: sharded},
	"union-cut":       {at: stepsOfUnions, endings: []ending{killed}, most: 60, needs: sharded},
	"union-fails":     {at: stepsOfUnions, endings: []ending{diskFailed}, most: 60, needs: sharded},
	"union-overtaken": {most: 60, needs: sharded},
}

// fault is one of a plan's.
type fault struct {
	step
	kind
	took  bool
	since int  // where in the log it took effect
	ahead bool // it has hit what is read ahead of a journal
}

func newFault(s step) *fault { return &fault{step: s, kind: kinds[s.Do]} }

const (
	quotaReached = `"event":"quota_reached"`
	tooMany      = `"event":"too_many_refused"`
)

// pauseFile is what keeps a daemon paused over restarts.
func (s *site) pauseFile() string { return s.path("state/paused") }

func (s *site) removePause() error {
	err := os.Remove(s.pauseFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// flooded is how many records a flood has: more than anond judges together.
const flooded = 1100

// take notes that the fault has taken effect.
func (f *fault) take(at int) {
	if !f.took {
		f.took, f.since = true, at
	}
}

// flipped returns a copy with one bit turned.
func flipped(data []byte, draw uint32) []byte {
	out := append([]byte(nil), data...)
	out[int(draw/8)%len(out)] ^= 1 << (draw % 8)
	return out
}

// epoch is when plans begin, so that nothing depends on the day.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ofClock says of a kind of fault that it sets the clock during a run.
func ofClock(kind string) bool { return kind == "clock-leaps" || kind == "clock-falls" }

package union

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"time"

	"anond/snapshot"
	"anond/snapshot/publish"
)

// union makes one release of the newest releases of all shards, again and again. The
// shards publish below Dir/shards, each a chain of its own.
//
// Guarantee: any number of unions may run at once on one directory, and each may be
// killed at any moment. Release N of the union is a function of its intent, of the
// files that the intent names, and of release N-1; the intent is decided once, by a step
// that one process alone can do. The vector of shard releases never goes back. A release
// has its name only if it is complete and the gate has passed it; CURRENT and the ledger
// name none before that. With pruning, a union that was slow and is killed may leave CURRENT at
// a release that another one has pruned meanwhile; the next attempt of any of them corrects it.
//
// Why it is safe: Corollary U in docs/PROOFS.md. People are in one shard each and the seeds of the
// shards are independent, so for each person one shard's chain alone depends on the value, given the
// public vector of releases; and that chain is certified by Theorem A, P or E for every exchangeable
// prior, also one that other shards' releases have changed. Each shard's pools are large enough by
// themselves, and times and settings depend on no value. Which shard a part is of follows from the
// keys of its people. A union looks at manifests and copies files; it reads no value.
//
// Method: check -> look -> intent -> the steps of publish.Sequence -> trim -> prune. What a run would
// decide, it renders and shows to the gate before it decides: a decision stays, and files of a shard
// that are damaged must not be in one. Temporary names carry the owner's, so that processes do not
// touch each other's. CURRENT and the ledger are written, and then read again: who was slow, and
// named a release that is not the newest any more, names the newest before it ends.
//
// Cost: the manifests of all shards, a link for each file, and the bytes of files that
// are new, which the gate reads. Where links do not work, all bytes.
type union struct {
	publish.Directory     // Owner is random, of letters and digits
	Of                int // number of shards
	// Without are shards that need not have a release for release 1 of the union.
	Without []int
	// Keep says which releases keep their files, see publish.Pruning.
	Keep publish.KeepRule
	// Gate looks at a rendered union before it gets its name. It returns nil to let it
	// pass, an error that wraps publish.ErrRefused if it is not what its shards published, and any
	// other error if it could not be checked.
	Gate func(releases, rendered string) error
	// Hook runs after each step; an error stops there, as a crash would. For tests.
	Hook func(publish.Step) error
}

// The steps of a union besides those of publish.Sequence, and publish.StepCheck: CURRENT and ledger name the newest release.
const (
	StepIntent publish.Step = "intent" // the decision is durable, with links to the files that are new
	StepTrim   publish.Step = "trim"   // the intent has no links any more
	StepPrune  publish.Step = "prune"  // what Keep does not keep is a manifest
)

// result is what a run has found and done.
type result struct {
	Manifest *snapshot.Manifest // of the newest release of the union; nil: there is none
	SHA256   [32]byte
	// Published: this run, or another at the same time, gave that release its name.
	Published bool
	// Waiting are the shards without any release.
	Waiting []int
}

// run is one run of the steps: the publish.Content of its sequence.
type run struct {
	*union
	steps  *publish.Sequence
	now    time.Time
	before *snapshot.Manifest // newest release of the union; nil: there is none
	known  [32]byte           // SHA-256 of its manifest
	intent *intent
	shards []shardRelease // as the intent names them
	passed *intent        // the decision that this run would take: its rendering stands, and the gate has passed it
	files  []*publish.Files
	out    result
}

// publish makes the next release if a shard has a new one, and finishes what another run
// has begun. now is the time of a decision that this run takes.
func (u *union) publish(now time.Time) (*result, error) {
	if u.Of < 1 || u.Of > snapshot.MaxShards {
		return nil, fmt.Errorf("%w: %d is no number of shards: it is 1 to %d", ErrShards, u.Of, snapshot.MaxShards)
	}
	r := &run{union: u, now: now.UTC().Truncate(time.Second),
		steps: &publish.Sequence{Directory: u.Directory, Release: 1, Hook: u.Hook}}
	if err := r.steps.Step(publish.StepCheck, r.check); err != nil {
		return nil, err
	}
	err := r.steps.Step(StepIntent, r.decide)
	if err != nil || r.intent == nil {
		return &r.out, err
	}
	if err := r.steps.Publish(r); err != nil {
		return nil, err
	}
	if err := r.steps.Step(StepTrim, r.trim); err != nil {
		return nil, err
	}
	r.out.Published = true
	return &r.out, r.steps.Step(StepPrune, r.prune)
}

// number is that of the release at hand.
func (r *run) number() uint32 { return r.steps.Release }

// check reads what stands. The ledger is read before the directory: a release that
// another union publishes in between is in the directory first.
func (r *run) check() error {
	ledger := &snapshot.Ledger{}
	var err error
	if r.Ledger != "" {
		if ledger, err = snapshot.ReadLedger(r.FS, r.Ledger); err != nil {
			return err
		}
	}
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	newest := on.Newest()
	if ledger.Newest().Release > newest {
		return &publish.BehindError{State: newest, Witness: "the ledger", Release: ledger.Newest().Release}
	}
	// What cannot be removed, or disappears meanwhile, is in nobody's way.
	_ = r.Sweep(func(path string) bool {
		info, err := r.FS.Stat(path)
		return err == nil && r.now.Sub(info.ModTime()) > staleAfter
	})
	r.steps.Release = newest + 1
	if newest == 0 {
		return r.noneBeyond()
	}
	if r.before, r.known, err = r.manifestOf(on, newest); err != nil {
		return err
	}
	r.out.Manifest, r.out.SHA256 = r.before, r.known
	switch u := r.before.Union; {
	case u == nil:
		return fmt.Errorf("%w: %s holds releases of one publisher: give the union a directory of its own", ErrShards, r.Dir)
	case u.Of != r.Of:
		return fmt.Errorf("%w: release %d is of %d shards, and this union is told of %d", ErrShards, newest, u.Of, r.Of)
	}
	return errors.Join(r.NameNewest(), r.Record(), r.trim())
}

// entryBefore is what the release before has of a shard.
func (r *run) entryBefore(shard int) snapshot.ShardEntry {
	if r.before == nil {
		return snapshot.ShardEntry{Shard: shard}
	}
	return r.before.Union.Shards[shard]
}

// decide takes up the intent of the release, or decides one. It leaves none if there is
// nothing to decide.
func (r *run) decide() (err error) {
	if r.intent, err = readIntent(r.FS, r.Dir, r.number()); err != nil {
		return err
	}
	if r.intent == nil {
		if something, err := r.lookAndPropose(); err != nil || !something {
			return err
		}
		// Another union may have been first: its intent holds.
		if r.intent, err = readIntent(r.FS, r.Dir, r.number()); err != nil {
			return err
		}
		if r.intent == nil {
			return fmt.Errorf("%w: the intent of release %d has disappeared", snapshot.ErrDamaged, r.number())
		}
	}
	if p := r.intent.Previous; r.intent.Of != r.Of || p != nil && p.SHA256 != fmt.Sprintf("%x", r.known) {
		return fmt.Errorf("%w: the intent of release %d does not follow release %d", snapshot.ErrDamaged, r.number(), r.number()-1)
	}
	return nil
}

// staleAfter is how old a temporary name is at least that a run removes: younger ones may
// be another union's that is at work.
const staleAfter = time.Hour

// ready reports that the decision is what the gate has passed already.
func (r *run) ready() bool {
	return r.passed != nil && reflect.DeepEqual(r.passed, r.intent)
}

// lookAndPropose decides what there is to decide. A shard may prune what was just looked
// at: then it has something newer.
func (r *run) lookAndPropose() (something bool, err error) {
	for attempt := 1; ; attempt++ {
		shards, err := r.look()
		if err != nil || shards == nil {
			return false, err
		}
		if err = r.propose(shards); !errors.Is(err, fs.ErrNotExist) || attempt == 4 {
			return true, err
		}
	}
}

// look finds the newest releases of all shards; nil: there is nothing new, or shards
// that have none are waited for.
func (r *run) look() ([]shardRelease, error) {
	var shards []shardRelease
	news, missing := false, false
	r.out.Waiting = nil
	for n := range r.Of {
		before := r.entryBefore(n)
		s, err := r.newestOf(n, before)
		if err != nil {
			return nil, err
		}
		if s == nil {
			r.out.Waiting = append(r.out.Waiting, n)
			missing = missing || r.before == nil && !slices.Contains(r.Without, n)
			continue
		}
		news = news || s.manifest.Release > before.Release
		shards = append(shards, *s)
	}
	if !news || missing {
		return nil, nil
	}
	_, err := unitable(shards)
	return shards, err
}

package publish

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"anond/snapshot"
)

// unionGate looks at a rendered union before it gets its name. It returns nil to let it
// pass, an error that wraps ErrRefused if it is not what its shards published, and any
// other error if it could not be checked.
type unionGate interface {
	CheckUnion(releases, rendered string) error
}

// Union makes one release of the newest releases of all shards, again and again. The
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
// Why it is safe: Corollary U in docs/PROOFS.md. The people of the shards are
// disjoint and their draws independent, so for each person one shard's chain alone
// depends on the value, and that chain is certified by Theorem A, P or E.
//
// Method: check -> look -> intent -> render -> gate -> sync -> rename -> CURRENT -> ledger ->
// trim. What a run would decide, it renders and shows to the gate before it decides: a
// decision stays, and files of a shard that are damaged must not be in one. Temporary names
// carry the owner's, so that processes do not touch each other's. CURRENT and the ledger are
// written, and then read again: who was slow, and named a release that is not the newest any
// more, names the newest before it ends.
//
// Cost: the manifests of all shards, a link for each file, and the bytes of files that
// are new, which the gate reads. Where links do not work, all bytes.
type Union struct {
	FS     snapshot.FS
	Dir    string // releases directory
	Ledger string // ledger file; empty: none is kept
	Of     int    // number of shards
	// Without are shards that need not have a release for release 1 of the union.
	Without []int
	// Keep says which releases keep their files, see Pruning.
	Keep KeepRule
	// Owner tells the temporary files of this process from those of others: random, of
	// letters and digits.
	Owner string
	Gate  unionGate
	// Hook runs after each step; an error stops there, as a crash would. For tests.
	Hook func(UnionStep) error
}

// UnionStep names a durable step of a union.
type UnionStep string

// The steps, in order.
const (
	UnionCheck   UnionStep = "check"   // nothing is ahead; CURRENT and ledger name the newest release
	UnionIntent  UnionStep = "intent"  // the decision is durable, with links to the files that are new
	UnionRender  UnionStep = "render"  // manifest and links stand under a temporary name
	UnionGated   UnionStep = "gate"    // the auditor let them pass
	UnionSync    UnionStep = "sync"    // they are durable
	UnionRename  UnionStep = "rename"  // the release has its name, for good
	UnionCurrent UnionStep = "current" // CURRENT names it
	UnionLedger  UnionStep = "ledger"  // the ledger names it
	UnionTrim    UnionStep = "trim"    // the intent has no links any more
	UnionPruned  UnionStep = "prune"   // what Keep does not keep is a manifest
)

// UnionResult is what a run has found and done.
type UnionResult struct {
	Manifest *snapshot.Manifest // of the newest release of the union; nil: there is none
	SHA256   [32]byte
	// Published: this run, or another at the same time, gave that release its name.
	Published bool
	// Waiting are the shards without any release.
	Waiting []int
}

// unionRun is one run of the steps.
type unionRun struct {
	*Union
	now    time.Time
	before *snapshot.Manifest // newest release of the union; nil: there is none
	known  [32]byte           // SHA-256 of its manifest
	intent *unionIntent
	shards []shardRelease // as the intent names them
	tmp    string
	passed *unionIntent // the decision that this run would take: its rendering stands, and the gate has passed it
	files  []*releaseFiles
	out    UnionResult
}

// Publish makes the next release if a shard has a new one, and finishes what another run
// has begun. now is the time of a decision that this run takes.
func (u *Union) Publish(now time.Time) (*UnionResult, error) {
	r := &unionRun{Union: u, now: now.UTC().Truncate(time.Second)}
	if u.Of < 1 || u.Of > snapshot.MaxShards {
		return nil, fmt.Errorf("%w: %d is no number of shards: it is 1 to %d", ErrShards, u.Of, snapshot.MaxShards)
	}
	if err := r.step(UnionCheck, r.check); err != nil {
		return nil, err
	}
	err := r.step(UnionIntent, r.decide)
	if err != nil || r.intent == nil {
		return &r.out, err
	}
	for _, s := range []struct {
		name UnionStep
		do   func() error
	}{{UnionRender, r.render}, {UnionGated, r.gate}, {UnionSync, r.sync}, {UnionRename, r.rename}, {UnionCurrent, r.nameNewest},
		{UnionLedger, r.writeLedger}, {UnionTrim, r.trim}, {UnionPruned, r.prune}} {
		if err := r.step(s.name, s.do); err != nil {
			return nil, err
		}
	}
	r.out.Published = true
	return &r.out, nil
}

func (r *unionRun) step(name UnionStep, do func() error) error {
	err := do()
	if err != nil && r.tmp != "" {
		_ = r.FS.RemoveAll(r.tmp) // what cannot be removed now, a later run removes
	}
	if err == nil && r.Hook != nil {
		err = r.Hook(name)
	}
	if err != nil {
		return &ReleaseError{Release: r.number(), Step: Step(name), Err: err}
	}
	return nil
}

// number is that of the release at hand.
func (r *unionRun) number() uint32 {
	if r.before == nil {
		return 1
	}
	return r.before.Release + 1
}

// check reads what stands. The ledger is read before the directory: a release that
// another union publishes in between is in the directory first.
func (r *unionRun) check() error {
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
		return &BehindError{State: newest, Witness: "the ledger", Release: ledger.Newest().Release}
	}
	r.clean()
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
	return errors.Join(r.nameNewest(), r.writeLedger(), r.trim())
}

// entryBefore is what the release before has of a shard.
func (r *unionRun) entryBefore(shard int) snapshot.ShardEntry {
	if r.before == nil {
		return snapshot.ShardEntry{Shard: shard}
	}
	return r.before.Union.Shards[shard]
}

// decide takes up the intent of the release, or decides one. It leaves none if there is
// nothing to decide.
func (r *unionRun) decide() (err error) {
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
	r.tmp = r.rendering()
	return nil
}

// rendering is where the release stands before it has its name.
func (r *unionRun) rendering() string {
	return filepath.Join(r.Dir, snapshot.Temporary+snapshot.DirName(r.number())+"-"+r.Owner)
}

// ready reports that the decision is what the gate has passed already.
func (r *unionRun) ready() bool {
	return r.passed != nil && reflect.DeepEqual(r.passed, r.intent)
}

// lookAndPropose decides what there is to decide. A shard may prune what was just looked
// at: then it has something newer.
func (r *unionRun) lookAndPropose() (something bool, err error) {
	for attempt := 1; ; attempt++ {
		shards, err := r.look()
		if err != nil || shards == nil {
			return false, err
		}
		if err = r.propose(shards); !notExist(err) || attempt == 4 {
			return true, err
		}
	}
}

// look finds the newest releases of all shards; nil: there is nothing new, or shards
// that have none are waited for.
func (r *unionRun) look() ([]shardRelease, error) {
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

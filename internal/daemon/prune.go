package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"anond/config"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// pruneEvery is how often releases are looked at whose age alone keeps them, where none is
// published.
const pruneEvery = time.Hour

// pruner removes the files of old releases, as release.keep asks: at the start, after each
// release once the state has marked it as published, and each hour. It waits for the check
// of all releases, which reads them. It is apart from the loop: nothing else waits for it.
type pruner struct {
	keep   func() config.Keep // that is in effect
	run    publish.Pruning
	log    *slog.Logger
	stop   context.CancelFunc
	ctx    context.Context
	wake   chan struct{}
	done   chan struct{}
	mu     sync.Mutex
	hashes map[uint32][32]byte // manifests of releases that state has decided and this process or an earlier one published
	marked uint32              // the newest release that state calls published
	views  *views
	now    time.Time // of the newest report
	last   time.Time // when it was tried
}

func newPruner(ctx context.Context, p *publisher, o dataset.Options, published []snapshot.LedgerEntry, steer *steering,
	after <-chan struct{}) *pruner {
	x := &pruner{keep: steer.keep, log: o.Log, views: p.views, wake: make(chan struct{}, 1), done: make(chan struct{}),
		hashes: map[uint32][32]byte{}, now: o.Clock.Now()}
	x.ctx, x.stop = context.WithCancel(ctx)
	for _, e := range published {
		x.hashes[e.Release], x.marked = e.SHA256, e.Release
	}
	x.run = publish.Pruning{FS: p.disk, Dir: p.inner.Dir, Owner: "-" + p.inner.Owner, Published: x.published, Done: x.pruned,
		Fence: func() error { return x.fence(p.inner.Fence) }}
	p.told = x.rendered
	x.begin()
	go x.work(after)
	return x
}

// rendered is told each release that has all its durable steps but the mark behind it.
func (x *pruner) rendered(release uint32, manifest [32]byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hashes[release] = manifest
}

// published says which releases may be removed: those that are published, and that no view needs.
func (x *pruner) published(release uint32) (sha [32]byte, ok bool) {
	if needed, some := x.views.needed(); some && release >= needed {
		return sha, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	sha, ok = x.hashes[release]
	return sha, ok && release < x.marked
}

// fence ends a run between two steps when the daemon stops: the first run under a new rule may
// have thousands of releases to remove.
func (x *pruner) fence(held func() error) error {
	if err := x.ctx.Err(); err != nil || held == nil {
		return err
	}
	return held()
}

func (x *pruner) pruned(release uint32) {
	x.log.Info("the files of an old release were removed; its manifest stays", "event", "release_pruned", "release", release)
}

// observe takes a report of the loop: its newest release is one that state has marked.
func (x *pruner) observe(r ingest.Report) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = r.Time
	news := r.Newest != nil && r.Newest.Intent.Release > x.marked
	if news {
		x.marked = r.Newest.Intent.Release
	}
	if news || r.Time.Sub(x.last) >= pruneEvery {
		x.last = r.Time
		x.begin()
	}
}

func (x *pruner) begin() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// work prunes when it is woken, until close.
func (x *pruner) work(after <-chan struct{}) {
	defer close(x.done)
	select {
	case <-after:
	case <-x.ctx.Done():
		return
	}
	for {
		select {
		case <-x.wake:
			x.once()
		case <-x.ctx.Done():
			return
		}
	}
}

// once prunes what is due. A run that was told to stop has nothing to say about it.
func (x *pruner) once() {
	x.mu.Lock()
	now, run := x.now, x.run
	run.Marked = x.marked
	x.mu.Unlock()
	k := x.keep()
	run.Keep = publish.KeepRule{Releases: k.Releases, Age: time.Duration(k.Days) * 24 * time.Hour}
	if err := run.Run(now); err != nil && x.ctx.Err() == nil {
		x.log.Error("an old release was not pruned; the next attempt follows the next release", "event", "prune_failed", "error", err.Error())
	}
}

// close ends it. A run that ended by itself prunes behind its last release first.
func (x *pruner) close() error {
	ended := x.ctx.Err() == nil
	x.stop()
	<-x.done
	if ended {
		x.ctx = context.Background()
		x.once()
	}
	return nil
}

package chaos

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"anond/incremental"
	"anond/ingest"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/upkeep"
	"anond/shards/journal"
	"anond/shards/journal/journaltest"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/snapshottest"
)

// planted is a bug in what stands between the daemon and its disks: the harness proves
// itself by finding it. The zero value has none.
type planted struct {
	files  func(snapshot.FS) snapshot.FS
	store  func(state.Store) state.Store
	source func(ingest.Source) ingest.Source
	owners func(ingest.Owners) ingest.Owners
	sink   func(ingest.DeadLetters) ingest.DeadLetters
	// forgetting is told that an erasure has died, and what the list of who was forgotten held.
	forgetting func(list string, before []byte) error
	copied     func(path string) error // a copy of the state that the daemon has made
	unlisted   bool                    // a daemon that dies leaves the list of who was forgotten as it found it
	unasked    bool                    // anond state restore does not ask which pools were judged
	// Of plans of shards:
	log    func(*journaltest.Log) journal.Log
	united func(snapshot.FS) snapshot.FS // as a union sees it
	strays bool                          // shard 0 reads a partition of another, too
}

// inside is a dataset whose daemon runs in this process: on an injected file system,
// clock and source, with the real state file, publisher and gate.
type inside struct {
	*site
	plan    *chaosPlan
	random  *rand.Rand
	clock   *clock
	mirror  *snapshottest.Mirror
	images  []image // the state file after each of the newest commits
	settled bool    // the newest run has left nothing to do
	noted   int     // so many of them by this run
	found   []byte  // what this run has found
	files   int     // how often the file was replaced by another
	newest  os.FileInfo
	copied  stateCopy
	lost    bool             // the newest state is lost for good
	trusted bool             // the operator has looked at the clock
	journal *journaltest.Log // of a shard; nil: there is none
	planted planted
	trace   *trace
	linger  time.Duration // how long the next run goes on
	look    time.Duration // how much of it passes between two looks
	older   bool          // the state in place may be an older one
	broker  *brokered     // nil: the source is injected
}

// image is what a state file held.
type image struct {
	data []byte
	file int // which file it was: one that replaces another shares no page with it
}

// imagesKept is more than any fault goes back.
const imagesKept = 10

func newInside(p *chaosPlan, dir string, random *rand.Rand, planted planted, t *trace) (*inside, error) {
	s, err := newSite(dir, random, p.World.Partitions)
	if err != nil {
		return nil, err
	}
	s.feed.heeds(&p.World)
	s.heeds(&p.World)
	if err := s.configure(p.World.configuration(insideSections(&p.World))); err != nil {
		return nil, err
	}
	var b *brokered
	if p.World.Broker && planted.source == nil { // such a bug stands in an injected source
		if b, err = newBrokered(p.World.Partitions); err != nil {
			return nil, err
		}
	}
	w := &inside{broker: b, site: s, plan: p, random: random, clock: newClock(), mirror: snapshottest.NewMirror(filepath.Join(dir, "disk")),
		planted: planted, trace: t}
	s.put = w.place
	return w, nil
}

// insideSections are those of a daemon of which everything is injected.
func insideSections(w *planSetting) sections {
	return wholeSections(injectedSource, "{type: file, path: ./dead-letter, "+mostRefused+"}", "")
}

// injectedSource stands for one that is injected.
const injectedSource = `{type: kafka, format: json, kafka: {brokers: ["127.0.0.1:9"], topic: ` + topicName + `}}`

// run runs the daemon once, with armed faults, and returns how it ended. What the
// power cut leaves is on the disks then.
func (w *inside) run(p *played, live bool, faults []*fault) (ending, error) {
	a, from := arm(faults, w.log.Len, w.trace), w.log.Len()
	a.turn = w.clock.turn
	begun := false
	a.begun = func() bool {
		begun = begun || w.log.Has(from, started)
		return begun
	}
	list := w.listed()
	err := w.daemon(live, a)
	if w.planted.unlisted && a.died() {
		list()
	}
	if err != nil {
		fmt.Fprintf(w.log, "error: %v\n", err)
	}
	w.tell(err, a, p, from)
	w.told(a)
	w.sameTrouble(a)
	if err := w.see(w.damaged); err != nil {
		return unexpected, err
	}
	if err := errors.Join(w.mirrorList(a), w.cutPower(a)); err != nil {
		return unexpected, err
	}
	if a.died() && (err == nil || !errors.Is(err, errKilled)) {
		err = errKilled // it was about to end anyway
	}
	return endingOf(err), nil
}

// daemon is one process, so to speak.
func (w *inside) daemon(live bool, a *armed) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), hang, errHangs)
	defer cancel()
	seed, raise := [32]byte{byte(w.plan.World.Partitions), 7, byte(w.feed.index)}, w.newRelief(a)
	o := dataset.Options{Log: slog.New(slog.NewJSONHandler(w.log, nil)), Once: !live, Clock: w.clock, Seed: &seed, TrustClock: w.trusted,
		Load: raise.load, Reloads: raise.reloads,
		FS: plant(w.planted.files, snapshot.FS(&disk{w.mirror, a}))}
	w.mirror.Disk.Forgets = a.lies
	w.noted = 0
	if live {
		running, stop := context.WithCancel(ctx)
		defer stop()
		o.Observe = w.stopWhenSettled(stop, a, raise)
		ctx = running
	}
	o.StandIns = dataset.StandIns{
		Store: func(s state.Store) state.Store {
			if a.tearing() {
				w.found, _ = os.ReadFile(w.config.State.Path) // it is open
			}
			return plant(w.planted.store, state.Store(&store{s, a, w.noting(a)}))
		},
		Source: func(r ingest.Resume) (ingest.Source, error) {
			if w.broker != nil {
				return w.broker.source(r, o.Log, a)
			}
			return plant(w.planted.source, ingest.Source(newSource(w.feed, w.random, r, a))), nil
		},
		DeadLetters: func(d ingest.DeadLetters) ingest.DeadLetters {
			return plant(w.planted.sink, ingest.DeadLetters(&sink{d, a}))
		},
		Jitter:     func() float64 { return 0.5 },
		Forgetting: w.forgetting(a),
		Owners:     func(o ingest.Owners) ingest.Owners { return plant(w.planted.owners, ingest.Owners(&claiming{o, a})) },
		Journal:    w.journaling(a),
	}
	err := daemon.Run(ctx, w.limited(live, a), o)
	if a.count["committed"] > 0 && !a.tearing() {
		err = errors.Join(err, w.noteImage())
	}
	return errors.Join(err, hung(ctx))
}

// hang is longer than any run takes; a daemon that takes longer hangs.
const hang = time.Hour

var errHangs = errors.New("the daemon hangs")

func hung(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errHangs) {
		return errHangs
	}
	return nil
}

func plant[T any](bug func(T) T, inner T) T {
	if bug == nil {
		return inner
	}
	return bug(inner)
}

// stopWhenSettled ends a run when all is read, published and delivered, as SIGTERM
// would; or when the daemon has paused because too much is refused.
func (w *inside) stopWhenSettled(stop func(), a *armed, raise *relief) func(ingest.Report) {
	quiet, last := 0, uint32(0)
	sent := uint64(w.feed.sent())
	var mu sync.Mutex
	return func(r ingest.Report) {
		mu.Lock()
		defer mu.Unlock()
		raise.look()
		if a.died() || w.log.Has(raise.from, tooMany) {
			stop()
		}
		m := r.Machine
		if m.Sent != sent || r.Releasing != 0 || r.Doing != "" || m.Outbox > 0 || m.Release != last {
			quiet, last = 0, m.Release
			return
		}
		if quiet++; quiet <= settledAfter {
			return
		}
		if a.strikeClock() {
			quiet = 0
			return
		}
		if w.lingers() {
			quiet = settledAfter
			return
		}
		a.settled = true
		stop()
	}
}

// settledAfter is after how many reports in a row that say that there is nothing to do.
const settledAfter = 2

// mostLooks is how often a daemon that lingers looks at its clock, at most.
const mostLooks = 12

// lingers lets some of the hours pass that a run goes on though it has nothing to do: not so many at once that a
// window would be exceeded. It reports whether some were left.
func (w *inside) lingers() bool {
	if w.linger <= 0 {
		return false
	}
	by := w.look
	if window, err := time.ParseDuration(w.plan.World.Window); err == nil {
		by = min(by, window/2)
		w.linger = min(w.linger, mostLooks*by)
	}
	w.linger -= by
	w.clock.turn(by)
	return true
}

// noting is what follows each commit of a run. A run in which commits are lost needs the file as each has left it; of
// another one, what the newest has left is enough.
func (w *inside) noting(a *armed) func() error {
	if a.tearing() {
		return w.noteImage
	}
	return func() error { return nil }
}

// tearing says that commits of this run may be lost.
func (a *armed) tearing() bool { return a.find("lie-state") != nil || a.find("cut-commit") != nil }

// noteImage keeps what the state file holds.
func (w *inside) noteImage() error {
	f, err := os.Open(w.config.State.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var data []byte
	if len(w.images) == imagesKept { // nobody needs the oldest one any more
		data, w.images = w.images[0].data[:0], w.images[1:]
	}
	if data, err = written(f, info.Size(), data); err != nil {
		return err
	}
	if w.newest != nil && !os.SameFile(info, w.newest) {
		w.files++
	}
	w.newest = info
	w.images, w.noted = append(w.images, image{data, w.files}), w.noted+1
	return nil
}

// newestImage is the state as it was committed last.
func (w *inside) newestImage() []byte {
	if len(w.images) == 0 {
		return nil
	}
	return w.images[len(w.images)-1].data
}

// endingOf tells how a run has ended, from its error.
func endingOf(err error) ending {
	var no syscall.Errno
	var pool *plan.InfeasibleError
	if errors.As(err, &pool) {
		return poolRefused
	}
	for _, c := range []struct {
		is  error
		end ending
	}{
		{errHangs, unexpected}, {errKilled, killed}, {state.ErrLocked, locked}, {state.ErrCorrupt, stateDamaged},
		{upkeep.ErrForeignList, foreignList}, {incremental.ErrLeap, leapt},
		{publish.ErrBehind, behind}, {ingest.ErrBehind, behind}, {state.ErrNoSpace, noRoom}, {publish.ErrRefused, refused},
		{snapshot.ErrDamaged, releaseDamaged}, {publish.ErrDifferent, releaseDamaged}, {ingest.ErrForeignLetters, foreignLetters},
		{ingest.ErrManyRefused, manyRefused}, {daemon.ErrPaused, paused}, {errSource, sourceFailed},
		{ingest.ErrParked, parked}, {ingest.ErrPermanent, unpublished},
	} {
		if errors.Is(err, c.is) {
			return c.end
		}
	}
	switch {
	case err == nil, errors.Is(err, ingest.ErrPoolRefused), errors.Is(err, ingest.ErrNoPool): // of which the source alone is the cause
		return ended
	case errors.As(err, &no):
		return diskFailed
	}
	return unexpected
}

// cutPower leaves of the disks what survives, if the power is cut after this run.
func (w *inside) cutPower(a *armed) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	lies := map[string]*fault{}
	for _, f := range a.faults {
		if f.Do == "lie-state" || f.Do == "lie-releases" {
			lies[f.Do] = f
		}
	}
	cut := a.cut
	if f := lies["lie-releases"]; f != nil && a.count["effect"] >= f.N {
		cut = f
	}
	if cut != nil {
		before := w.mirror.Disk.Files()
		if err := w.mirror.Cut(w.keeping(cut.Draw)); err != nil {
			return err
		}
		if f := lies["lie-releases"]; f != nil && !maps.Equal(before, w.mirror.Disk.Files()) {
			f.take(w.log.Len())
			w.damaged = true
		}
	}
	if a.torn {
		_, err := w.tear(2, a.cut.Draw, false)
		return err
	}
	if f := lies["lie-state"]; f != nil {
		changed, err := w.tear(1+f.N, f.Draw, true)
		if changed {
			f.take(w.log.Len())
		}
		return err
	}
	return nil
}

// keeping says how much of what was not synced survives.
func (w *inside) keeping(draw uint32) func() float64 {
	switch draw % 3 {
	case 0:
		return func() float64 { return 0 }
	case 1:
		return func() float64 { return 1 }
	}
	return w.random.Float64
}

// place writes a published file durably.
func (w *inside) place(path, content string) error {
	return w.mirror.Put(path, []byte(content), strings.Contains(path, "part-"))
}

package daemon

import (
	"context"
	"errors"
	"fmt"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/ops/diskuse"
	"anond/internal/ops/duty"
	"anond/internal/upkeep"
)

// openBackups refuses, before anything is decided, a directory of backups that is another shard's. What else is wrong with it
// is said when a backup is made.
func (r *once) openBackups() error {
	if err := upkeep.ClaimBackupDir(r.c); errors.As(err, new(*upkeep.BackupDirError)) {
		return err
	}
	return nil
}

// once is one run of the daemon, from the opening of its state to the closing. Its parts
// appear in the order of their opening.
type once struct {
	ctx     context.Context
	c       *config.Config
	o       dataset.Options
	lease   dataset.Lease
	closers dataset.Closers

	far       *meters
	options   boltstore.Options
	file      *boltstore.Store
	sizes     *sizes
	paused    bool
	steer     *steering
	store     *quota // the file, as the loop writes to it
	machine   *incremental.Machine
	sight     *sight
	steps     *phases
	publisher *publisher
	source    ingest.Source
	keys      dataset.Keys
	sink      ingest.DeadLetters
	owners    ingest.Owners   // nil: the dataset shares its people with no other
	journal   dataset.Journal // nil: there is none
}

// runOnce opens everything, runs the loop, and closes in reverse order.
func runOnce(ctx context.Context, c *config.Config, o dataset.Options, lease dataset.Lease) (err error) {
	r := &once{ctx: ctx, c: c, o: o, lease: lease, far: new(meters)}
	r.o.Planned = r.far.planned
	defer func() { err = errors.Join(stoppedEarly(ctx, o, err), r.closers.Close()) }()
	for _, step := range []func() error{r.openState, r.openBackups, r.openLog, r.openMachine, r.openPublisher, r.openOwners, r.openJournal,
		r.openSource, r.openSink} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.serve()
}

// openState opens the file of the state, and what shows and steers from then on.
func (r *once) openState() (err error) {
	if r.options, err = dataset.StateOptions(r.ctx, r.c); err != nil {
		return err
	}
	r.options.Progress = func(done, all uint64) {
		r.far.work.Set(int64(done), int64(all))
		r.o.Monitor.Loaded(done, all)
		r.o.Manager.Advance()
	}
	if r.file, err = upkeep.OpenForgetful(r.ctx, r.c, r.o, r.options, r.lease); err != nil {
		return err
	}
	r.closers.Add(r.file.Close)
	if err := upkeep.RemoveReadingCopies(r.c); err != nil {
		return err
	}
	r.sizes = watchSizes(r.file)
	r.closers.Add(r.sizes.close)
	if r.paused, err = beginsPaused(r.c, r.o); err != nil {
		return err
	}
	if r.steer, err = newSteering(r.c, r.o, r.far); err != nil {
		return err
	}
	r.closers.Add(r.steer.Close)
	return nil
}

func (r *once) openMachine() (err error) {
	r.store = newQuota(r.o.StandIns.AroundStore(r.file), r.file, r.o, r.c.State.OnFull == config.PauseWhenFull, r.ctx.Done())
	r.steer.quota, r.steer.key = r.store, r.options.Key
	if r.machine, err = dataset.OpenMachine(r.ctx, r.store, r.c, r.o); err != nil {
		return err
	}
	if r.c.Repeat != "" && r.c.Schema().SubjectIndex() < 0 {
		r.o.Log.Warn("no attribute has role subject: every record counts as a person", "event", "no_subject")
	}
	r.sight = newSight(r.c, r.o, r.sizes, r.steer)
	r.steps = newPhases(r.sight.observe, r.o, r.machine)
	return nil
}

// openPublisher compares releases and ledger with the state.
func (r *once) openPublisher() error {
	if err := r.alone(); err != nil {
		return err
	}
	err := r.steps.during(ingest.DoingVerify, func() (err error) {
		r.publisher, err = newPublisher(r.ctx, r.c, r.machine, r.o, r.far.rendered)
		return err
	})
	if err != nil {
		return err
	}
	r.closers.Add(r.publisher.Close) // before the store: a parked release must not write after the lock is released
	r.publisher.inner.Fence, r.sight.standing = r.lease.Fence, r.publisher.standing
	r.publisher.limit = r.steer.limit
	if err := r.lease.Witness(r.ctx, r.machine); err != nil {
		return err
	}
	r.sight.publisher = r.publisher
	return r.publisher.views.start(r.publisher.inner.Directory())
}

// ErrTwo: two states would publish into one directory.
var ErrTwo = fault.Errorf(fault.Behind, "give each state a release.dir of its own: two that publish into one break the promise of both",
	"another anond publishes into")

// alone keeps other processes out of the directory of releases. Those of a group or of a journal keep each other out
// by themselves, and take over while the one before may still hang.
func (r *once) alone() error {
	if r.lease.Held != nil || r.c.Shard.Journal.Set() {
		return nil
	}
	dir := r.c.Release.Dir
	if err := disk.MakeDir(r.o.FS, dir); err != nil {
		return fmt.Errorf("make the releases directory: %w", err)
	}
	unlock, taken := diskuse.Lock(dir)
	if taken {
		return errors.Join(fmt.Errorf("%w %s: pid %d", ErrTwo, dir, boltstore.Holder(dir)), unlock())
	}
	r.closers.Add(unlock)
	return nil
}

// openOwners joins the ledger of subjects, once nothing says that the state is an old one.
func (r *once) openOwners() error {
	owners, close, err := dataset.OpenOwners(r.ctx, r.c, r.machine, r.o)
	if err == nil && owners != nil {
		r.owners, r.steer.owners = owners, owners
		r.closers.Add(close)
	}
	return err
}

func (r *once) openSource() error {
	err := r.publisher.standing.during(r.ctx, func(ctx context.Context) error {
		return r.steps.during(ingest.DoingConnect, func() (err error) {
			r.source, err = dataset.ReachSource(ctx, r.c, r.machine, r.o, r.lease)
			return err
		})
	})
	if err != nil {
		return err
	}
	r.closers.Add(r.source.Close)
	r.keys, err = dataset.KeysOf(r.c, r.machine, r.source)
	return err
}

func (r *once) openSink() error {
	sink, err := dataset.OpenDeadLetters(r.c, r.o, r.options.Key)
	if err != nil {
		return err
	}
	r.closers.Add(sink.Close)
	r.sink = r.o.StandIns.AroundLetters(sink)
	return nil
}

func (r *once) started() {
	s := r.machine.Status()
	said := []any{"event", "started", "dataset", r.c.Dataset, "source", r.c.Source.Name, "release", len(r.machine.Releases().Intents()),
		"records", s.Published + s.Pending.Total() + s.Beyond, "k", r.c.Policy.K}
	if l := r.c.Policy.L; l > 0 { // that of attributes without a promise of their own
		said = append(said, "l", l)
	}
	if n := len(r.c.Promises()); n > 0 {
		said = append(said, "promises", n)
	}
	if s.FirstLoad != nil { // initial.min_pool, or what level L1 has instead
		said = append(said, "first_load_wants", s.FirstLoad.Wanted)
	}
	if r.c.Shard.Set() {
		said = append(said, "of", r.c.Shard.Of)
	}
	r.o.Log.Info("started", said...)
	dataset.TellUnreadable(r.c, r.o.Log)
}

// serve runs the loop, and next to it what looks after releases and backups. Whoever is told
// that the daemon has started may give it orders.
func (r *once) serve() error {
	copies := upkeep.NewCopier(r.ctx, r.c, r.file, r.o)
	r.closers.Add(copies.Close) // before the store, which it reads
	r.steer.begins(copies)
	r.started()
	releases := inspect(r.ctx, r.c, r.o, r.machine.Releases().Intents(), r.publisher.standing)
	r.closers.Add(releases.close)
	pruning := newPruner(r.ctx, r.publisher, r.o, publishedOf(r.machine.Releases().Intents()), r.steer, releases.done)
	r.closers.Add(pruning.close) // before the publisher, through whose disk it writes
	show, last := r.steps.observe, ingest.Report{}
	host := r.host()
	host.Damage = releases.Damage
	host.Observe = func(now ingest.Report) { last = now; show(now); copies.Observe(now); pruning.observe(now) }
	err := host.Run(r.ctx)
	r.o.Monitor.Enter(duty.Ending)
	if err := r.publisher.standing.end(r.ctx, err); err != nil || r.ctx.Err() != nil {
		return err
	}
	if r.o.Once {
		releases.finish(r.ctx, &last, show)
	}
	return r.publisher.views.end()
}

// host joins the parts.
func (r *once) host() *ingest.Host {
	c, o := r.c, r.o
	host := &ingest.Host{Machine: r.machine, Store: r.store, Source: r.source, Schema: c.Schema(),
		NewDecoder: dataset.DecoderOf(c, o.Log), DeadLetters: r.sink, Payload: c.DeadLetter.Payload,
		Publisher: r.publisher, Trigger: triggerOf(c), Clock: o.Clock, Log: o.Log, Policy: dataset.PolicyDigest(c), Once: o.Once,
		Paused: r.paused, TrustClock: o.TrustClock, Retry: o.StandIns.Retry(),
		Limits: ingest.Limits{MaxRefused: c.DeadLetter.MaxShare, Quota: r.store, StopWhenFull: c.State.OnFull == config.StopWhenFull,
			Shares: dataset.SharesOf(c), Rate: c.Source.MaxRate},
		Ports: ingest.Ports{Owners: r.owners, Fence: r.lease.Fence, Faults: r.publisher.faults,
			Forgetting: newEraser(r.ctx, c, o, r.file, r.store, r.publisher),
			Commands:   r.steer.commands},
		Observers: ingest.Observers{Meter: o.Meter, Tripped: r.steer.markPaused}}
	dataset.Placed(host, r.keys)
	if r.journal != nil {
		host.Steps = r.journal.Steps(host.Policy)
	} else {
		host.Judged = r.publisher.inner.KeepJudged
	}
	return host
}

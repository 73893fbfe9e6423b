package daemon

import (
	"cmp"
	"context"
	"fmt"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/upkeep"
	"anond/snapshot/publish"
)

// reconcile holds what was published against the state. A state that may catch up is not refused, and its ledger
// has what the state knows: it is on the state's disk by default, and may be lost with it.
//
// A journal has each cut, also those that found a pool ineligible; any other state must know of the pools that were.
func reconcile(p *publish.Publisher, c *config.Config, m *incremental.Machine) error {
	err := p.Reconcile(m.Releases().Intents(), m.Digests())
	if err == nil && !c.Shard.Journal.Set() {
		return p.KeepJudged(m.Judged())
	}
	if err == nil || !dataset.MayCatchUp(c, err) {
		return err
	}
	return publish.CatchUp(p.FS, p.Dir, p.Ledger, m.Releases().Intents())
}

// openLog opens the journal, and reads whose it is. It goes before the machine, which would make a new state.
func (r *once) openLog() (err error) {
	if r.journal, err = dataset.OpenJournal(r.ctx, r.c, r.o); err != nil || r.journal == nil {
		return err
	}
	r.closers.Add(r.journal.Close)
	return r.journal.Begin(r.ctx, func() (bool, error) {
		state, err := r.file.Forgotten()
		return err == nil && state.Fresh, err
	})
}

// openJournal brings the state to where the journal ends: it does again what a process before has decided. From then
// on this process is the one that goes on.
func (r *once) openJournal() error {
	if r.journal == nil {
		return nil
	}
	err := r.publisher.standing.during(r.ctx, func(ctx context.Context) error {
		return r.steps.during(ingest.DoingRepeat, func() (err error) {
			defer r.store.hurry()()
			m, err := r.journal.Follow(ctx, dataset.Following{Machine: r.machine, Host: r.host, Republish: r.publisher.Republish,
				Beginning: r.backUpBeginning})
			r.machine = cmp.Or(m, r.machine)
			return err
		})
	})
	if err != nil {
		return err
	}
	fence := r.publisher.inner.Fence // what was repeated needed none: its bytes are those of the other process
	r.publisher.inner.Fence = func() error { return cmp.Or(fence(), r.journal.Held(r.ctx)) }
	if err := r.publisher.inner.TakeOver(); err != nil {
		return fmt.Errorf("take the releases over: %w", err)
	}
	return r.publisher.inner.Reconcile(r.machine.Releases().Intents(), r.machine.Digests())
}

// backUpBeginning copies a state before its journal begins: who loses the disk then still has the seed, and everything can be
// repeated.
func (r *once) backUpBeginning(ctx context.Context) (undo func(), err error) {
	if r.c.State.Backup.Dir == "" {
		return func() {}, nil
	}
	began := r.o.Clock.Now()
	b := upkeep.NewCopier(ctx, r.c, r.file, r.o)
	defer b.Stop()
	made, err := b.Beginning(began, r.machine)
	if err != nil {
		return nil, fmt.Errorf("state.backup.dir: the backup that a journal begins with: %w", err)
	}
	b.Succeeded(made, began)
	return func() { b.Remove(made) }, nil
}

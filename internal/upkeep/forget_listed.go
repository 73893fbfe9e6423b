package upkeep

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/suppress"
)

// forgetListed lets a state forget, before it takes any record, the people whom it has to forget:
//
//   - whom the list next to the ledger has and the state does not: it was restored from a backup
//     that is older than the erasure, or the erasure was interrupted;
//   - whose deletes were read (due).
//
// It also rewrites a file whose free pages may hold what was forgotten while the daemon ran. It
// reports whether the state was written, and then has closed the store.
func forgetListed(ctx context.Context, c *config.Config, o dataset.Options, store *boltstore.Store, options boltstore.Options) (bool,
	error) {
	if c.Shard.Journal.Set() {
		return cleaned(c, o, store, options)
	}
	known, err := store.Forgotten()
	if err != nil {
		return false, err
	}
	path := suppress.Path(c.Release.Ledger)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && len(known.People) == 0 {
		return false, nil
	}
	key := incremental.SuppressionKey(known.Seed)
	list, err := suppress.Read(path, key)
	if known.Fresh && err == nil || errors.Is(err, suppress.ErrForeign) {
		err = fmt.Errorf("%s: %w", path, ErrForeignList)
	}
	if err != nil {
		return false, err
	}
	if len(list) < len(known.People) && len(missing(known.People, list)) == 0 { // it was lost, or is older than the state
		if err := suppress.Write(path, known.People, key); err != nil {
			return false, err
		}
	}
	b := &belated{ctx: ctx, c: c, o: o, options: options, known: known, missing: missing(known.People, list)}
	stale := store.Stale()
	if !stale && known.Due+len(b.missing) == 0 {
		return false, nil
	}
	if err := store.Close(); err != nil {
		return false, err
	}
	if known.Due+len(b.missing) > 0 {
		return true, b.forget()
	}
	clean(c, o, options)
	return true, nil
}

// cleaned rewrites the file of a state that follows a journal, if its free pages may hold what was forgotten. All else
// comes at its place in the journal: whom an older copy has to forget, and who is due.
func cleaned(c *config.Config, o dataset.Options, store *boltstore.Store, options boltstore.Options) (bool, error) {
	if !store.Stale() {
		return false, nil
	}
	if err := store.Close(); err != nil {
		return false, err
	}
	clean(c, o, options)
	return true, nil
}

func clean(c *config.Config, o dataset.Options, options boltstore.Options) {
	if err := boltstore.CleanFile(c.State.Path, options); err != nil {
		o.Log.Warn("the state was not rewritten, and is used as it is", "event", "compaction_failed", "error", err.Error())
		return
	}
	o.Log.Info("the state was rewritten: no page of it holds who was forgotten while anond ran", "event", "state_cleaned")
}

// missing are the people on a list who are not known as forgotten.
func missing(known, list []state.Digest) []state.Digest {
	have := make(map[state.Digest]bool, len(known))
	for _, d := range known {
		have[d] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(d state.Digest) bool { return have[d] })
}

// belated is an erasure that a start has to do.
type belated struct {
	ctx     context.Context
	c       *config.Config
	o       dataset.Options
	options boltstore.Options
	known   boltstore.Forgetful
	missing []state.Digest
}

func (b *belated) forget() error {
	f := &forgetting{ctx: b.ctx, c: b.c, o: b.o, step: b.o.StandIns.Forgetting}
	b.options.Step = f.step
	began := b.o.Clock.Now()
	err := boltstore.ForgetFile(b.c.State.Path, b.options, func(s *boltstore.Store) (*erase.Erasure, error) {
		e, err := f.plan(s, func(*incremental.Machine) []state.Digest { return nil })
		if err == nil && e.Empty() && len(b.missing) == 0 {
			return nil, nil // the file stays as it is
		}
		return e, err
	})
	if f.done.Later > 0 && err == nil {
		b.says(f.done.Later, ingest.ErrPoolFixed)
	}
	switch {
	case notNow(err):
		return b.defers(err)
	case err != nil:
		return err
	case f.done.Later == b.known.Due+len(b.missing):
	case len(b.missing) > 0:
		b.o.Log.Warn("the state did not know of people who were forgotten; it has forgotten them now", "event", "forgotten_again",
			"published", f.done.Published, "unpublished", f.done.Unpublished)
	default:
		b.o.Log.Info("people were forgotten", "event", "forgotten", "people", b.known.Due, "published", f.done.Published,
			"unpublished", f.done.Unpublished, "ms", b.o.Clock.Now().Sub(began).Milliseconds())
	}
	return nil
}

// notNow reports whether an erasure has to wait for what the run does: publish a release that is
// decided, or take in other people; or forget in place, where the disk has no room
// for a second file.
func notNow(err error) bool {
	return slices.ContainsFunc([]error{state.ErrUnpublished, erase.ErrNobodyElse,
		state.ErrNoSpace},
		func(why error) bool { return errors.Is(err, why) })
}

// defers leaves the erasure to the run: the people are blocked, and due.
func (b *belated) defers(why error) error {
	b.says(b.known.Due+len(b.missing), why)
	if len(b.missing) == 0 {
		return nil
	}
	s, err := boltstore.Open(b.c.State.Path, b.options)
	if err != nil {
		return err
	}
	due := b.known.Due + len(b.missing)
	d := &state.Delta{Due: &due}
	for _, person := range b.missing {
		d.Known = append(d.Known, state.Know(person, state.Forgotten))
	}
	err = s.Commit(d)
	return errors.Join(err, s.Close())
}

func (b *belated) says(people int, why error) {
	b.o.Log.Warn("people are to be forgotten who cannot be now; their records are blocked", "event", "forget_deferred",
		"people", people, "error", why.Error())
}

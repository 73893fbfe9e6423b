package chaos

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"anond/internal/dataset"
	"anond/internal/suppress"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// forget is anond forget of a stopped daemon, for somebody of the feed. It dies at its n-th
// step; 0: it does not. It returns the steps that it has done.
func (w *inside) forget(n int, draw uint32) (steps []string, err error) {
	if w.newestImage() == nil || w.feed.persons == 0 || w.journal != nil { // with a journal only the daemon forgets
		return nil, nil
	}
	list := suppress.Path(w.config.Release.Ledger)
	before, _ := os.ReadFile(list) // it need not be there
	person := w.feed.mine(int(draw) % w.feed.persons)
	options := dataset.Options{Log: slog.New(slog.NewJSONHandler(w.log, nil)), Clock: w.clock, StandIns: dataset.StandIns{
		Forgetting: func(step string) error {
			if steps = append(steps, step); len(steps) == n {
				return errKilled
			}
			return nil
		}}}
	_, err = upkeep.Forget(context.Background(), w.config, options, []byte(subjectOf(person)))
	if slices.Contains(steps, "listed") {
		w.feed.gone[person] = true
	}
	switch {
	case err == nil, errors.Is(err, errKilled):
	case slices.ContainsFunc(notForgettable, func(is error) bool { return errors.Is(err, is) }):
		return nil, w.remirror()
	default:
		return nil, fmt.Errorf("forget: %w", err)
	}
	if err != nil && w.planted.forgetting != nil {
		if err := w.planted.forgetting(list, before); err != nil {
			return nil, err
		}
	}
	return steps, errors.Join(w.noteImage(), w.remirror())
}

// notForgettable are the states on which anond forget refuses to work: an operator starts
// anond first, which says what is wrong with them.
var notForgettable = []error{state.ErrUnpublished, erase.ErrNobodyElse, state.ErrCorrupt, publish.ErrBehind,
	snapshot.ErrDamaged, publish.ErrDifferent}

// forgetKilled has an erasure die. It has an effect once the list of who was forgotten is
// durable: then the next start must finish it.
func (w *inside) forgetKilled(f *fault) error {
	mark := w.log.Len()
	steps, err := w.forget(f.N, f.Draw)
	if err == nil && slices.Contains(steps, "listed") && len(steps) == f.N {
		f.take(mark)
	}
	return err
}

// forgetting lets faults take effect between the steps of an erasure of the daemon.
func (w *inside) forgetting(a *armed) func(step string) error {
	return func(step string) error {
		if step == "rewritten" || step == "replaced" || step == "removed" {
			if err := w.noteImage(); err != nil {
				return err
			}
		}
		return a.forgetting(step)
	}
}

// remirror takes into the mirror what a command has changed past it: what a start repairs, the list of
// who was forgotten, and which pools were judged.
func (w *inside) remirror() error {
	return w.mirrored(filepath.Join(w.archive.dir, "CURRENT"), w.config.Release.Ledger, suppress.Path(w.config.Release.Ledger), w.judgedPath())
}

// mirrorList takes the list of who was forgotten into the mirror: anond writes it past the injected file
// system and syncs it (suppress.Write), so that it is still there after a power cut, unless the disk lies.
func (w *inside) mirrorList(a *armed) error {
	if a.lies() {
		return nil
	}
	return w.mirrored(suppress.Path(w.config.Release.Ledger))
}

// listed returns what puts the list of who was forgotten back as it is now: for a planted bug.
func (w *inside) listed() (back func()) {
	list := suppress.Path(w.config.Release.Ledger)
	before, missing := os.ReadFile(list)
	return func() {
		if missing != nil {
			_ = os.Remove(list)
			return
		}
		_ = os.WriteFile(list, before, 0o600)
	}
}

// mirrored takes files into the mirror, as they are and durable.
func (w *inside) mirrored(paths ...string) error {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := w.mirror.Put(path, text, false); err != nil {
			return err
		}
	}
	return nil
}

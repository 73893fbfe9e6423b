package publish

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"anond/snapshot"
	"anond/snapshot/render"
)

// check holds the witnesses against the release: none may be ahead, and the
// chain must reach the release before. It reads the end of the chain that the
// new manifest is tied to.
func (b *publication) check() error {
	on, err := snapshot.Scan(b.FS, b.Dir)
	if err != nil {
		return err
	}
	newest := max(on.Newest(), on.Current)
	passed := newest > b.release
	if passed && b.Repeats == nil {
		return &BehindError{State: b.release, Witness: "the releases directory", Release: newest}
	}
	b.done = on.Has(b.release)
	if passed && !b.done {
		return fmt.Errorf("%w: release %d is not there, and release %d is", snapshot.ErrDamaged, b.release, newest)
	}
	ledger := &snapshot.Ledger{}
	if b.Ledger != "" {
		if ledger, err = snapshot.ReadLedger(b.FS, b.Ledger); err != nil {
			return err
		}
	}
	last := ledger.Newest()
	if last.Release > b.release && b.Repeats == nil {
		return &BehindError{State: b.release, Witness: "the ledger", Release: last.Release}
	}
	if last.Release+1 < b.release {
		return fmt.Errorf("%w: the ledger ends at release %d: state holds the missing lines, a restart writes them",
			snapshot.ErrDamaged, last.Release)
	}
	if sum, ok := ledger.Find(b.release); ok {
		b.recorded = &sum
	}
	if err := b.before(); err != nil {
		return err
	}
	if want, ok := ledger.Find(b.release - 1); ok && want != b.from.Sha256 {
		return fmt.Errorf("%w: the manifest of release %d is not the one the ledger names", snapshot.ErrDamaged, b.release-1)
	}
	return nil
}

// hierarchies copies the hierarchy files, each content once: a copy that changed
// would give old labels a new meaning.
func (b *publication) hierarchies() error {
	if len(b.settings.Hierarchies) == 0 {
		return nil
	}
	dir := filepath.Join(b.Dir, snapshot.HierarchyDir)
	if err := b.FS.MkdirAll(dir); err != nil {
		return err
	}
	for i := range b.settings.Hierarchies {
		h := &b.settings.Hierarchies[i]
		path := filepath.Join(b.Dir, filepath.FromSlash(h.CopyName()))
		old, err := b.FS.ReadFile(path)
		switch {
		case err == nil && sha256.Sum256(old) == sha256.Sum256(h.Content):
			continue
		case err == nil:
			return fmt.Errorf("%w: %s differs from the hierarchy of attribute %q", ErrDifferent, path, h.Attribute)
		case !notExist(err):
			return err
		}
		if err := replaceBy(b.FS, path, filepath.Base(b.staged(path)), h.Content, nil); err != nil {
			return err
		}
	}
	// A copy that was there may stem from a run that crashed before this. The
	// directory's own name is made durable with the release's.
	return b.FS.Sync(dir)
}

// render writes the release under its temporary name, where only its owner can
// read it: the gate has not passed it yet. A release that has its name already
// must have the very same bytes (rule F, forbidden). Before anybody judges the
// release by its manifest, that is read again.
func (b *publication) render() error {
	if err := b.FS.RemoveAll(b.tmp); err != nil {
		return err
	}
	if err := b.FS.MkdirPrivate(b.tmp); err != nil {
		return err
	}
	b.files = &releaseFiles{FS: b.FS, to: b.tmp, from: snapshot.DirOf(b.Dir, b.release-1), dirs: map[string]bool{}}
	var err error
	if b.out, err = render.Render(b.input, b.settings, b.from, b.files); err != nil {
		return err
	}
	if err := asWritten(b.FS, filepath.Join(b.tmp, snapshot.ManifestName), b.out.SHA256); err != nil {
		return err
	}
	if b.Repeats != nil && (*b.Repeats != b.out.SHA256 || b.recorded != nil && *b.recorded != *b.Repeats) {
		return ErrOtherHistory
	}
	if b.recorded != nil && *b.recorded != b.out.SHA256 {
		return fmt.Errorf("%w: the ledger has another manifest of it", ErrDifferent)
	}
	if !b.done {
		return nil
	}
	if err := sameTree(b.FS, b.dir, b.tmp); err != nil {
		return err
	}
	return b.FS.RemoveAll(b.tmp)
}

// gate shows the gate the release, also one that has its name already: a gate
// that carries its certificate along must see each release of the chain.
func (b *publication) gate() error {
	dir := b.tmp
	if b.done {
		dir = b.dir
	}
	return b.Gate.Check(dir, b.out.Placed)
}

// sync makes the release durable, and readable by all: both before it gets its
// name, so that no crash leaves a release that nobody can read. What a link names
// is durable already.
func (b *publication) sync() error {
	if b.done {
		return nil
	}
	if err := b.FS.SyncAll(b.files.unsynced()); err != nil {
		return err
	}
	if err := b.FS.Publicize(b.tmp); err != nil {
		return err
	}
	return b.FS.Sync(b.tmp)
}

func (b *publication) rename() error {
	if err := b.fence(); err != nil {
		return err
	}
	if !b.done {
		if err := b.FS.Rename(b.tmp, b.dir); taken(err) {
			return b.outrun()
		} else if err != nil {
			return err
		}
	}
	// Also on a retry: a name that was seen need not have been durable.
	return b.FS.Sync(b.Dir)
}

// outrun goes on behind a process that has published the same release since check: the bytes must
// be the same (rule F, forbidden), and the gate sees the files that there are.
func (b *publication) outrun() error {
	if err := sameTree(b.FS, b.dir, b.tmp); err != nil {
		return err
	}
	if err := b.FS.RemoveAll(b.tmp); err != nil {
		return err
	}
	b.done = true
	if err := b.gate(); err != nil {
		return err
	}
	return b.FS.Sync(b.Dir)
}

// current names the release.
func (b *publication) current() error {
	if b.Repeats != nil {
		return b.currentAgain()
	}
	return b.nameCurrent(b.release)
}

// currentAgain names the newest release, where one is published again: whoever repeats has not told
// the process before yet that it is too late. That may name a newer one meanwhile, so CURRENT is read
// again until it is right.
func (b *publication) currentAgain() error {
	for {
		on, err := snapshot.Scan(b.FS, b.Dir)
		if err != nil {
			return err
		}
		newest := max(on.Newest(), b.release)
		if on.Current >= newest {
			return b.FS.Sync(b.Dir)
		}
		if err := b.nameCurrent(newest); err != nil {
			return err
		}
	}
}

func (p *Publisher) nameCurrent(release uint32) error {
	return p.replace(filepath.Join(p.Dir, snapshot.CurrentName), []byte(snapshot.DirName(release)+"\n"))
}

func (b *publication) ledger() error {
	if b.Ledger == "" {
		return nil
	}
	return appendLedger(b.FS, b.Ledger, []snapshot.LedgerEntry{{Release: b.release, SHA256: b.out.SHA256}}, b.fence)
}

package publish

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"anond/snapshot"
)

// Two processes may publish in one directory for a while: one that was suspended, or that the
// network has cut off, and the one that has taken over from it. Three things keep them apart,
// so that rule F (forbidden) holds: no half release, no second rendering, and CURRENT does not
// go back.
//
//  1. Temporary names have an owner. Nobody writes or renames what another one is making.
//  2. What others will see is made as a whole first, then the fence is asked, then one rename, or
//     one write to a file that was opened before, shows it.
//  3. Who takes over fences the others off (an entry of the journal, a lease), and then takes away
//     what they have made (TakeOver). So what had passed the fence is shown by then, or never:
//     its temporary name is gone, and the file that it opened is not the ledger any more.

// temporaryName is that of what is being made for a name.
func temporaryName(name, owner string) string {
	if owner == "" {
		return snapshot.Temporary + name
	}
	return snapshot.Temporary + name + "-" + owner
}

// staged is the path at which this process makes what will have a path.
func (d *Directory) staged(path string) string {
	return filepath.Join(filepath.Dir(path), temporaryName(filepath.Base(path), d.Owner))
}

// TakeOver ends what other processes have begun. It is called once they are fenced off, before
// this one publishes anything that no other has. If this one is fenced off itself meanwhile, it
// leaves alone what came since.
func (p *Publisher) TakeOver() error {
	if err := p.sweepAll(); err != nil || p.Ledger == "" {
		return err
	}
	data, err := p.FS.ReadFile(p.Ledger)
	if notExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.directory().Replace(p.Ledger, data)
}

// sweepAll removes everything temporary.
func (p *Publisher) sweepAll() error {
	err := p.directory().Sweep(func(string) bool { return true })
	if errors.As(err, new(*ledgerDirError)) && errors.Is(err, fs.ErrPermission) && !p.Beside {
		return nil // a directory that may not be read keeps what a crash left; nobody else adds to it
	}
	return err
}

// ledgerDirError is of what is temporary next to the ledger.
type ledgerDirError struct{ error }

func (e *ledgerDirError) Unwrap() error { return e.error }

// Sweep removes what has a temporary name and is old enough.
func (d *Directory) Sweep(old func(path string) bool) error {
	for _, dir := range []string{d.Dir, filepath.Join(d.Dir, snapshot.HierarchyDir), filepath.Join(d.Dir, snapshot.PrunedDir)} {
		if err := d.sweep(dir, snapshot.Temporary, old); err != nil {
			return err
		}
	}
	if d.Ledger == "" {
		return nil
	}
	if err := d.sweep(filepath.Dir(d.Ledger), temporaryName(filepath.Base(d.Ledger), ""), old); err != nil {
		return &ledgerDirError{err}
	}
	return nil
}

// sweep is Sweep of the names in a directory that begin with a prefix. Each loses that name first: a process
// that goes on to rename it while its files are removed would show the rest of them.
func (d *Directory) sweep(dir, prefix string, old func(path string) bool) error {
	names, err := d.FS.ReadDir(dir)
	if err != nil && !notExist(err) {
		return err
	}
	if err := d.fence(); err != nil { // else what was listed is not of a process behind this one
		return err
	}
	gone := filepath.Join(dir, strings.TrimSuffix(prefix, "-")+"-gone-"+d.Owner)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if !strings.HasPrefix(name, prefix) || !old(path) {
			continue
		}
		if err := d.FS.RemoveAll(gone); err != nil {
			return err
		}
		if err := d.FS.Rename(path, gone); err != nil {
			if notExist(err) { // it has its name now, or somebody else was faster
				continue
			}
			return err
		}
		if err := d.FS.RemoveAll(gone); err != nil {
			return err
		}
	}
	return nil
}

// fencedError says that another process may publish now.
type fencedError struct{ error }

func (e fencedError) Unwrap() error { return e.error }

// fence asks whether this process may still show something.
func (d *Directory) fence() error {
	if d.Fence == nil {
		return nil
	}
	if err := d.Fence(); err != nil {
		return fencedError{err}
	}
	return nil
}

// blamed is why a step failed. What another process takes away looks like a fault of the
// release, or of the disk.
func (d *Directory) blamed(err error) error {
	if d.Owner == "" || errors.As(err, new(fencedError)) || errors.Is(err, ErrClosed) {
		return err
	}
	if lost := d.fence(); lost != nil {
		return lost
	}
	return err
}

// clean removes what did not get its name: a rendering may hold what the gate has not passed.
// What cannot be removed now, Open removes. Without an owner, it may be another process's once
// this one is fenced off.
func (s *Sequence) clean(err error) {
	if s.Owner == "" && errors.As(err, new(fencedError)) {
		return
	}
	_ = s.FS.RemoveAll(s.Staged())
}

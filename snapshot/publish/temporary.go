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
func (p *Publisher) staged(path string) string {
	return filepath.Join(filepath.Dir(path), temporaryName(filepath.Base(path), p.Owner))
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
	return p.replace(p.Ledger, data)
}

// replace puts a file in place that others see, unless this process is fenced off.
func (p *Publisher) replace(path string, data []byte) error {
	err := replaceBy(p.FS, path, filepath.Base(p.staged(path)), data, p.fence)
	if err != nil && p.Owner != "" {
		_ = p.FS.RemoveAll(p.staged(path)) // of who is fenced off; else the next start does
	}
	return err
}

// sweepAll removes everything temporary.
func (p *Publisher) sweepAll() error {
	for _, dir := range []string{p.Dir, filepath.Join(p.Dir, snapshot.HierarchyDir), filepath.Join(p.Dir, snapshot.PrunedDir)} {
		if err := p.sweep(dir, snapshot.Temporary); err != nil {
			return err
		}
	}
	if p.Ledger == "" {
		return nil
	}
	err := p.sweep(filepath.Dir(p.Ledger), temporaryName(filepath.Base(p.Ledger), ""))
	if errors.Is(err, fs.ErrPermission) && !p.Beside { // a directory that may not be read keeps what a crash left; nobody else adds to it
		return nil
	}
	return err
}

// sweep removes what has a temporary name in a directory. Each loses that name first: a process
// that goes on to rename it while its files are removed would show the rest of them.
func (p *Publisher) sweep(dir, prefix string) error {
	names, err := p.FS.ReadDir(dir)
	if err != nil && !notExist(err) {
		return err
	}
	if err := p.fence(); err != nil { // else what was listed is not of a process behind this one
		return err
	}
	gone := filepath.Join(dir, temporaryName("gone", p.Owner))
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if err := p.FS.RemoveAll(gone); err != nil {
			return err
		}
		if err := p.FS.Rename(filepath.Join(dir, name), gone); err != nil {
			if notExist(err) { // it has its name now, or somebody else was faster
				continue
			}
			return err
		}
		if err := p.FS.RemoveAll(gone); err != nil {
			return err
		}
	}
	return nil
}

// fencedError says that another process may publish now.
type fencedError struct{ error }

func (e fencedError) Unwrap() error { return e.error }

// fence asks whether this process may still show something.
func (p *Publisher) fence() error {
	if p.Fence == nil {
		return nil
	}
	if err := p.Fence(); err != nil {
		return fencedError{err}
	}
	return nil
}

// blamed is why a step failed. What another process takes away looks like a fault of the
// release, or of the disk.
func (p *Publisher) blamed(err error) error {
	if p.Owner == "" || errors.As(err, new(fencedError)) || errors.Is(err, ErrClosed) {
		return err
	}
	if lost := p.fence(); lost != nil {
		return lost
	}
	return err
}

// clean removes what did not get its name: a rendering may hold what the gate has not passed.
// What cannot be removed now, Open removes. Without an owner, it may be another process's once
// this one is fenced off.
func (b *publication) clean(err error) {
	if b.Owner == "" && errors.As(err, new(fencedError)) {
		return
	}
	_ = b.FS.RemoveAll(b.tmp)
}

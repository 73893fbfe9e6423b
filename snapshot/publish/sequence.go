package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"anond/internal/disk"
	"anond/snapshot"
)

// Sequence takes one release through the durable steps by which it becomes public. The order is written here once: a
// Publisher takes the releases of a state through it, and package shards/union those of all shards.
//
// Guarantee: at every moment, a power cut included, the release either has its name and is what Content wrote and let
// pass, or it has none; CURRENT and the ledger never name a release that has none.
type Sequence struct {
	Directory
	Release uint32
	// Hook runs after each step; an error stops there, as a crash would. For tests; nil in operation.
	Hook func(Step) error
}

// Content is a release as whoever publishes it makes it.
type Content interface {
	// Render writes the release by Stage.
	Render() error
	// Unsynced are the paths that Render made, in the order in which they become durable.
	Unsynced() []string
	// Gate lets the release pass before it gets its name.
	Gate() error
	// Named reports that the release has its name already.
	Named() bool
	// Same demands of a release that has its name that it is the one that was rendered (rule F, forbidden).
	Same() error
	// Record makes the ledger name the release.
	Record() error
}

// Publish renders the release and makes it public. After a failure it may be called again for the same release.
func (s *Sequence) Publish(c Content) error {
	for _, step := range []struct {
		name Step
		do   func() error
	}{{StepRender, c.Render}, {StepGate, c.Gate}, {StepSync, func() error { return s.sync(c) }},
		{StepRename, func() error { return s.rename(c) }}, {StepCurrent, s.NameNewest}, {StepLedger, c.Record}} {
		if err := s.Step(step.name, step.do); err != nil {
			return err
		}
	}
	return nil
}

// Step takes a step, which may be one that only this publisher has. A failure is a *ReleaseError, and removes what has no name.
func (s *Sequence) Step(name Step, do func() error) error {
	err := do()
	if err != nil {
		err = s.blamed(err)
		s.clean(err)
	} else if s.Hook != nil {
		err = s.Hook(name)
	}
	if err != nil {
		return &ReleaseError{Release: s.Release, Step: name, Err: err}
	}
	return nil
}

// named is the release's path, Staged where it stands before it has that.
func (s *Sequence) named() string { return snapshot.DirOf(s.Dir, s.Release) }

// Staged is where the release stands before it has its name.
func (s *Sequence) Staged() string { return s.staged(s.named()) }

// Begin makes the place in which the release is written, where only its owner can read it: the gate has not passed it yet.
func (s *Sequence) Begin() error {
	if err := s.FS.RemoveAll(s.Staged()); err != nil {
		return err
	}
	return s.FS.MkdirPrivate(s.Staged())
}

// Stage writes the release under its temporary name, which Begin has made.
// fill returns the SHA-256 of the manifest. Before anybody judges the release by that, it is read again.
func (s *Sequence) Stage(fill func(dir string) ([32]byte, error)) error {
	dir := s.Staged()
	sum, err := fill(dir)
	if err != nil {
		return err
	}
	return AsWritten(s.FS, filepath.Join(dir, snapshot.ManifestName), sum)
}

// sync makes the release durable, and readable by all: both before it gets its
// name, so that no crash leaves a release that nobody can read. What a link names
// is durable already.
func (s *Sequence) sync(c Content) error {
	if c.Named() {
		return nil
	}
	if err := s.FS.SyncAll(c.Unsynced()); err != nil {
		return err
	}
	if err := s.FS.Publicize(s.Staged()); err != nil {
		return err
	}
	return s.FS.Sync(s.Staged())
}

// rename gives the release its name, which only one process can do.
func (s *Sequence) rename(c Content) error {
	if err := s.fence(); err != nil {
		return err
	}
	named := c.Named()
	if !named {
		err := s.FS.Rename(s.Staged(), s.named())
		if named = Taken(err); err != nil && !named {
			return err
		}
	}
	if named {
		if err := c.Same(); err != nil {
			return err
		}
		if err := s.FS.RemoveAll(s.Staged()); err != nil {
			return err
		}
	}
	// Also on a retry: a name that was seen need not have been durable.
	return s.FS.Sync(s.Dir)
}

// Taken tells that a directory could not get a name because another has it: systems say
// that something exists, or that it is not empty.
func Taken(err error) bool { return errors.Is(err, fs.ErrExist) }

// Directory is where releases become public, next to other processes or not.
type Directory struct {
	FS     snapshot.FS
	Dir    string       // of the releases
	Ledger string       // file; empty: none is kept
	Owner  string       // see Publisher
	Fence  func() error // see Publisher; may be nil
}

// NameNewest makes CURRENT name the newest release. Who was slow, or publishes a release again, may have another behind it, or
// may write an older number than another process has meanwhile: so it is read again until it is right.
func (d *Directory) NameNewest() error {
	for written := false; ; written = true {
		on, err := snapshot.Scan(d.FS, d.Dir)
		if err != nil {
			return err
		}
		if on.Current >= on.Newest() {
			if written {
				return nil
			}
			return d.FS.Sync(d.Dir) // who wrote it may have been killed
		}
		if err := d.nameCurrent(on.Newest()); err != nil {
			return err
		}
	}
}

func (d *Directory) nameCurrent(release uint32) error {
	return d.Replace(filepath.Join(d.Dir, snapshot.CurrentName), []byte(snapshot.DirName(release)+"\n"))
}

// Replace puts a file in place that others see, at once and durably, unless this process is fenced off.
func (d *Directory) Replace(path string, data []byte) error {
	err := replaceBy(d.FS, path, filepath.Base(d.staged(path)), data, d.fence)
	if err != nil && d.Owner != "" {
		_ = d.FS.RemoveAll(d.staged(path)) // of who is fenced off; else the next start does
	}
	return err
}

// Copy is a file that stands next to the releases, and where it comes from.
type Copy struct {
	snapshot.Copy
	Read func() ([]byte, error)
}

// KeepCopies makes copies durable, each content once: a copy that changed would give old labels a new meaning.
func (d *Directory) KeepCopies(copies []Copy) error {
	if len(copies) == 0 {
		return nil
	}
	dir := filepath.Join(d.Dir, snapshot.HierarchyDir)
	if err := d.FS.MkdirAll(dir); err != nil {
		return err
	}
	for _, c := range copies {
		if err := d.keep(&c); err != nil {
			return fmt.Errorf("%s: %w", c.Of, err)
		}
	}
	// A copy that was there may stem from a run that crashed before this. The
	// directory's own name is made durable with the release's.
	return d.FS.Sync(dir)
}

func (d *Directory) keep(c *Copy) error {
	path := filepath.Join(d.Dir, filepath.FromSlash(c.File))
	switch old, err := d.FS.ReadFile(path); {
	case err == nil && sumText(old) == c.SHA256:
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s has other bytes", ErrDifferent, path)
	case !notExist(err):
		return err
	}
	data, err := c.Read()
	if err != nil {
		return err
	}
	if sumText(data) != c.SHA256 {
		return fmt.Errorf("%w: it is not what the manifest says", snapshot.ErrDamaged)
	}
	return replaceBy(d.FS, path, filepath.Base(d.staged(path)), data, nil)
}

func sumText(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// replaceBy puts a file in place at once and durably: a reader and a crash see the old content or
// the new one. tmp is the name of the temporary file. fence is asked before others see anything;
// nil: nobody is asked.
func replaceBy(files snapshot.FS, path, tmp string, data []byte, fence func() error) error {
	tmp = filepath.Join(filepath.Dir(path), tmp)
	if err := disk.Fill(files, tmp, disk.Bytes(data)); err != nil {
		return err
	}
	if fence != nil {
		if err := fence(); err != nil {
			return err
		}
	}
	return disk.Move(files, tmp, path)
}

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

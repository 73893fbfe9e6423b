package views

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// View is a view next to a releases directory, and follows it. It is not safe for concurrent use.
type View struct {
	Definition
	Dir, Ledger string
	Mode        fs.FileMode // of its directory; 0: that of the releases
	Gate        Gate        // nil: releases get their names unseen
	figures     figures
	passed      uint32 // the release that the gate stands behind; 0: none
	newest      uint32
	created     time.Time // of the newest
	behind      int
}

// Newest is the newest release of the view, and how many it lacks.
func (v *View) Newest() (name string, release uint32, created time.Time, behind int) {
	return v.Name, v.newest, v.created, v.behind
}

// stands notes the newest release.
func (v *View) stands(m *snapshot.Manifest) {
	v.newest = m.Release
	v.created, _ = time.Parse(time.RFC3339, m.CreatedAt)
}

// Gate lets releases of a view pass before they get their names, one behind the other.
type Gate interface {
	Resume(dir string) error // puts it behind a release that has its name; empty: in front of all
	Check(dir string) error
	Commit() // the release that passed Check has its name
}

// errBehind: releases that the view lacks are not there any more.
var errBehind = fmt.Errorf("%w: releases that it lacks were pruned (release.keep): give it another name and directory, "+
	"where its chain begins with the oldest release that is there", ErrDefinition)

// Follow makes the releases of the view up to the one that CURRENT names in the directory of releases. from has that directory and how
// this process writes; its ledger is not looked at.
//
// Guarantee: it goes behind the durable steps of a release and in front of its mark in the state, so whoever was killed between them
// takes the same release through both again: no release is made before the views of the one before are there, and a view that
// is behind at a start is made then. Its own steps are those of a release (publish.Sequence). What it writes is a function of the
// releases and of the view's release before, so a retry writes the same bytes.
func (v *View) Follow(from publish.Directory) error {
	own := from
	own.Dir, own.Ledger = v.Dir, v.Ledger
	on, err := snapshot.Scan(from.FS, from.Dir)
	if err != nil {
		return err
	}
	have, err := snapshot.Scan(own.FS, own.Dir)
	switch {
	case err != nil:
		return fmt.Errorf("view %s: %w", v.Name, err)
	case have.Newest() > on.Current:
		return fmt.Errorf("%w: release %d of view %s", ErrForeign, have.Newest(), v.Name)
	case on.Current == 0:
		return nil
	}
	if err := v.open(own); err != nil {
		return err
	}
	next, first := have.Newest()+1, uint32(0)
	v.behind = int(on.Current - have.Newest())
	if have.Newest() == 0 {
		if next, err = v.begin(from, on); err == nil && next == 0 {
			v.behind = 0
		}
		if err != nil || next == 0 {
			return err
		}
		first, v.behind = next, int(on.Current-next+1)
	} else if first, err = v.repair(from, own, on, have); err != nil {
		return err
	}
	for n := next; n <= on.Current; n++ {
		if !on.Has(n) {
			return errBehind
		}
		if err := v.publish(from, own, n, first); err != nil {
			return fmt.Errorf("view %s: %w", v.Name, err)
		}
		v.behind--
	}
	return v.prune(on, own)
}

// open makes the directory, and removes what an interrupted rendering left.
func (v *View) open(own publish.Directory) error {
	p := publish.Publisher{FS: own.FS, Dir: own.Dir}
	if err := p.Open(); err != nil {
		return fmt.Errorf("view %s: %w", v.Name, err)
	}
	return v.permit(own.Dir)
}

// begin is the first release of the view: the oldest that is there, with all later ones, and no older than its start. 0: none is yet.
func (v *View) begin(from publish.Directory, on *snapshot.Contents) (first uint32, err error) {
	for n := on.Current; on.Has(n); n-- {
		m, _, err := snapshot.ReadManifest(from.FS, from.Dir, n)
		if err != nil {
			return 0, err
		}
		created, err := time.Parse(time.RFC3339, m.CreatedAt)
		if err != nil {
			return 0, fmt.Errorf("%w: created_at of release %d is not a time", snapshot.ErrDamaged, n)
		}
		if created.Before(v.Since) {
			break
		}
		first = n
	}
	return first, nil
}

// ErrForeign: the view is of another chain than the releases, or of more of it than there is. What it has was seen, and cannot be what
// these releases will be.
var ErrForeign = fault.Errorf(fault.Behind, "restore the releases that the view is of; or give the view another name and directory",
	"a view knows other releases than release.dir")

// repair finishes the newest release, which may lack its last steps, and refuses a directory of another definition or of another chain.
func (v *View) repair(from, own publish.Directory, on, have *snapshot.Contents) (first uint32, err error) {
	m, sum, err := snapshot.ReadManifest(own.FS, own.Dir, have.Newest())
	if err != nil {
		return 0, err
	}
	v.stands(m)
	if !v.same(m) {
		return 0, v.wrong("has another definition than the releases in %s", own.Dir)
	}
	of, _, err := on.ManifestOf(from.FS, from.Dir, m.Release)
	if err == nil && (of.CreatedAt != m.CreatedAt || of.Records != m.Records || of.Dataset != m.View.Of) {
		return 0, fmt.Errorf("%w: release %d of view %s", ErrForeign, m.Release, v.Name)
	}
	if err := own.NameNewest(); err != nil {
		return 0, err
	}
	return m.View.First, own.Seal(snapshot.SealOf(m, sum))
}

// publish takes one release of the view through the durable steps.
func (v *View) publish(from, own publish.Directory, n, first uint32) error {
	of, _, err := snapshot.ReadManifest(from.FS, from.Dir, n)
	if err != nil {
		return err
	}
	c, err := v.columns(of, func(file string) ([]byte, error) {
		return own.FS.ReadFile(filepath.Join(from.Dir, filepath.FromSlash(file)))
	})
	if err != nil {
		return err
	}
	s := &publish.Sequence{Directory: own, Release: n}
	p := &publication{View: v, Sequence: s, first: first}
	at := snapshot.DirOf(from.Dir, n)
	p.making = &making{columns: c, of: of, files: publish.NewFiles(own.FS, snapshot.DirOf(own.Dir, n-1), s.Staged()), figures: &v.figures,
		read: func(name string) (io.ReadCloser, error) {
			return own.FS.Open(filepath.Join(at, filepath.FromSlash(name)))
		}}
	v.figures.open = func(name string) (io.ReadCloser, error) {
		return own.FS.Open(filepath.Join(s.Staged(), filepath.FromSlash(name)))
	}
	if n > first {
		if p.making.before, p.previous, err = snapshot.ReadManifest(own.FS, own.Dir, n-1); err != nil {
			return err
		}
	}
	if err := s.Step(publish.StepHierarchies, func() error {
		return cmp.Or(s.Begin(), s.KeepCopies(v.copies(c, from)))
	}); err != nil {
		return err
	}
	if err := s.Publish(p); err != nil {
		return err
	}
	if v.Gate != nil {
		v.Gate.Commit()
		v.passed = n
	}
	v.stands(&p.making.out)
	return nil
}

// copies are the hierarchies and declared references that the view's manifest names.
func (v *View) copies(c *columns, from publish.Directory) (out []publish.Copy) {
	m := snapshot.Manifest{}
	for _, of := range [][]column{c.quasi, c.sensitive} {
		for i := range of {
			m.Schema = append(m.Schema, of[i].SchemaEntry)
		}
	}
	for _, k := range m.Copies() {
		out = append(out, publish.Copy{Copy: k, Read: func() ([]byte, error) {
			return from.FS.ReadFile(filepath.Join(from.Dir, filepath.FromSlash(k.File)))
		}})
	}
	return out
}

// publication is a release of a view: the Content of its sequence.
type publication struct {
	*View
	*publish.Sequence
	making   *making
	first    uint32
	previous [32]byte
	sum      [32]byte
}

// Render implements publish.Content.
func (p *publication) Render() error {
	return p.Stage(func(string) (sum [32]byte, err error) {
		p.sum, err = p.make(p.making, p.first, p.previous)
		return p.sum, err
	})
}

// Unsynced implements publish.Content.
func (p *publication) Unsynced() []string { return p.making.files.Unsynced() }

// Gate implements publish.Content. Who is in the classes of a view is not said, so the gate is one that needs no placements.
func (p *publication) Gate() error {
	if p.View.Gate == nil {
		return nil
	}
	before, dir := p.Release-1, snapshot.DirOf(p.Dir, p.Release-1)
	if p.Release == p.first {
		before, dir = 0, ""
	}
	if p.passed != before {
		if err := p.View.Gate.Resume(dir); err != nil {
			return fmt.Errorf("the release before: %w", err)
		}
		p.passed = before
	}
	return p.View.Gate.Check(p.Staged())
}

// Named implements publish.Content: only what is not there is made.
func (p *publication) Named() bool { return false }

// Same implements publish.Content: another process has given the release its name meanwhile.
func (p *publication) Same() error {
	_, sum, err := snapshot.ReadManifest(p.FS, p.Dir, p.Release)
	if err == nil && sum != p.sum {
		err = publish.ErrDifferent
	}
	return err
}

// Record implements publish.Content.
func (p *publication) Record() error { return p.Seal(snapshot.SealOf(&p.making.out, p.sum)) }

// prune removes the releases of the view that were pruned where they come from.
func (v *View) prune(on *snapshot.Contents, own publish.Directory) error {
	run := publish.Pruning{FS: own.FS, Dir: own.Dir, Keep: publish.KeepRule{Releases: len(on.Releases)}, Fence: own.Fence, Marked: on.Current,
		Published: func(n uint32) (sum [32]byte, ok bool) {
			_, sum, err := snapshot.ReadManifest(own.FS, own.Dir, n)
			return sum, err == nil
		}}
	if own.Owner != "" {
		run.Owner = "-" + own.Owner
	}
	return run.Run(time.Time{})
}

// permit gives the directory the mode of the view. A file system that stands in for the system's has no modes.
func (v *View) permit(dir string) error {
	if v.Mode == 0 {
		return nil
	}
	if err := os.Chmod(dir, v.Mode); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

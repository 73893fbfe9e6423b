package snapshot

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Gate looks at the rendered files before they get their name.
type Gate interface {
	// Check returns nil to let the release in dir pass, an error that wraps
	// ErrRefused if a promise does not hold, and any other error if it could
	// not be checked. Either error keeps the release from being published. On a
	// retry the release may have its name already, and dir is that. placed says who
	// is in which class of the parts that this release writes of records; parts that
	// it takes over from the release before, or joins, are not among them.
	Check(dir string, placed []Placement) error
}

// Publisher makes releases durable, one at a time.
//
// Guarantee: at every moment, a power cut included, a release either has its
// name and is complete, passed by the gate and never changed again, or it has
// none; CURRENT and the ledger never name a release that has none. What was
// interrupted is taken up again by publishing the same intent: the same bytes
// are rendered, compared with what has its name already, and the missing steps
// are done.
type Publisher struct {
	FS     FS
	Dir    string // releases directory
	Ledger string // ledger file, possibly on another disk; empty: none is kept
	Gate   Gate
	// Fence is asked before each step that others see: the name, CURRENT, the
	// ledger. Its error says that another process may publish now; nothing is
	// touched after it. May be nil.
	Fence func() error
	// Hook runs after each step; an error stops there, as a crash would. For
	// tests; nil in operation.
	Hook func(Step) error

	// at is the newest release that this process published or resumed; made by Open,
	// shared by copies.
	at *place
}

type place struct{ *standing }

// Open makes the releases directory and removes what an interrupted rendering
// left. Call it once at start, before Reconcile.
func (p *Publisher) Open() error {
	if err := p.FS.MkdirAll(p.Dir); err != nil {
		return fmt.Errorf("make the releases directory: %w", err)
	}
	if err := p.FS.Sync(filepath.Dir(p.Dir)); err != nil {
		return fmt.Errorf("make the releases directory: %w", err)
	}
	p.at = &place{}
	names, err := p.FS.ReadDir(p.Dir)
	if err != nil {
		return fmt.Errorf("read the releases directory: %w", err)
	}
	for _, name := range names {
		if isTemporary(name) {
			if err := p.FS.RemoveAll(filepath.Join(p.Dir, name)); err != nil {
				return fmt.Errorf("remove a stale rendering: %w", err)
			}
		}
	}
	return nil
}

// publication is one run of the steps.
type publication struct {
	*Publisher
	input    *Input
	settings *Settings
	release  uint32
	tmp, dir string
	from     *standing // of the release before
	files    *releaseFiles
	done     bool      // the release has its name already
	recorded *[32]byte // what the ledger says of it already, if it does
	out      *Rendered
}

// Publish takes the input through all steps. It may be called again after any
// failure. Errors are a *ReleaseError; see the classes ErrRefused, ErrDifferent,
// ErrBehind.
func (p *Publisher) Publish(in *Input, s *Settings) (*Rendered, error) {
	n := in.Release
	b := &publication{Publisher: p, input: in, settings: s, release: n,
		tmp: filepath.Join(p.Dir, temporary+dirName(n)), dir: filepath.Join(p.Dir, dirName(n))}
	steps := []struct {
		name Step
		do   func() error
	}{
		{StepCheck, b.check}, {StepHierarchies, b.hierarchies}, {StepRender, b.render}, {StepGate, b.gate},
		{StepSync, b.sync}, {StepRename, b.rename}, {StepCurrent, b.current}, {StepLedger, b.ledger},
	}
	for _, step := range steps {
		if err := p.fenced(step.name); err != nil {
			return nil, &ReleaseError{Release: n, Step: step.name, Err: err} // the rendering may be another process's by now
		}
		if err := step.do(); err != nil {
			b.clean()
			return nil, &ReleaseError{Release: n, Step: step.name, Err: err}
		}
		if p.Hook != nil {
			if err := p.Hook(step.name); err != nil {
				return nil, &ReleaseError{Release: n, Step: step.name, Err: err}
			}
		}
	}
	b.out.next.settle(b.out, s.Policy.Republication, len(in.SA))
	if p.at != nil {
		p.at.standing = b.out.next
	}
	return b.out, nil
}

func (p *Publisher) fenced(s Step) error {
	if p.Fence == nil || s != StepRename && s != StepCurrent && s != StepLedger {
		return nil
	}
	return p.Fence()
}

// clean removes the rendering that did not get its name: it holds data that the
// gate has not passed. What cannot be removed now, Open removes.
func (b *publication) clean() { _ = b.FS.RemoveAll(b.tmp) }

// check holds the witnesses against the release: none may be ahead, and the
// chain must reach the release before. It reads the end of the chain that the
// new manifest is tied to.
func (b *publication) check() error {
	on, err := scan(b.FS, b.Dir)
	if err != nil {
		return err
	}
	if newest := max(on.newest(), on.current); newest > b.release {
		return &BehindError{State: b.release, Witness: "the releases directory", Release: newest}
	}
	if b.done = on.has(b.release); b.done {
		if err := b.likeBefore(); err != nil {
			return err
		}
	}
	ledger := &ledger{}
	if b.Ledger != "" {
		if ledger, err = readLedger(b.FS, b.Ledger); err != nil {
			return err
		}
	}
	newest := ledger.newest()
	if newest.Release > b.release {
		return &BehindError{State: b.release, Witness: "the ledger", Release: newest.Release}
	}
	if newest.Release+1 < b.release {
		return fmt.Errorf("%w: the ledger ends at release %d: state holds the missing lines, a restart writes them", ErrDamaged, newest.Release)
	}
	if sum, ok := ledger.find(b.release); ok {
		b.recorded = &sum
	}
	if err := b.before(); err != nil {
		return err
	}
	if want, ok := ledger.find(b.release - 1); ok && want != b.from.sha256 {
		return fmt.Errorf("%w: the manifest of release %d is not the one the ledger names", ErrDamaged, b.release-1)
	}
	return nil
}

// hierarchies copies the hierarchy files, each content once: a copy that changed
// would give old labels a new meaning.
func (b *publication) hierarchies() error {
	if len(b.settings.Hierarchies) == 0 {
		return nil
	}
	dir := filepath.Join(b.Dir, hierarchyDir)
	if err := b.FS.MkdirAll(dir); err != nil {
		return err
	}
	for i := range b.settings.Hierarchies {
		h := &b.settings.Hierarchies[i]
		path := filepath.Join(b.Dir, filepath.FromSlash(h.copyName()))
		old, err := b.FS.ReadFile(path)
		switch {
		case err == nil && sha(old) == sha(h.Content):
			continue
		case err == nil:
			return fmt.Errorf("%w: %s differs from the hierarchy of attribute %q", ErrDifferent, path, h.Attribute)
		case !notExist(err):
			return err
		}
		if err := replaceFile(b.FS, path, h.Content); err != nil {
			return err
		}
	}
	// A copy that was there may stem from a run that crashed before this. The
	// directory's own name is made durable with the release's.
	return b.FS.Sync(dir)
}

// render writes the release under its temporary name, where only its owner can
// read it: the gate has not passed it yet. A release that has its name already
// must have the very same bytes (rule F, forbidden).
func (b *publication) render() error {
	if err := b.FS.RemoveAll(b.tmp); err != nil {
		return err
	}
	if err := b.FS.MkdirPrivate(b.tmp); err != nil {
		return err
	}
	b.files = &releaseFiles{FS: b.FS, to: b.tmp, from: dirOf(b.Dir, b.release-1), dirs: map[string]bool{}}
	var err error
	if b.out, err = render(b.input, b.settings, b.from, b.files); err != nil {
		return err
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
	if !b.done {
		if err := b.FS.Rename(b.tmp, b.dir); err != nil {
			return err
		}
	}
	// Also on a retry: a name that was seen need not have been durable.
	return b.FS.Sync(b.Dir)
}

func (b *publication) current() error {
	return replaceFile(b.FS, filepath.Join(b.Dir, currentName), []byte(dirName(b.release)+"\n"))
}

func (b *publication) ledger() error {
	if b.Ledger == "" {
		return nil
	}
	return appendLedger(b.FS, b.Ledger, []LedgerEntry{{Release: b.release, SHA256: b.out.SHA256}})
}

// Refuse makes the error by which a gate refuses a release.
func Refuse(reason error) error { return errors.Join(ErrRefused, reason) }

package publish

import (
	"fmt"

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

// copies makes the files that stand next to the releases. Whoever looks meanwhile sees that a release is in progress, which may name
// what none names yet.
func (b *publication) copies() error {
	if err := b.steps.Begin(); err != nil {
		return err
	}
	var copies []Copy
	for _, c := range b.settings.Copies() {
		copies = append(copies, Copy{c.Copy, func() ([]byte, error) { return c.Content, nil }})
	}
	return b.steps.KeepCopies(copies)
}

// Render implements Content. A release that has its name already must have the very same bytes (rule F, forbidden).
func (b *publication) Render() error {
	err := b.steps.Stage(func(dir string) (sum [32]byte, err error) {
		b.files = NewFiles(b.FS, snapshot.DirOf(b.Dir, b.release-1), dir)
		if b.out, err = render.Render(b.input, b.settings, b.from, b.files); err != nil {
			return sum, err
		}
		return b.out.SHA256, nil
	})
	switch {
	case err != nil:
		return err
	case b.Repeats != nil && (*b.Repeats != b.out.SHA256 || b.recorded != nil && *b.recorded != *b.Repeats):
		return ErrOtherHistory
	case b.recorded != nil && *b.recorded != b.out.SHA256:
		return fmt.Errorf("%w: the ledger has another manifest of it", ErrDifferent)
	case b.done:
		return b.compare()
	}
	return nil
}

// compare holds the release that has its name against what was rendered, which nobody needs then.
func (b *publication) compare() error {
	if err := sameTree(b.FS, b.steps.named(), b.steps.Staged()); err != nil {
		return err
	}
	return b.FS.RemoveAll(b.steps.Staged())
}

// Unsynced implements Content.
func (b *publication) Unsynced() []string { return b.files.Unsynced() }

// Gate implements Content. It shows the gate the release, also one that has its name already: a gate
// that carries its certificate along must see each release of the chain.
func (b *publication) Gate() error {
	dir := b.steps.Staged()
	if b.done {
		dir = b.steps.named()
	}
	return b.Publisher.Gate.Check(dir, b.out.Placed)
}

// Named implements Content.
func (b *publication) Named() bool { return b.done }

// Same implements Content. It goes on behind a process that has published the same release since check: the gate sees the files
// that there are.
func (b *publication) Same() error {
	if b.done {
		return nil
	}
	if err := b.compare(); err != nil {
		return err
	}
	b.done = true
	return b.Gate()
}

// Record implements Content. Where one process alone adds lines, they are appended.
func (b *publication) Record() error {
	e := snapshot.SealOf(&b.out.Manifest, b.out.SHA256)
	if of := b.input.Committed; of != nil {
		e.Algorithm, e.Digests = of.Algorithm, of.Digests
	}
	return b.steps.Seal(e)
}

package verify

import (
	"fmt"

	"anond/internal/fault"
	"anond/snapshot"
)

// DamageError is ErrDamaged with the file that is not what anond published, and
// the way out.
type DamageError struct {
	First  Finding
	Faults int
}

func (e *DamageError) Error() string {
	more := ""
	if e.Faults > 1 {
		more = fmt.Sprintf(" (the first of %d faults)", e.Faults)
	}
	return fmt.Sprintf("%v: %s: %s%s", snapshot.ErrDamaged, e.First.File, e.First.Detail, more)
}

// Unwrap makes errors.Is(err, ErrDamaged) true.
func (e *DamageError) Unwrap() error { return snapshot.ErrDamaged }

// Fault implements fault.Fault.
func (e *DamageError) Fault() (fault.Kind, string) { return fault.Failed, e.hint() }

func (e *DamageError) hint() string {
	switch e.First.Kind {
	case FindUnexpectedFile:
		return "move the file away: a release never changes, and what its manifest does not name is no part of it"
	case FindMissingFile:
		return "bring the file back from a copy of the releases; anond release verify lists every fault"
	}
	return "the file was changed after its publication: bring it back from a copy of the releases; anond release verify lists every fault"
}

// Release holds the files of one published release against its manifest,
// and the manifest against what state and ledger know of it. It returns a
// DamageError if anything differs.
func Release(files snapshot.FS, dir string, published snapshot.LedgerEntry) error {
	v := newVerifier(files, dir)
	v.published(published)
	if n := len(v.out.Findings); n > 0 {
		return &DamageError{First: v.out.Findings[0], Faults: n}
	}
	return nil
}

// published checks a release whose manifest is known from elsewhere, so that no
// other release need be read.
func (v *verifier) published(want snapshot.LedgerEntry) {
	v.out.Releases++
	n := want.Release
	names, err := v.ReadDir(snapshot.DirOf(v.dir, n))
	switch {
	case notExist(err):
		v.gone(want)
		return
	case err != nil:
		v.find(n, snapshot.DirName(n), FindUnreadable, "%v", err)
		return
	}
	path := snapshot.DirName(n) + "/" + snapshot.ManifestName
	m, sum, err := snapshot.ReadManifest(v.FS, v.dir, n)
	switch {
	case notExist(err):
		v.find(n, path, FindMissingFile, "every release has one")
	case err != nil:
		v.find(n, path, FindUnreadable, "%v", err)
	case sum != want.SHA256:
		v.find(n, path, FindHash, "it is not the manifest that was published: the state knows another SHA-256")
	default:
		v.files(n, m, names)
		v.copies(n, m)
	}
}

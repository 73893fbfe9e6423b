package verify

import (
	"bytes"
	"path/filepath"
	"slices"

	"anond/snapshot"
)

// prunedNames looks at what is left of pruned releases: manifests alone, of the oldest
// releases. A release that is missing between others was not pruned.
func (v *verifier) prunedNames(on *snapshot.Contents) {
	names, err := v.ReadDir(filepath.Join(v.dir, snapshot.PrunedDir))
	if err != nil && !notExist(err) {
		v.find(0, snapshot.PrunedDir, FindUnreadable, "%v", err)
	}
	for _, name := range names {
		n, ok := snapshot.ParsePrunedName(name)
		switch {
		case ok && on.Has(n):
			v.begun(n)
		case !ok && !snapshot.IsTemporary(name):
			v.find(0, snapshot.PrunedDir+"/"+name, FindUnexpectedFile, "it is the manifest of no release")
		}
	}
	for _, n := range on.Pruned {
		if len(on.Releases) == 0 || n > on.Releases[0] {
			v.find(n, snapshot.DirName(n), FindMissingFile, "releases are pruned oldest first, so this one was not: it was removed in another way")
		}
	}
}

// begun compares the manifest of a release whose pruning was begun: nothing but a copy was
// made yet.
func (v *verifier) begun(n uint32) {
	copied, err := v.ReadFile(snapshot.PrunedPath(v.dir, n))
	if err != nil {
		v.find(n, snapshot.PrunedName(n), FindUnreadable, "%v", err)
		return
	}
	own, err := v.ReadFile(filepath.Join(snapshot.DirOf(v.dir, n), snapshot.ManifestName))
	if err == nil && !bytes.Equal(copied, own) {
		v.find(n, snapshot.PrunedName(n), FindHash, "it is not the manifest of release %d", n)
	}
}

// gone checks a release that has no directory: it was pruned if the manifest is there that
// was published, and if no older release has a directory.
func (v *verifier) gone(want snapshot.LedgerEntry) {
	n := want.Release
	on, err := snapshot.Scan(v.FS, v.dir)
	if err != nil || !on.IsPruned(n) || len(on.Releases) == 0 || on.Releases[0] < n {
		v.find(n, snapshot.DirName(n), FindMissingFile, "the release was published and is not there")
		return
	}
	m, sum, err := on.ManifestOf(v.FS, v.dir, n)
	switch {
	case err != nil:
		v.find(n, snapshot.PrunedName(n), FindUnreadable, "%v", err)
	case sum != want.SHA256:
		v.find(n, snapshot.PrunedName(n), FindHash, "it is not the manifest that was published: the state knows another SHA-256")
	default:
		v.out.Releases--
		v.out.Pruned++
		v.copies(n, m)
	}
}

// prunedMeanwhile takes back what was found of releases that a running daemon has pruned
// while they were looked at.
func (v *verifier) prunedMeanwhile(on *snapshot.Contents) {
	again, err := snapshot.Scan(v.FS, v.dir)
	if err != nil {
		return
	}
	v.out.Findings = slices.DeleteFunc(v.out.Findings, func(f Finding) bool {
		return on.Has(f.Release) && again.IsPruned(f.Release)
	})
}

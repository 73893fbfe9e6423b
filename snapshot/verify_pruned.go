package snapshot

import (
	"bytes"
	"path/filepath"
	"slices"
)

// prunedNames looks at what is left of pruned releases: manifests alone, of the oldest
// releases. A release that is missing between others was not pruned.
func (v *verifier) prunedNames(on *content) {
	names, err := v.ReadDir(filepath.Join(v.dir, prunedDir))
	if err != nil && !notExist(err) {
		v.find(0, prunedDir, FindUnreadable, "%v", err)
	}
	for _, name := range names {
		n, ok := parsePrunedName(name)
		switch {
		case ok && on.has(n):
			v.begun(n)
		case !ok && !isTemporary(name):
			v.find(0, prunedDir+"/"+name, FindUnexpectedFile, "it is the manifest of no release")
		}
	}
	for _, n := range on.pruned {
		if len(on.releases) == 0 || n > on.releases[0] {
			v.find(n, dirName(n), FindMissingFile, "releases are pruned oldest first, so this one was not: it was removed in another way")
		}
	}
}

// begun compares the manifest of a release whose pruning was begun: nothing but a copy was
// made yet.
func (v *verifier) begun(n uint32) {
	copied, err := v.ReadFile(prunedPath(v.dir, n))
	if err != nil {
		v.find(n, prunedName(n), FindUnreadable, "%v", err)
		return
	}
	own, err := v.ReadFile(filepath.Join(dirOf(v.dir, n), manifestName))
	if err == nil && !bytes.Equal(copied, own) {
		v.find(n, prunedName(n), FindHash, "it is not the manifest of release %d", n)
	}
}

// gone checks a release that has no directory: it was pruned if the manifest is there that
// was published, and if no older release has a directory.
func (v *verifier) gone(want LedgerEntry) {
	n := want.Release
	on, err := scan(v.FS, v.dir)
	if err != nil || !on.isPruned(n) || len(on.releases) == 0 || on.releases[0] < n {
		v.find(n, dirName(n), FindMissingFile, "the release was published and is not there")
		return
	}
	m, sum, err := on.manifestOf(v.FS, v.dir, n)
	switch {
	case err != nil:
		v.find(n, prunedName(n), FindUnreadable, "%v", err)
	case sum != want.SHA256:
		v.find(n, prunedName(n), FindHash, "it is not the manifest that was published: the state knows another SHA-256")
	default:
		v.out.Releases--
		v.out.Pruned++
		v.copies(n, m)
	}
}

// prunedMeanwhile takes back what was found of releases that a running daemon has pruned
// while they were looked at.
func (v *verifier) prunedMeanwhile(on *content) {
	again, err := scan(v.FS, v.dir)
	if err != nil {
		return
	}
	v.out.Findings = slices.DeleteFunc(v.out.Findings, func(f Finding) bool {
		return on.has(f.Release) && again.isPruned(f.Release)
	})
}

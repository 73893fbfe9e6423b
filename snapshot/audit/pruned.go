package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manifestPath is where the manifest of a release is.
func (in *input) manifestPath(number int) string {
	if slices.Contains(in.pruned, number) {
		return filepath.Join(in.dir, prunedDir, dirName(number)+".json")
	}
	return filepath.Join(in.dir, dirName(number), "manifest.json")
}

// manifest reads the manifest of a release.
func (in *input) manifest(number int) (*Manifest, error) {
	path := in.manifestPath(number)
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	man, err := parseManifest(path, data)
	if err == nil && slices.Contains(in.pruned, number) {
		man.pruned = in.vault
	}
	return man, err
}

// listPruned gives the numbers of the releases whose manifest alone is left, ascending.
func listPruned(dir string, here []int) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, prunedDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &unreadableError{File: filepath.Join(dir, prunedDir), Reason: "cannot be listed", Err: err}
	}
	var numbers []int
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		// A manifest next to the directory of its release: pruning was begun.
		if n := parseDirName(name); ok && n > 0 && !slices.Contains(here, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// checkPruned finds releases that were not pruned but removed in another way: releases are
// pruned oldest first. It lists nothing else; checkLink finds numbers that are missing.
func (in *input) checkPruned(f *faults) {
	gone := 0
	for _, n := range in.pruned {
		if n > in.here[0] {
			gone++
			f.add("chain", kindReleaseMissing, n, 0, "", "a release has no files, and an older one has: releases are pruned oldest first")
		}
	}
	if gone > 0 {
		in.vault = &vault{lack: "releases are missing between others"}
	}
}

// fill looks for all files of the pruned releases.
func (in *input) fill(f *faults) error {
	if len(in.pruned) == 0 || in.vault != nil {
		return nil
	}
	in.vault = &vault{files: map[string]stored{}}
	earlier := map[int]*Manifest{}
	for _, n := range in.pruned {
		man, err := in.manifest(n)
		if err != nil {
			return err
		}
		earlier[n] = man
	}
	oldest, err := in.manifest(in.here[0])
	if err != nil {
		return err
	}
	u := &undoing{s: in.s, vault: in.vault, earlier: earlier, done: map[*Part]bool{}}
	if err := u.all(filepath.Join(in.dir, dirName(in.here[0])), oldest); err != nil {
		return err
	}
	in.vault.check(in.pruned, earlier, oldest, u.differs, f)
	return nil
}

// ranges names releases that were pruned, which are the oldest.
func ranges(numbers []int) string {
	first, last := numbers[0], numbers[len(numbers)-1]
	if first == last {
		return fmt.Sprintf("release %d", first)
	}
	return fmt.Sprintf("releases %d to %d", first, last)
}

// unseenLineage compares the parts of a release with those of a pruned one before it, by
// what the manifests say of them, where its files were not seen.
func (a *auditor) unseenLineage(before, man *Manifest) {
	if before != nil && before.pruned != nil && before.pruned.lack != "" {
		follow(before, man, &a.f)
	}
}

// subjects tests rule S (subjects) across classes: nobody has a second published record.
func (a *auditor) subjects(k *linkage) {
	if a.in.records == nil || a.in.records.subject == nil {
		return
	}
	published, twice := map[uint32]int{}, 0
	for rec, t := range k.typ {
		if t > 0 && rec < a.in.records.n && a.in.records.known[rec] {
			subject := a.in.records.subject[rec]
			if published[subject]++; published[subject] == 2 {
				twice++
			}
		}
	}
	a.f.addN("S", kindSubjectTwice, a.views[len(a.views)-1].rel.num, 0, "", "a subject has several published records", twice)
}

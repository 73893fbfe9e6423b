package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// manifestPath is where the manifest of a release is.
func (in *input) manifestPath(number int) string {
	if slices.Contains(in.pruned, number) {
		return filepath.Join(in.dir, format.PrunedDir, format.DirName(number)+".json")
	}
	return filepath.Join(in.dir, format.DirName(number), "manifest.json")
}

// manifest reads the manifest of a release.
func (in *input) manifest(number int) (*format.Manifest, error) {
	path := in.manifestPath(number)
	data, err := format.ReadFile(path)
	if err != nil {
		return nil, err
	}
	man, err := format.ParseManifest(path, data)
	if err == nil && slices.Contains(in.pruned, number) {
		man.Pruned = in.vault
	}
	return man, err
}

// listPruned gives the numbers of the releases whose manifest alone is left, ascending.
func listPruned(dir string, here []int) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, format.PrunedDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &format.UnreadableError{File: filepath.Join(dir, format.PrunedDir), Reason: "cannot be listed", Err: err}
	}
	var numbers []int
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		// A manifest next to the directory of its release: pruning was begun.
		if n := format.ParseDirName(name); ok && n > 0 && !slices.Contains(here, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// checkPruned finds releases that were not pruned but removed in another way: releases are
// pruned oldest first. It lists nothing else; checkLink finds numbers that are missing.
func (in *input) checkPruned(f *format.Faults) {
	gone := 0
	for _, n := range in.pruned {
		if n > in.here[0] {
			gone++
			f.Add("chain", format.KindReleaseMissing, n, 0, "", "a release has no files, and an older one has: releases are pruned oldest first")
		}
	}
	if gone > 0 {
		in.vault = &format.Vault{Lack: "releases are missing between others"}
	}
}

// fill looks for all files of the pruned releases.
func (in *input) fill(o Options, f *format.Faults) error {
	if len(in.pruned) == 0 || in.vault != nil {
		return nil
	}
	in.vault = &format.Vault{Files: map[string]format.Stored{}}
	earlier := map[int]*format.Manifest{}
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
	if oldest.Expired > 0 || oldest.Withdraws() {
		s, err := readSeals(o.Ledger)
		if err != nil {
			return err
		}
		s.first = in.first.First()
		in.vouched = s.seal(in.here[0])
		in.vault = &format.Vault{Lack: "parts or buckets of theirs have left since"}
		return nil
	}
	u := &table.Undoing{S: in.s, Vault: in.vault, Earlier: earlier, Done: map[*format.Part]bool{}}
	if err := u.All(filepath.Join(in.dir, format.DirName(in.here[0])), oldest); err != nil {
		return err
	}
	in.vault.Check(in.pruned, earlier, oldest, u.Differs, f)
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
func (a *auditor) unseenLineage(before, man *format.Manifest) {
	if before == nil || before.Pruned == nil || before.Pruned.Lack == "" || before.Release != man.Release-1 {
		return
	}
	for _, s := range man.ByEra() {
		format.Follow(s.Earlier(before), s, &a.f)
	}
}

// subjects tests rule S (subjects) across classes: nobody has a second published record. published is by record in how many eras it is.
func (a *auditor) subjects(published []uint8) {
	twice, again, of := 0, 0, map[uint32]int{}
	for rec, eras := range published {
		if eras > 1 {
			again++
		}
		if eras > 0 && a.in.records != nil && a.in.records.Subject != nil && rec < a.in.records.N && a.in.records.Known[rec] {
			subject := a.in.records.Subject[rec]
			if of[subject]++; of[subject] == 2 {
				twice++
			}
		}
	}
	newest := a.report.Releases[len(a.report.Releases)-1].Release
	a.f.AddN("S", format.KindSubjectTwice, newest, 0, "", "a subject has several published records", twice)
	a.f.AddN("S", format.KindRecordTwice, newest, 0, "", "a record is in parts of two eras", again)
}

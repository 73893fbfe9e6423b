package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit/chain"
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
	if before != nil && before.Pruned != nil && before.Pruned.Lack != "" && before.Release == man.Release-1 {
		format.Follow(before, man, &a.f)
	}
}

// subjects tests rule S (subjects) across classes: nobody has a second published record.
func (a *auditor) subjects(k *chain.Linkage) {
	if a.in.records == nil || a.in.records.Subject == nil {
		return
	}
	published, twice := map[uint32]int{}, 0
	for rec, t := range k.Typ {
		if t > 0 && rec < a.in.records.N && a.in.records.Known[rec] {
			subject := a.in.records.Subject[rec]
			if published[subject]++; published[subject] == 2 {
				twice++
			}
		}
	}
	a.f.AddN("S", format.KindSubjectTwice, a.views[len(a.views)-1].Rel.Num, 0, "", "a subject has several published records", twice)
}

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

// A release may have been pruned: its directory is gone, and its manifest is kept as it
// was, as pruned/000003.json. The manifests are chained by their hashes as ever, and each
// names the hashes of the files that its release had.
//
// Guarantee: a file of a pruned release is taken for seen only if its bytes were put
// together from those of a release that has its directory, and have the hash that its
// manifest names. Then the release is audited as if it lay there. Where one file of one
// pruned release cannot be had so, none of them counts as seen, the report says so, and
// nothing is certified.
//
// Method: no row ever leaves (rule N), also those of classes that were regrouped since. So
// every part that was ever published stands in the oldest release that has its directory,
// as it was or in a compaction. A compaction holds the rows of the parts it replaces one
// after another, with numbers of classes and buckets shifted: undo.go shifts them back.
const prunedDir = "pruned"

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

// vault has the files of pruned releases, by hash.
type vault struct {
	files map[string]stored
	lack  string // why a file of one of them cannot be had; empty: all are there
}

// stored is a file, or bytes that were put together from one.
type stored struct {
	path string
	data []byte
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

// check demands every file of every pruned release. Where a compaction was undone and does
// not give the bytes that were published, it does not hold what it says that it holds.
func (v *vault) check(numbers []int, earlier map[int]*Manifest, oldest *Manifest, differs []Replaced, f *faults) {
	for _, r := range differs {
		f.add("A", kindCompaction, oldest.Release, r.FirstClass, "",
			"a compaction does not hold the classes and buckets of the parts it replaces, as they were")
		v.lack = "a compaction does not hold their rows as they were"
	}
	for _, n := range numbers {
		man := earlier[n]
		for i := range man.Parts {
			for _, e := range man.Parts[i].Files {
				if _, ok := v.files[e.SHA256]; !ok && v.lack == "" {
					v.lack = "not every file that their manifests name is in release " + dirName(oldest.Release)
				}
			}
		}
	}
}

// read gives the bytes with a hash.
func (v *vault) read(sha string) ([]byte, error) {
	at, ok := v.files[sha]
	if !ok {
		return nil, &unreadableError{File: prunedDir, Reason: "a file of a pruned release cannot be put together"}
	}
	if at.path == "" {
		return at.data, nil
	}
	data, err := readFile(at.path)
	if err == nil && hexSHA(data) != sha {
		return nil, unreadable(at.path, 0, "was replaced while it was read")
	}
	return data, err
}

// readPruned is read of a part whose release was pruned.
func (p *Part) readPruned(man *Manifest) (files partFiles, paths []string, data [][]byte, err error) {
	for _, name := range man.dataFiles() {
		sha := p.sha(name)
		bytes, err := man.pruned.read(sha)
		if err != nil {
			return nil, nil, nil, err
		}
		files, data = append(files, hashed{sha: hexSHA(bytes)}), append(data, bytes)
		paths = append(paths, filepath.Join(dirName(man.Release), p.Name, name))
	}
	return files, paths, data, nil
}

// keepPruned is keep of such a part: it stood in the release before with the same hashes, or
// it is reported.
func (p *Part) keepPruned(man *Manifest, before partFiles, f *faults) (files partFiles) {
	for i, name := range man.dataFiles() {
		if p.sha(name) != before[i].sha {
			f.add("files", kindHashMismatch, man.Release, 0, name, "the file is not the one the manifest names")
		}
		files = append(files, hashed{sha: before[i].sha})
	}
	return files
}

// sha is the hash that an entry names for a file; empty: it names none.
func (p *Part) sha(name string) string {
	for _, e := range p.Files {
		if e.Name == name {
			return e.SHA256
		}
	}
	return ""
}

// prunedOnes says what became of pruned releases.
func (a *auditor) prunedOnes() {
	in := a.in
	a.report.Pruned = in.pruned
	if in.vault == nil {
		return
	}
	if in.vault.lack != "" {
		a.unseen, a.linked = true, false
		a.skip("the files of %s, which were pruned: %s. Their manifests were checked. What the chain shows together with them, "+
			"classes that were regrouped since among it, was not: certificates, attackers, and what release %d added",
			ranges(in.pruned), in.vault.lack, in.here[0])
		return
	}
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

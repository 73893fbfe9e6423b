package audit

import (
	"path/filepath"
)

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

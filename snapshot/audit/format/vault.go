package format

import (
	"path/filepath"
)

// Vault has the files of pruned releases, by hash.
type Vault struct {
	Files map[string]Stored
	Lack  string // why a file of one of them cannot be had; empty: all are there
}

// Stored is a file, or bytes that were put together from one.
type Stored struct {
	Path string
	Data []byte
}

// Check demands every file of every pruned release. Where a compaction was undone and does
// not give the bytes that were published, it does not hold what it says that it holds.
func (v *Vault) Check(numbers []int, earlier map[int]*Manifest, oldest *Manifest, differs []Replaced, f *Faults) {
	for _, r := range differs {
		f.Add("A", KindCompaction, oldest.Release, r.FirstClass, "",
			"a compaction does not hold the classes and buckets of the parts it replaces, as they were")
		v.Lack = "a compaction does not hold their rows as they were"
	}
	for _, n := range numbers {
		man := earlier[n]
		for i := range man.Parts {
			for _, e := range man.Parts[i].Files {
				if _, ok := v.Files[e.SHA256]; !ok && v.Lack == "" {
					v.Lack = "not every file that their manifests name is in release " + DirName(oldest.Release)
				}
			}
		}
	}
}

// Read gives the bytes with a hash.
func (v *Vault) Read(sha string) ([]byte, error) {
	at, ok := v.Files[sha]
	if !ok {
		return nil, &UnreadableError{File: PrunedDir, Reason: "a file of a pruned release cannot be put together"}
	}
	if at.Path == "" {
		return at.Data, nil
	}
	data, err := ReadFile(at.Path)
	if err == nil && HexSHA(data) != sha {
		return nil, Unreadable(at.Path, 0, "was replaced while it was read")
	}
	return data, err
}

// readPruned is read of a part whose release was pruned.
func (p *Part) readPruned(man *Manifest) (files PartFiles, paths []string, data [][]byte, err error) {
	for _, name := range man.DataFiles() {
		sha := p.Sha(name)
		bytes, err := man.Pruned.Read(sha)
		if err != nil {
			return nil, nil, nil, err
		}
		files, data = append(files, Hashed{SHA: HexSHA(bytes)}), append(data, bytes)
		paths = append(paths, filepath.Join(DirName(man.Release), p.Name, name))
	}
	return files, paths, data, nil
}

// keepPruned is keep of such a part: it stood in the release before with the same hashes, or
// it is reported.
func (p *Part) keepPruned(man *Manifest, before PartFiles, f *Faults) (files PartFiles) {
	for i, name := range man.DataFiles() {
		if p.Sha(name) != before[i].SHA {
			f.Add("files", KindHashMismatch, man.Release, 0, name, "the file is not the one the manifest names")
		}
		files = append(files, Hashed{SHA: before[i].SHA})
	}
	return files
}

// Sha is the hash that an entry names for a file; empty: it names none.
func (p *Part) Sha(name string) string {
	for _, e := range p.Files {
		if e.Name == name {
			return e.SHA256
		}
	}
	return ""
}

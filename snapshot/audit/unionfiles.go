package audit

import (
	"os"
	"path/filepath"

	"anond/snapshot/audit/format"
)

// seenFiles remembers files whose bytes were read, so that links of them are not read
// again.
type seenFiles map[string][]format.Hashed // by SHA-256

// known returns that a file was read already and has these bytes.
func (s seenFiles) known(info os.FileInfo, sha string) bool {
	for i := range s[sha] {
		if s[sha][i].Unchanged(info) {
			return true
		}
	}
	return false
}

// checkUnionFiles tests that a release of a union is complete by itself: the files that
// its manifest names, with their bytes, and no others.
func checkUnionFiles(r *unionRelease, seen seenFiles, f *format.Faults) error {
	names := map[string]bool{"manifest.json": true}
	for _, s := range r.man.Union.Shards {
		if s.Release > 0 {
			names[shardName(s.Shard)] = true
		}
	}
	if err := checkOnly(r.dir, names, r.number, f); err != nil {
		return err
	}
	for _, s := range r.man.Union.Shards {
		if s.Release == 0 {
			continue
		}
		var err error
		f.Of(s.Shard, func() { err = r.shardFiles(s.Shard, seen, f) })
		if err != nil {
			return err
		}
	}
	return nil
}

// shardFiles tests the files of one shard.
func (r *unionRelease) shardFiles(shard int, seen seenFiles, f *format.Faults) error {
	dir := filepath.Join(r.dir, shardName(shard))
	names := map[string]bool{"manifest.json": true}
	path := filepath.Join(dir, "manifest.json")
	if data, err := format.ReadFile(path); err == nil { // whether it is the one that the vector names is tested elsewhere
		man, err := format.ParseManifest(path, data)
		if err != nil {
			return err
		}
		documents, err := format.CheckDocuments(dir, man, f)
		if err != nil {
			return err
		}
		for _, name := range documents {
			names[name] = true
		}
	}
	for i := range r.man.Parts {
		p := &r.man.Parts[i]
		if *p.Shard != shard {
			continue
		}
		names[p.Name] = true
		f.Part = p.Name
		if err := r.partFiles(filepath.Join(dir, p.Name), p, seen, f); err != nil {
			return err
		}
	}
	f.Part = ""
	return checkOnly(dir, names, r.number, f)
}

func (r *unionRelease) partFiles(dir string, p *format.Part, seen seenFiles, f *format.Faults) error {
	names := map[string]bool{}
	for _, e := range p.Files {
		names[e.Name] = true
		path := filepath.Join(dir, e.Name)
		info, err := os.Lstat(path)
		if os.IsNotExist(err) {
			f.Add("files", format.KindPartMissing, r.number, 0, e.Name, "a file of a part is not there")
			continue
		}
		if err != nil {
			return &format.UnreadableError{File: path, Reason: "cannot be read", Err: err}
		}
		if !info.Mode().IsRegular() {
			f.Add("files", format.KindNotPlainFile, r.number, 0, e.Name, "a file of a part is not a plain file")
			continue
		}
		if seen.known(info, e.SHA256) {
			continue
		}
		data, err := format.ReadFile(path)
		if err != nil {
			return err
		}
		sha := format.HexSHA(data)
		seen[sha] = append(seen[sha], format.Hashed{Info: info, SHA: sha})
		if sha != e.SHA256 || int64(len(data)) != e.Bytes {
			f.Add("files", format.KindHashMismatch, r.number, 0, e.Name, "the file is not the one the manifest names")
		}
	}
	return checkOnly(dir, names, r.number, f)
}

// checkOnly finds names in a directory that nobody announced.
func checkOnly(dir string, names map[string]bool, release int, f *format.Faults) error {
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		f.Add("files", format.KindPartMissing, release, 0, "", "a directory that the manifest names is not there")
	}
	return format.Unnamed(dir, func(e os.DirEntry) bool { return names[e.Name()] }, release, f)
}

// trust takes the files of a published release for what its manifest says, as they were
// tested before it was published. What is not there is not trusted.
func (s seenFiles) trust(r *unionRelease) error {
	for i := range r.man.Parts {
		p := &r.man.Parts[i]
		for _, e := range p.Files {
			path := filepath.Join(r.dir, shardName(*p.Shard), p.Name, e.Name)
			info, err := os.Lstat(path)
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return &format.UnreadableError{File: path, Reason: "cannot be read", Err: err}
			}
			s[e.SHA256] = append(s[e.SHA256], format.Hashed{Info: info, SHA: e.SHA256})
		}
	}
	return nil
}

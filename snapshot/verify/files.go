package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"anond/snapshot"
)

// files holds the files of a release, whose names are given, against its manifest.
func (v *verifier) files(n uint32, m *snapshot.Manifest, names []string) {
	if m.Union != nil {
		v.union(n, m, names)
		return
	}
	v.listed(n, snapshot.DirName(n), m.DocumentEntries(), names, m.Parts)
	for i := range m.Parts {
		v.part(n, &m.Parts[i])
	}
}

// part holds the files of a part against its entry.
func (v *verifier) part(n uint32, p *snapshot.PartEntry) {
	dir := snapshot.DirName(n) + "/" + p.Dir()
	inside, err := v.ReadDir(filepath.Join(v.dir, filepath.FromSlash(dir)))
	switch {
	case notExist(err):
		v.find(n, dir, FindMissingFile, "the manifest names it")
	case err != nil:
		v.find(n, dir, FindUnreadable, "%v", err)
	default:
		v.listed(n, dir, p.Files, inside, nil)
	}
}

// listed holds the names in a directory, and the files among them, against what a
// manifest says is there.
func (v *verifier) listed(n uint32, dir string, files []snapshot.FileEntry, names []string, parts []snapshot.PartEntry) {
	named := map[string]bool{snapshot.ManifestName: !strings.Contains(dir, "/")}
	for i := range parts {
		named[parts[i].Part] = true
	}
	for _, f := range files {
		if filepath.Base(f.Name) != f.Name {
			v.find(n, dir+"/"+f.Name, FindUnexpectedFile, "the manifest names a file outside the release")
			continue
		}
		named[f.Name] = true
		v.hash(n, dir+"/"+f.Name, f)
	}
	for _, name := range names {
		if !named[name] {
			v.find(n, dir+"/"+name, FindUnexpectedFile, "the manifest does not name it")
		}
	}
}

// known reports whether a file is a link of one that was hashed already, and had
// the bytes that the manifest says.
func (v *verifier) known(info fs.FileInfo, f snapshot.FileEntry) bool {
	for _, other := range v.hashed[f.SHA256] {
		if os.SameFile(info, other) && info.Size() == other.Size() && info.ModTime().Equal(other.ModTime()) {
			return true
		}
	}
	return false
}

func (v *verifier) hash(n uint32, path string, f snapshot.FileEntry) {
	full := filepath.Join(v.dir, filepath.FromSlash(path))
	info, err := v.Stat(full) // before it is read: a later change shows
	if err == nil && v.known(info, f) {
		v.out.Files++
		return
	}
	r, err := v.Open(full)
	if notExist(err) {
		v.find(n, path, FindMissingFile, "the manifest names it")
		return
	}
	if err != nil {
		v.find(n, path, FindUnreadable, "%v", err)
		return
	}
	defer r.Close()
	hash := sha256.New()
	bytes, err := io.Copy(hash, r)
	if err != nil {
		v.find(n, path, FindUnreadable, "%v", err)
		return
	}
	v.out.Files++
	v.out.Bytes += bytes
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != f.SHA256 || bytes != f.Bytes {
		v.find(n, path, FindHash, "it has %d bytes with SHA-256 %s, the manifest says %d with %s", bytes, sum, f.Bytes, f.SHA256)
	} else if info != nil {
		v.hashed[f.SHA256] = append(v.hashed[f.SHA256], info)
	}
}

// copies checks the files next to the releases that a manifest names.
func (v *verifier) copies(n uint32, m *snapshot.Manifest) {
	for _, c := range m.Copies() {
		if !c.Placed() {
			v.find(n, c.File, FindHierarchy, "it is the %s, and outside %s", c.Of, snapshot.HierarchyDir)
			continue
		}
		sum, known := v.hierarchies[c.File]
		if !known {
			data, err := v.ReadFile(filepath.Join(v.dir, filepath.FromSlash(c.File)))
			if err != nil {
				v.find(n, c.File, FindHierarchy, "%v", err)
				continue
			}
			s := sha256.Sum256(data)
			sum = hex.EncodeToString(s[:])
			v.hierarchies[c.File] = sum
		}
		if sum != c.SHA256 {
			v.find(n, c.File, FindHierarchy, "it has another SHA-256 than the %s", c.Of)
		}
	}
}

// ledger compares the ledger with the manifests.
func (v *verifier) ledger(path string, on *snapshot.Contents) {
	l, err := snapshot.ReadLedger(v.FS, path)
	if err != nil {
		v.find(0, path, FindLedger, "%v", err)
		return
	}
	v.out.Ledger = true
	if l.Torn {
		v.find(0, path, FindLedger, "its last line is cut off: the next start repairs it")
	}
	if newest := l.Newest().Release; newest != on.Newest() {
		v.find(0, path, FindLedger, "it ends at release %d, the newest is %d", newest, on.Newest())
	}
	for _, e := range v.sums {
		if line, ok := l.Line(e.Release); ok && !line.Seals(e) {
			v.find(e.Release, path, FindLedger, "it seals another manifest, other data files or another number of people")
		}
	}
}

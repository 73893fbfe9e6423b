package format

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Hashed is a file as it was when its bytes were read: a file that has the same
// inode, size and time of change later has, short of tampering with the disk
// itself, the same bytes. Dir and Gate.Resume read every file; only Gate.Check
// relies on this from one release to the next. File systems that know but one bit
// for "nobody may write" show other modes than 0444.
type Hashed struct {
	Info fs.FileInfo
	SHA  string
}

// Unchanged reports whether a file still has the inode, size, time and mode that it had when it was read.
func (h *Hashed) Unchanged(info fs.FileInfo) bool {
	return h.Info != nil && os.SameFile(h.Info, info) && h.Info.Size() == info.Size() && h.Info.ModTime().Equal(info.ModTime())
}

// same reports that a file is unchanged and that nobody may write to it. One that
// has lost its mode, as copies of releases do, is hashed again.
func (h *Hashed) same(info fs.FileInfo) bool {
	return h.Unchanged(info) && info.Mode().Perm()&0o222 == 0
}

// PartFiles are the files of one part, in the order of dataFiles.
type PartFiles []Hashed

// stat looks at a file of a part, which is a plain file.
func stat(path string, release int, f *Faults) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, &UnreadableError{File: path, Reason: "cannot be read", Err: err}
	}
	if !info.Mode().IsRegular() {
		f.Add("files", KindNotPlainFile, release, 0, filepath.Base(path), "a file of a part is not a plain file")
	}
	return info, nil
}

// Read reads the files of a part, finds what nobody announced there, and hands out the bytes. They are hashed while look
// reads them.
func (p *Part) Read(dir string, man *Manifest, f *Faults, look func(paths []string, data [][]byte) error) (files PartFiles, data [][]byte,
	err error) {
	var paths []string
	if man.Pruned != nil {
		if files, paths, data, err = p.readPruned(man); err != nil {
			return nil, nil, err
		}
		return files, data, look(paths, data)
	}
	for _, name := range man.DataFiles() {
		path := filepath.Join(dir, p.Name, name)
		info, err := stat(path, man.Release, f)
		if err != nil {
			return nil, nil, err
		}
		bytes, err := ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		h := Hashed{Info: info}
		if after, err := os.Lstat(path); err != nil || !h.Unchanged(after) {
			return nil, nil, Unreadable(path, 0, "was replaced while it was read")
		}
		files, paths, data = append(files, h), append(paths, path), append(data, bytes)
	}
	var hashing sync.WaitGroup
	hashing.Go(func() {
		for i := range files {
			files[i].SHA = HexSHA(data[i])
		}
	})
	defer hashing.Wait()
	if err := p.listing(dir, man, f); err != nil {
		return nil, nil, err
	}
	return files, data, look(paths, data)
}

// Keep looks at the files of a part that stood in the release before. A file that
// is the one read there is taken to have its bytes; any other is read.
func (p *Part) Keep(dir string, man *Manifest, before PartFiles, f *Faults) (PartFiles, error) {
	if man.Pruned != nil {
		return p.keepPruned(man, before, f), nil
	}
	var files PartFiles
	for i, name := range man.DataFiles() {
		path := filepath.Join(dir, p.Name, name)
		info, err := stat(path, man.Release, f)
		if err != nil {
			return nil, err
		}
		h := Hashed{info, before[i].SHA}
		linked := before[i].same(info)
		if !linked {
			bytes, err := ReadFile(path)
			if err != nil {
				return nil, err
			}
			h.SHA = HexSHA(bytes)
		}
		if j := slices.IndexFunc(p.Files, func(e File) bool { return e.Name == name }); j < 0 || p.Files[j].SHA256 != h.SHA {
			if linked {
				f.Add("files", KindHashMismatch, man.Release, 0, name, "the file is not the one the manifest names")
			} else {
				f.Add("files", KindLinkReplaced, man.Release, 0, name, "the file of an older part has other bytes than in the releases before")
			}
		}
		files = append(files, h)
	}
	return files, p.listing(dir, man, f)
}

// listing finds files in a part that nobody announced.
func (p *Part) listing(dir string, man *Manifest, f *Faults) error {
	return CheckNames(filepath.Join(dir, p.Name), man.DataFiles(), p.Files, man.Release, f)
}

// CheckFiles compares the entry of a part with what was read.
func (p *Part) CheckFiles(man *Manifest, files PartFiles, data [][]byte, rows map[string]int, f *Faults) {
	sha := make([]string, len(files))
	for i, h := range files {
		sha[i] = h.SHA
	}
	checkFiles(p.Files, man.DataFiles(), sha, data, rows, man.Release, f)
}

// checkFiles compares file entries with the files read: their hashes, bytes and
// rows.
func checkFiles(entries []File, names, sha []string, data [][]byte, rows map[string]int, release int, f *Faults) {
	listed := map[string]File{}
	for _, e := range entries {
		listed[e.Name] = e
	}
	for i, name := range names {
		e, ok := listed[name]
		if !ok || e.SHA256 != sha[i] {
			f.Add("files", KindHashMismatch, release, 0, name, "the file is not the one the manifest names")
		}
		if e.Bytes != int64(len(data[i])) {
			f.Add("files", kindSizeMismatch, release, 0, name, "the file's length differs from the manifest")
		}
		if e.Rows != rows[name] {
			f.Add("files", kindRowsMismatch, release, 0, name, "the file's number of rows differs from the manifest")
		}
	}
}

// CheckNames finds files nobody announced: a side channel, or a second
// rendering (rule F, forbidden operations).
func CheckNames(dir string, names []string, entries []File, release int, f *Faults) error {
	for _, e := range entries {
		if !slices.Contains(names, e.Name) {
			f.Add("claim", KindClaimFalse, release, 0, "files", "the manifest names a file that the recoding does not have")
		}
	}
	return Unnamed(dir, func(e os.DirEntry) bool { return slices.Contains(names, e.Name()) }, release, f)
}

// Unnamed reports what lies in a directory and has no name there.
func Unnamed(dir string, named func(e os.DirEntry) bool, release int, f *Faults) error {
	found, err := Listed(dir)
	if err == nil {
		UnnamedOf(dir, found, named, release, f)
	}
	return err
}

// Listed is what lies in a directory, nothing if there is none.
func Listed(dir string) ([]os.DirEntry, error) {
	found, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, &UnreadableError{File: dir, Reason: "cannot be listed", Err: err}
	}
	return found, nil
}

// UnnamedOf is Unnamed of what was found in a directory. Names with a leading dot are
// ignored: renderings in progress have them, and what file managers and file systems leave.
func UnnamedOf(dir string, found []os.DirEntry, named func(e os.DirEntry) bool, release int, f *Faults) {
	extra := 0
	for _, e := range found {
		if !strings.HasPrefix(e.Name(), ".") && !named(e) {
			extra++
		}
	}
	f.AddN("files", KindUnexpectedFile, release, 0, filepath.Base(dir), "it holds what nothing names", extra)
}

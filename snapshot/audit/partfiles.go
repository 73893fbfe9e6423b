package audit

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hashed is a file as it was when its bytes were read: a file that has the same
// inode, size and time of change later has, short of tampering with the disk
// itself, the same bytes. Dir and Gate.Resume read every file; only Gate.Check
// relies on this from one release to the next. File systems that know but one bit
// for "nobody may write" show other modes than 0444.
type hashed struct {
	info fs.FileInfo
	sha  string
}

// unchanged reports whether a file still has the inode, size, time and mode that it had when it was read.
func (h *hashed) unchanged(info fs.FileInfo) bool {
	return h.info != nil && os.SameFile(h.info, info) && h.info.Size() == info.Size() && h.info.ModTime().Equal(info.ModTime())
}

// same reports that a file is unchanged and that nobody may write to it. One that
// has lost its mode, as copies of releases do, is hashed again.
func (h *hashed) same(info fs.FileInfo) bool {
	return h.unchanged(info) && info.Mode().Perm()&0o222 == 0
}

// partFiles are the files of one part, in the order of dataFiles.
type partFiles []hashed

// stat looks at a file of a part, which is a plain file.
func stat(path string, release int, f *faults) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, &unreadableError{File: path, Reason: "cannot be read", Err: err}
	}
	if !info.Mode().IsRegular() {
		f.add("files", kindNotPlainFile, release, 0, filepath.Base(path), "a file of a part is not a plain file")
	}
	return info, nil
}

// read reads the files of a part and compares them with its entry; rows counts
// those of each file once they are parsed.
func (p *Part) read(dir string, man *Manifest, f *faults) (files partFiles, paths []string, data [][]byte, err error) {
	if man.pruned != nil {
		return p.readPruned(man)
	}
	for _, name := range man.dataFiles() {
		path := filepath.Join(dir, p.Name, name)
		info, err := stat(path, man.Release, f)
		if err != nil {
			return nil, nil, nil, err
		}
		bytes, err := readFile(path)
		if err != nil {
			return nil, nil, nil, err
		}
		h := hashed{info, hexSHA(bytes)}
		if after, err := os.Lstat(path); err != nil || !h.unchanged(after) {
			return nil, nil, nil, unreadable(path, 0, "was replaced while it was read")
		}
		files, paths, data = append(files, h), append(paths, path), append(data, bytes)
	}
	return files, paths, data, p.listing(dir, man, f)
}

// keep looks at the files of a part that stood in the release before. A file that
// is the one read there is taken to have its bytes; any other is read.
func (p *Part) keep(dir string, man *Manifest, before partFiles, f *faults) (partFiles, error) {
	if man.pruned != nil {
		return p.keepPruned(man, before, f), nil
	}
	var files partFiles
	for i, name := range man.dataFiles() {
		path := filepath.Join(dir, p.Name, name)
		info, err := stat(path, man.Release, f)
		if err != nil {
			return nil, err
		}
		h := hashed{info, before[i].sha}
		linked := before[i].same(info)
		if !linked {
			bytes, err := readFile(path)
			if err != nil {
				return nil, err
			}
			h.sha = hexSHA(bytes)
		}
		if j := slices.IndexFunc(p.Files, func(e File) bool { return e.Name == name }); j < 0 || p.Files[j].SHA256 != h.sha {
			if linked {
				f.add("files", kindHashMismatch, man.Release, 0, name, "the file is not the one the manifest names")
			} else {
				f.add("files", kindLinkReplaced, man.Release, 0, name, "the file of an older part has other bytes than in the releases before")
			}
		}
		files = append(files, h)
	}
	return files, p.listing(dir, man, f)
}

// listing finds files in a part that nobody announced.
func (p *Part) listing(dir string, man *Manifest, f *faults) error {
	return checkNames(filepath.Join(dir, p.Name), man.dataFiles(), p.Files, man.Release, f)
}

// checkFiles compares the entry of a part with what was read.
func (p *Part) checkFiles(man *Manifest, files partFiles, data [][]byte, rows map[string]int, f *faults) {
	sha := make([]string, len(files))
	for i, h := range files {
		sha[i] = h.sha
	}
	checkFiles(p.Files, man.dataFiles(), sha, data, rows, man.Release, f)
}

// checkFiles compares file entries with the files read: their hashes, bytes and
// rows.
func checkFiles(entries []File, names, sha []string, data [][]byte, rows map[string]int, release int, f *faults) {
	listed := map[string]File{}
	for _, e := range entries {
		listed[e.Name] = e
	}
	for i, name := range names {
		e, ok := listed[name]
		if !ok || e.SHA256 != sha[i] {
			f.add("files", kindHashMismatch, release, 0, name, "the file is not the one the manifest names")
		}
		if e.Bytes != int64(len(data[i])) {
			f.add("files", kindSizeMismatch, release, 0, name, "the file's length differs from the manifest")
		}
		if e.Rows != rows[name] {
			f.add("files", kindRowsMismatch, release, 0, name, "the file's number of rows differs from the manifest")
		}
	}
}

// checkNames finds files nobody announced: a side channel, or a second
// rendering (rule F, forbidden operations).
func checkNames(dir string, names []string, entries []File, release int, f *faults) error {
	for _, e := range entries {
		if !slices.Contains(names, e.Name) {
			f.add("claim", kindClaimFalse, release, 0, "files", "the manifest names a file that the recoding does not have")
		}
	}
	return unnamed(dir, func(e os.DirEntry) bool { return slices.Contains(names, e.Name()) }, release, f)
}

// unnamed reports what lies in a directory and has no name there. Names with a leading dot are
// ignored: renderings in progress have them, and what file managers and file systems leave.
func unnamed(dir string, named func(e os.DirEntry) bool, release int, f *faults) error {
	found, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return &unreadableError{File: dir, Reason: "cannot be listed", Err: err}
	}
	extra := 0
	for _, e := range found {
		if !strings.HasPrefix(e.Name(), ".") && !named(e) {
			extra++
		}
	}
	f.addN("files", kindUnexpectedFile, release, 0, filepath.Base(dir), "it holds what nothing names", extra)
	return nil
}

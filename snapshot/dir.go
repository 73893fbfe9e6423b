package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names in a releases directory.
const (
	currentName = "CURRENT"
	temporary   = ".tmp-" // prefix of what is not yet, or never was, published
)

// dirName is the directory of a release: six digits, more from a million on.
func dirName(release uint32) string { return fmt.Sprintf("%06d", release) }

// dirOf is the path of a release.
func dirOf(dir string, release uint32) string { return filepath.Join(dir, dirName(release)) }

// parseDirName is the inverse of dirName; 0 and false for any other name.
func parseDirName(name string) (uint32, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil || n == 0 || dirName(uint32(n)) != name {
		return 0, false
	}
	return uint32(n), true
}

func isTemporary(name string) bool { return strings.HasPrefix(name, temporary) }

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// content is what a releases directory holds.
type content struct {
	releases []uint32 // ascending
	pruned   []uint32 // ascending: a manifest is all that is left of them
	current  uint32   // 0: no CURRENT
}

func (c *content) newest() uint32 {
	if len(c.releases) == 0 {
		return 0
	}
	return c.releases[len(c.releases)-1]
}

func (c *content) has(release uint32) bool {
	_, ok := slices.BinarySearch(c.releases, release)
	return ok
}

// scan lists a releases directory; one that does not exist is empty.
func scan(files FS, dir string) (*content, error) {
	names, err := files.ReadDir(dir)
	if err != nil && !notExist(err) {
		return nil, err
	}
	c := &content{}
	for _, name := range names {
		if n, ok := parseDirName(name); ok {
			c.releases = append(c.releases, n)
		}
	}
	slices.Sort(c.releases)
	if err := c.findPruned(files, dir); err != nil {
		return nil, err
	}
	data, err := files.ReadFile(filepath.Join(dir, currentName))
	if notExist(err) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	name, ok := strings.CutSuffix(string(data), "\n")
	if c.current, _ = parseDirName(name); !ok || c.current == 0 {
		return nil, fmt.Errorf("%w: %s is not the number of a release and LF", ErrDamaged, filepath.Join(dir, currentName))
	}
	return c, nil
}

// findPruned lists the releases whose manifest is all that is left. A manifest next to a
// directory is that of a release whose pruning was begun.
func (c *content) findPruned(files FS, dir string) error {
	names, err := files.ReadDir(filepath.Join(dir, prunedDir))
	if err != nil && !notExist(err) {
		return err
	}
	for _, name := range names {
		if n, ok := parsePrunedName(name); ok && !c.has(n) {
			c.pruned = append(c.pruned, n)
		}
	}
	slices.Sort(c.pruned)
	return nil
}

func (c *content) isPruned(release uint32) bool {
	_, ok := slices.BinarySearch(c.pruned, release)
	return ok
}

// all are the releases that have a manifest, ascending.
func (c *content) all() []uint32 {
	out := slices.Concat(c.pruned, c.releases)
	slices.Sort(out)
	return out
}

// manifestOf reads the manifest of a release, also of a pruned one.
func (c *content) manifestOf(files FS, dir string, release uint32) (*Manifest, [32]byte, error) {
	if c.isPruned(release) {
		return readManifestFile(files, prunedPath(dir, release), release)
	}
	return readManifest(files, dir, release)
}

func readManifest(files FS, dir string, release uint32) (*Manifest, [32]byte, error) {
	return readManifestFile(files, filepath.Join(dir, dirName(release), manifestName), release)
}

func readManifestFile(files FS, path string, release uint32) (*Manifest, [32]byte, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, [32]byte{}, err
	}
	m, err := decodeManifest(data)
	if err != nil {
		return nil, [32]byte{}, fmt.Errorf("release %s: %w", dirName(release), err)
	}
	return m, sha(data), nil
}

// directory is a directory as the target of a rendering.
type directory struct {
	FS
	dir string
}

func (d directory) Create(name string) (io.WriteCloser, error) {
	return d.FS.Create(filepath.Join(d.dir, name))
}

// replaceBy puts a file in place at once and durably: a reader and a crash see the old content or
// the new one. tmp is the name of the temporary file. fence is asked before others see anything;
// nil: nobody is asked.
func replaceBy(files FS, path, tmp string, data []byte, fence func() error) error {
	dir := filepath.Dir(path)
	if err := writeAll(directory{files, dir}, tmp, data); err != nil {
		return err
	}
	if err := files.Sync(filepath.Join(dir, tmp)); err != nil {
		return err
	}
	if fence != nil {
		if err := fence(); err != nil {
			return err
		}
	}
	if err := files.Rename(filepath.Join(dir, tmp), path); err != nil {
		return err
	}
	return files.Sync(dir)
}

// sameTree reports ErrDifferent unless two directories hold the same files with
// the same bytes, in directories of the same names.
func sameTree(files FS, published, rendered string) error {
	a, err := files.ReadDir(published)
	if err != nil {
		return err
	}
	b, err := files.ReadDir(rendered)
	if err != nil {
		return err
	}
	if !slices.Equal(a, b) {
		return fmt.Errorf("%w: %s holds other files", ErrDifferent, published)
	}
	for _, name := range a {
		if err := sameEntry(files, filepath.Join(published, name), filepath.Join(rendered, name)); err != nil {
			return err
		}
	}
	return nil
}

func sameEntry(files FS, published, rendered string) error {
	a, err := files.Stat(published)
	if err != nil {
		return err
	}
	b, err := files.Stat(rendered)
	if err != nil {
		return err
	}
	if a.IsDir() && b.IsDir() {
		return sameTree(files, published, rendered)
	}
	if os.SameFile(a, b) { // both are links of one file
		return nil
	}
	same := false
	if a.IsDir() == b.IsDir() {
		if same, err = sameFile(files, published, rendered); err != nil {
			return err
		}
	}
	if !same {
		return fmt.Errorf("%w: %s has other bytes", ErrDifferent, published)
	}
	return nil
}

func sameFile(files FS, x, y string) (bool, error) {
	a, err := files.Open(x)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := files.Open(y)
	if err != nil {
		return false, err
	}
	defer b.Close()
	return sameBytes(a, b)
}

func sameBytes(a, b io.Reader) (bool, error) {
	p, q := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, errA := io.ReadFull(a, p)
		m, errB := io.ReadFull(b, q)
		if err := cmpError(errA, errB); err != nil {
			return false, err
		}
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil { // both are at their end
			return true, nil
		}
	}
}

// cmpError returns the first error that is not the end of a file.
func cmpError(errs ...error) error {
	for _, err := range errs {
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
	}
	return nil
}

package snapshot

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"anond/internal/fault"
)

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ErrDamaged: a file of the release directory or the ledger cannot be what
// anond wrote (exit 1).
var ErrDamaged = fault.Errorf(fault.Failed, "anond release verify lists every fault; restore the files from a copy of the releases",
	"the published files are damaged")

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
	m, err := DecodeManifest(data)
	if err != nil {
		return nil, [32]byte{}, fmt.Errorf("release %s: %w", dirName(release), err)
	}
	return m, sha256.Sum256(data), nil
}

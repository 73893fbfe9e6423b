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

// Contents is what a releases directory holds.
type Contents struct {
	Releases []uint32 // ascending
	Pruned   []uint32 // ascending: a manifest is all that is left of them
	Current  uint32   // 0: no CURRENT
}

func (c *Contents) Newest() uint32 {
	if len(c.Releases) == 0 {
		return 0
	}
	return c.Releases[len(c.Releases)-1]
}

func (c *Contents) Has(release uint32) bool {
	_, ok := slices.BinarySearch(c.Releases, release)
	return ok
}

// Scan lists a releases directory; one that does not exist is empty.
func Scan(files FS, dir string) (*Contents, error) {
	names, err := files.ReadDir(dir)
	if err != nil && !notExist(err) {
		return nil, err
	}
	c := &Contents{}
	for _, name := range names {
		if n, ok := ParseDirName(name); ok {
			c.Releases = append(c.Releases, n)
		}
	}
	slices.Sort(c.Releases)
	if err := c.FindPruned(files, dir); err != nil {
		return nil, err
	}
	data, err := files.ReadFile(filepath.Join(dir, CurrentName))
	if notExist(err) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	name, ok := strings.CutSuffix(string(data), "\n")
	if c.Current, _ = ParseDirName(name); !ok || c.Current == 0 {
		return nil, fmt.Errorf("%w: %s is not the number of a release and LF", ErrDamaged, filepath.Join(dir, CurrentName))
	}
	return c, nil
}

// FindPruned lists the releases whose manifest is all that is left. A manifest next to a
// directory is that of a release whose pruning was begun.
func (c *Contents) FindPruned(files FS, dir string) error {
	names, err := files.ReadDir(filepath.Join(dir, PrunedDir))
	if err != nil && !notExist(err) {
		return err
	}
	for _, name := range names {
		if n, ok := ParsePrunedName(name); ok && !c.Has(n) {
			c.Pruned = append(c.Pruned, n)
		}
	}
	slices.Sort(c.Pruned)
	return nil
}

func (c *Contents) IsPruned(release uint32) bool {
	_, ok := slices.BinarySearch(c.Pruned, release)
	return ok
}

// All are the releases that have a manifest, ascending.
func (c *Contents) All() []uint32 {
	out := slices.Concat(c.Pruned, c.Releases)
	slices.Sort(out)
	return out
}

// ManifestOf reads the manifest of a release, also of a pruned one.
func (c *Contents) ManifestOf(files FS, dir string, release uint32) (*Manifest, [32]byte, error) {
	if c.IsPruned(release) {
		return ReadManifestFile(files, PrunedPath(dir, release), release)
	}
	return ReadManifest(files, dir, release)
}

func ReadManifest(files FS, dir string, release uint32) (*Manifest, [32]byte, error) {
	return ReadManifestFile(files, filepath.Join(dir, DirName(release), ManifestName), release)
}

func ReadManifestFile(files FS, path string, release uint32) (*Manifest, [32]byte, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, [32]byte{}, err
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return nil, [32]byte{}, fmt.Errorf("release %s: %w", DirName(release), err)
	}
	return m, sha256.Sum256(data), nil
}

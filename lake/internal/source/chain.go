package source

import (
	"fmt"
	"path/filepath"

	"anond/internal/fault"
	"anond/snapshot"
)

// ErrNone: the directory has no published release yet.
var ErrNone = fault.Errorf(fault.Failed, "name the directory that release.dir of the configuration names",
	"there is no release yet")

// ErrUnion: the releases are those of anond union, whose parts belong to shards.
var ErrUnion = fault.Errorf(fault.Failed, "read the releases of each shard (shards/0 and so on), and write those of each to a place "+
	"of its own",
	"holds releases of a union of shards, which are not read here")

// Chain is the releases of a directory, up to the one that CURRENT names.
type Chain struct {
	files snapshot.FS
	dir   string
	infos []snapshot.Info // oldest first, pruned ones too
}

// Open lists the releases. One that is newer than CURRENT is not published yet.
func Open(files snapshot.FS, dir string) (*Chain, error) {
	infos, err := snapshot.List(files, dir)
	if err != nil {
		return nil, err
	}
	for i := range infos {
		if infos[i].Current {
			return &Chain{files, dir, infos[:i+1]}, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", dir, ErrNone)
}

// Newest is the number of the release that CURRENT names.
func (c *Chain) Newest() uint32 { return c.infos[len(c.infos)-1].Release }

// Readable are the releases that have their files, ascending.
func (c *Chain) Readable() (out []uint32) {
	for _, i := range c.infos {
		if !i.Pruned {
			out = append(out, i.Release)
		}
	}
	return out
}

// Each goes through the parts of the tables of all releases that have their files.
func (c *Chain) Each(do func(*Release, *Table, *Part) error) error {
	for _, n := range c.Readable() {
		r, err := c.Release(n)
		if err != nil {
			return err
		}
		tables, err := r.Tables()
		if err != nil {
			return err
		}
		for _, t := range tables {
			for i := range t.Parts {
				if err := do(r, t, &t.Parts[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// SHA256 is the hash of a release's manifest, in hexadecimal; false if the directory does not know the release.
func (c *Chain) SHA256(release uint32) (string, bool) {
	for _, i := range c.infos {
		if i.Release == release {
			return i.SHA256, true
		}
	}
	return "", false
}

// Release opens a release; 0 asks for the newest.
func (c *Chain) Release(number uint32) (*Release, error) {
	if number == 0 {
		number = c.Newest()
	}
	sum, known := c.SHA256(number)
	if !known {
		return nil, fmt.Errorf("%w: %s has no release %d", snapshot.ErrNoRelease, c.dir, number)
	}
	if err := snapshot.NotPruned(c.files, c.dir, number); err != nil {
		return nil, err
	}
	m, err := snapshot.Show(c.files, c.dir, number)
	if err != nil {
		return nil, err
	}
	if m.Release != number {
		return nil, fmt.Errorf("%w: release %d: its manifest says release %d", snapshot.ErrDamaged, number, m.Release)
	}
	if before, known := c.SHA256(number - 1); known && (m.Previous == nil || m.Previous.SHA256 != before) {
		return nil, fmt.Errorf("%w: release %d does not follow the release %d that is there", snapshot.ErrDamaged, number, number-1)
	}
	if m.Union != nil {
		return nil, fmt.Errorf("%s %w", c.dir, ErrUnion)
	}
	return &Release{Manifest: m, SHA256: sum, files: c.files, dir: filepath.Join(c.dir, fmt.Sprintf("%06d", number))}, nil
}

// Release is one release, whose files are there.
type Release struct {
	Manifest *snapshot.Manifest
	SHA256   string // of manifest.json: it names the hash of every file, and of the manifest before
	files    snapshot.FS
	dir      string
}

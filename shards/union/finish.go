package union

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"anond/internal/disk"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// Record implements publish.Content. It makes the ledger name all releases up to the newest, which is replaced as a
// whole, since two processes that append would write a line twice, and read again as
// CURRENT is. What it says of a release is never changed.
func (r *run) Record() error {
	if r.Ledger == "" {
		return nil
	}
	for {
		l, err := snapshot.ReadLedger(r.FS, r.Ledger)
		if err != nil {
			return err
		}
		on, err := snapshot.Scan(r.FS, r.Dir)
		if err != nil {
			return err
		}
		text, missing, err := r.lines(l, on)
		if err != nil {
			return err
		}
		if !missing && !l.Torn && l.Exists {
			return nil
		}
		dir := filepath.Dir(r.Ledger)
		if err := disk.MakeDir(r.FS, dir); err != nil {
			return err
		}
		if err := r.Replace(r.Ledger, text); err != nil {
			return err
		}
	}
}

// lines is the ledger with what it lacks.
func (r *run) lines(l *snapshot.Ledger, on *snapshot.Contents) (text []byte, missing bool, err error) {
	for _, e := range l.Entries {
		text = append(text, e.Line()...)
	}
	for _, n := range on.All() {
		if n < l.Newest().Release {
			continue
		}
		m, sum, err := r.manifestOf(on, n)
		if err != nil {
			return nil, false, err
		}
		if n == l.Newest().Release {
			if sum != l.Newest().SHA256 {
				return nil, false, fmt.Errorf("%w: the ledger has another manifest of release %d", publish.ErrDifferent, n)
			}
			continue
		}
		e := snapshot.SealOf(m, sum)
		text, missing = append(text, e.Line()...), true
	}
	return text, missing, nil
}

// trim takes the links out of the intent of the newest release, which has them itself.
// What the intent says remains.
func (r *run) trim() error {
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	dir := intentDir(r.Dir, on.Newest())
	names, err := r.FS.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	links := slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, snapshot.ShardPrefix) })
	for _, name := range links {
		if err := r.FS.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if len(links) == 0 {
		return nil
	}
	return r.FS.Sync(dir) // else they may be back after the next release, which looks at its own intent
}

// prune removes the files of old releases. Another union may do the same: what it was
// faster with is done.
func (r *run) prune() error {
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	p := &publish.Pruning{FS: r.FS, Dir: r.Dir, Keep: r.Keep, Owner: "-" + r.Owner, Marked: on.Newest(),
		Published: func(release uint32) (sum [32]byte, ok bool) {
			next, _, err := r.manifestOf(on, release+1)
			if err != nil || next.Previous == nil || next.Previous.Release != release {
				return sum, false
			}
			n, err := hex.Decode(sum[:], []byte(next.Previous.SHA256))
			return sum, err == nil && n == len(sum)
		}}
	if err := p.Run(r.now); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// manifestOf reads the manifest of a release that another union may have pruned since the
// directory was listed.
func (r *run) manifestOf(on *snapshot.Contents, release uint32) (*snapshot.Manifest, [32]byte, error) {
	m, sum, err := on.ManifestOf(r.FS, r.Dir, release)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot.ReadManifestFile(r.FS, snapshot.PrunedPath(r.Dir, release), release)
	}
	return m, sum, err
}

package publish

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anond/internal/disk"
	"anond/snapshot"
)

// nameNewest makes CURRENT name the newest release. A union that was slow may have
// written an older number meanwhile: so it is read again until it is right.
func (r *unionRun) nameNewest() error {
	path := filepath.Join(r.Dir, snapshot.CurrentName)
	for {
		on, err := snapshot.Scan(r.FS, r.Dir)
		if err != nil {
			return err
		}
		if on.Current >= on.Newest() {
			return r.FS.Sync(r.Dir)
		}
		if err := r.replace(path, []byte(snapshot.DirName(on.Newest())+"\n")); err != nil {
			return err
		}
	}
}

// writeLedger makes the ledger name all releases up to the newest. It is replaced as a
// whole, since two processes that append would write a line twice, and read again as
// CURRENT is. What it says of a release is never changed.
func (r *unionRun) writeLedger() error {
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
		if err := r.replace(r.Ledger, text); err != nil {
			return err
		}
	}
}

// lines is the ledger with what it lacks.
func (r *unionRun) lines(l *snapshot.Ledger, on *snapshot.Contents) (text []byte, missing bool, err error) {
	for _, e := range l.Entries {
		text = append(text, e.Line()...)
	}
	for _, n := range on.All() {
		if n < l.Newest().Release {
			continue
		}
		_, sum, err := r.manifestOf(on, n)
		if err != nil {
			return nil, false, err
		}
		if n == l.Newest().Release {
			if sum != l.Newest().SHA256 {
				return nil, false, fmt.Errorf("%w: the ledger has another manifest of release %d", ErrDifferent, n)
			}
			continue
		}
		text, missing = append(text, snapshot.LedgerEntry{Release: n, SHA256: sum}.Line()...), true
	}
	return text, missing, nil
}

// trim takes the links out of the intent of the newest release, which has them itself.
// What the intent says remains.
func (r *unionRun) trim() error {
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	dir := intentDir(r.Dir, on.Newest())
	names, err := r.FS.ReadDir(dir)
	if notExist(err) {
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

// staleAfter is how old a temporary name is at least that a run removes: younger ones may
// be another union's that is at work.
const staleAfter = time.Hour

// clean removes what unions that were killed have left. What cannot be removed, or
// disappears meanwhile, is in nobody's way.
func (r *unionRun) clean() {
	r.cleanIn(r.Dir, "")
	r.cleanIn(filepath.Join(r.Dir, snapshot.HierarchyDir), "")
	r.cleanIn(filepath.Join(r.Dir, snapshot.PrunedDir), "")
	if r.Ledger != "" {
		r.cleanIn(filepath.Dir(r.Ledger), "-"+filepath.Base(r.Ledger))
	}
}

// cleanIn cleans a directory of temporary names with an ending.
func (r *unionRun) cleanIn(dir, ending string) {
	names, err := r.FS.ReadDir(dir)
	if err != nil {
		return
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if !snapshot.IsTemporary(name) || !strings.HasSuffix(name, ending) {
			continue
		}
		if info, err := r.FS.Stat(path); err == nil && r.now.Sub(info.ModTime()) > staleAfter {
			r.takeAway(path, filepath.Join(dir, snapshot.Temporary+"gone-"+r.Owner+ending))
		}
	}
}

// takeAway removes what another union has left. It loses its name first: one that was suspended for so long
// would show what is left of it.
func (r *unionRun) takeAway(path, gone string) {
	if err := r.FS.RemoveAll(gone); err == nil && r.FS.Rename(path, gone) == nil {
		_ = r.FS.RemoveAll(gone)
	}
}

// prune removes the files of old releases. Another union may do the same: what it was
// faster with is done.
func (r *unionRun) prune() error {
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	p := &Pruning{FS: r.FS, Dir: r.Dir, Keep: r.Keep, Owner: "-" + r.Owner, Marked: on.Newest(),
		Published: func(release uint32) (sum [32]byte, ok bool) {
			next, _, err := r.manifestOf(on, release+1)
			if err != nil || next.Previous == nil || next.Previous.Release != release {
				return sum, false
			}
			n, err := hex.Decode(sum[:], []byte(next.Previous.SHA256))
			return sum, err == nil && n == len(sum)
		}}
	if err := p.Run(r.now); !notExist(err) {
		return err
	}
	return nil
}

// manifestOf reads the manifest of a release that another union may have pruned since the
// directory was listed.
func (r *unionRun) manifestOf(on *snapshot.Contents, release uint32) (*snapshot.Manifest, [32]byte, error) {
	m, sum, err := on.ManifestOf(r.FS, r.Dir, release)
	if notExist(err) {
		return snapshot.ReadManifestFile(r.FS, snapshot.PrunedPath(r.Dir, release), release)
	}
	return m, sum, err
}

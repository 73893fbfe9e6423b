package publish

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"anond/snapshot"
)

// KeepRule says which releases stay on disk: as many of the newest as Releases says, and those
// that were published within Age. A release stays if one of the two keeps it. The zero
// value keeps all; the newest and the one that CURRENT names are always kept.
type KeepRule struct {
	Releases int
	Age      time.Duration
}

// All reports that nothing is ever pruned.
func (k KeepRule) All() bool { return k.Releases <= 0 && k.Age <= 0 }

// prunedPrefix is that of a directory that is being removed.
const prunedPrefix = snapshot.Temporary + "pruned-"

// Pruning removes the directories of old releases.
//
// Guarantee: at every moment, a power cut included, each release either has its directory
// and all its files, or it has none and its manifest is in prunedDir. Releases are pruned
// oldest first, so those that have a directory are the newest ones. The steps of one
// release are
//
//  1. the manifest is copied and made durable,
//  2. the directory gets a temporary name, which is made durable,
//  3. what is below that name is removed. Publisher.Open removes it after a crash.
//
// The files of its parts remain wherever later releases link them. The ledger is not
// touched.
type Pruning struct {
	FS    snapshot.FS
	Dir   string
	Keep  KeepRule
	Fence func() error // as of a Publisher; may be nil
	// Owner tells temporary names from those of other processes that prune at the same
	// time, as unions may; empty: there are none.
	Owner string
	// Marked is the newest release that state calls published. One in progress is made of
	// the files of that, so what lies behind it does not count.
	Marked uint32
	// Published are the releases that state knows as published: no other is pruned, and
	// none whose manifest is not the one that was published.
	Published func(release uint32) (sha [32]byte, ok bool)
	// Done is told each release that was pruned. May be nil.
	Done func(release uint32)
}

// Run prunes what is not kept at the moment now, and stops at the first fault.
func (p *Pruning) Run(now time.Time) error {
	if p.Keep.All() {
		return nil
	}
	on, err := snapshot.Scan(p.FS, p.Dir)
	if err != nil {
		return err
	}
	there := slices.DeleteFunc(slices.Clone(on.Releases), func(n uint32) bool { return n > p.Marked })
	for ; len(there) > max(1, p.Keep.Releases) && there[0] < on.Current; there = there[1:] {
		n := there[0]
		m, sum, err := snapshot.ReadManifest(p.FS, p.Dir, n)
		if err != nil {
			return fmt.Errorf("prune release %d: %w", n, err)
		}
		if young, err := p.young(m, now); young || err != nil {
			return err
		}
		if want, ok := p.Published(n); !ok || want != sum {
			return fmt.Errorf("prune release %d: %w: its manifest is not the one that was published, so it is kept", n, snapshot.ErrDamaged)
		}
		if err := p.one(n); err != nil {
			return fmt.Errorf("prune release %d: %w", n, err)
		}
	}
	return nil
}

// young reports that Age keeps a release.
func (p *Pruning) young(m *snapshot.Manifest, now time.Time) (bool, error) {
	if p.Keep.Age <= 0 {
		return false, nil
	}
	created, err := time.Parse(time.RFC3339, m.CreatedAt)
	if err != nil {
		return true, fmt.Errorf("prune release %d: %w: created_at is not a time", m.Release, snapshot.ErrDamaged)
	}
	return now.Sub(created) < p.Keep.Age, nil
}

// one takes a release through the steps.
func (p *Pruning) one(n uint32) error {
	away := filepath.Join(p.Dir, prunedPrefix+snapshot.DirName(n)+p.Owner)
	steps := []func() error{
		func() error { return p.copyManifest(n) },
		func() error { return p.putAway(n, away) },
		func() error { return p.FS.RemoveAll(away) },
	}
	for _, step := range steps {
		if p.Fence != nil {
			if err := p.Fence(); err != nil {
				return err
			}
		}
		if err := step(); err != nil {
			return err
		}
	}
	if p.Done != nil {
		p.Done(n)
	}
	return nil
}

// copyManifest makes the manifest durable under its second name: first the name of the
// directory, then the file.
func (p *Pruning) copyManifest(n uint32) error {
	if err := p.FS.MkdirAll(filepath.Join(p.Dir, snapshot.PrunedDir)); err != nil {
		return err
	}
	if err := p.FS.Sync(p.Dir); err != nil {
		return err
	}
	data, err := p.FS.ReadFile(filepath.Join(snapshot.DirOf(p.Dir, n), snapshot.ManifestName))
	if err != nil {
		return err
	}
	to := snapshot.PrunedPath(p.Dir, n)
	if err := replaceBy(p.FS, to, snapshot.Temporary+p.Owner+filepath.Base(to), data, nil); err != nil {
		return err
	}
	copied, err := p.FS.ReadFile(to)
	if err == nil && !bytes.Equal(copied, data) { // the directory goes only once its manifest is safe
		err = fmt.Errorf("%w: %s is not what was written", snapshot.ErrDamaged, to)
	}
	return err
}

// putAway gives the directory a name that nobody takes for a release. One that an earlier
// attempt could not remove is in the way.
func (p *Pruning) putAway(n uint32, away string) error {
	if err := p.FS.RemoveAll(away); err != nil {
		return err
	}
	if err := p.FS.Rename(snapshot.DirOf(p.Dir, n), away); err != nil {
		return err
	}
	return p.FS.Sync(p.Dir)
}

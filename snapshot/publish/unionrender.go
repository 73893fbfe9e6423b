package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"anond/snapshot"
)

// render puts the release together under a temporary name: the manifests of the shards
// and the files that are new from the intent, older files from the release before, and
// the manifest of the union.
func (r *unionRun) render() error {
	if r.ready() {
		return nil
	}
	return r.renderFrom(intentDir(r.Dir, r.number()))
}

// renderFrom is render, with what the intent names in a directory.
func (r *unionRun) renderFrom(from string) error {
	r.out.Manifest, r.out.SHA256 = r.before, r.known // what would have been decided is not, if another union was first
	if err := r.FS.RemoveAll(r.tmp); err != nil {
		return err
	}
	if err := r.FS.MkdirPrivate(r.tmp); err != nil {
		return err
	}
	err := r.fill(from)
	if notExist(err) && r.finished() {
		return nil // another union has published it and taken the links away
	}
	return err
}

// finished reports that the release has its name, or had it and was pruned.
func (r *unionRun) finished() bool {
	_, published := r.FS.Stat(filepath.Join(snapshot.DirOf(r.Dir, r.number()), snapshot.ManifestName))
	_, pruned := r.FS.Stat(snapshot.PrunedPath(r.Dir, r.number()))
	return published == nil || pruned == nil
}

func (r *unionRun) fill(from string) error {
	r.shards = nil
	for _, i := range r.intent.Shards {
		s, err := readShardRelease(r.FS, filepath.Join(from, snapshot.ShardDir(i.Shard)), i.Shard)
		if err != nil {
			return err
		}
		if s.sum != i.SHA256 || s.manifest.Release != i.Release {
			return fmt.Errorf("%w: the intent of release %d holds another manifest of shard %d than it names",
				snapshot.ErrDamaged, r.number(), i.Shard)
		}
		r.shards = append(r.shards, *s)
	}
	settings, err := unitable(r.shards)
	if err != nil {
		return err
	}
	m := compose(r.intent, r.shards, settings)
	fresh := &releaseFiles{FS: r.FS, from: from, to: r.tmp, dirs: map[string]bool{}}
	old := &releaseFiles{FS: r.FS, from: snapshot.DirOf(r.Dir, r.number()-1), to: r.tmp, dirs: map[string]bool{}}
	r.files = []*releaseFiles{fresh, old}
	for i := range r.shards {
		if err := r.link(&r.shards[i], fresh, old); err != nil {
			return fmt.Errorf("shard %d: %w", r.shards[i].shard, err)
		}
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	r.out.Manifest, r.out.SHA256 = m, sha256.Sum256(data)
	w, err := fresh.Create(snapshot.ManifestName)
	if err := fill(w, err, data); err != nil {
		return err
	}
	return asWritten(r.FS, filepath.Join(r.tmp, snapshot.ManifestName), r.out.SHA256)
}

// link takes the files of a shard in.
func (r *unionRun) link(s *shardRelease, fresh, old *releaseFiles) error {
	name := path.Join(snapshot.ShardDir(s.shard), snapshot.ManifestName)
	if err := fresh.Keep(name, snapshot.FileEntry{Bytes: int64(len(s.raw)), SHA256: s.sum}); err != nil {
		return err
	}
	for i := range s.manifest.Parts {
		p := &s.manifest.Parts[i]
		from := fresh
		if r.standing(s.shard, p) {
			from = old
		}
		for _, f := range p.Files {
			if err := from.Keep(path.Join(snapshot.ShardDir(s.shard), p.Part, f.Name), f); err != nil {
				return err
			}
		}
	}
	return nil
}

// gate shows the auditor what is not public yet.
func (r *unionRun) gate() error {
	if r.ready() || r.finished() {
		return nil
	}
	err := r.Gate.CheckUnion(r.Dir, r.tmp)
	if err != nil && r.finished() {
		return nil // and the release before may have been pruned since
	}
	return err
}

func (r *unionRun) sync() error {
	if r.finished() {
		return nil
	}
	var paths []string
	for _, f := range r.files {
		paths = append(paths, f.unsynced()...)
	}
	for i := range r.shards {
		paths = append(paths, filepath.Join(r.tmp, snapshot.ShardDir(r.shards[i].shard)))
	}
	if err := r.FS.SyncAll(paths); err != nil {
		return err
	}
	if err := r.FS.Publicize(r.tmp); err != nil {
		return err
	}
	return r.FS.Sync(r.tmp)
}

// rename gives the release its name, which only one union can do. The others compare
// what they have rendered (rule F, forbidden, rules out a second rendering).
func (r *unionRun) rename() error {
	to := snapshot.DirOf(r.Dir, r.number())
	if r.finished() {
		return r.same(to)
	}
	if err := r.FS.Rename(r.tmp, to); taken(err) {
		return r.same(to)
	} else if err != nil {
		return err
	}
	return r.FS.Sync(r.Dir)
}

// same compares the manifest of a release that has its name with the one rendered. It
// names the hash of every file, and a release is complete before it has its name.
func (r *unionRun) same(published string) error {
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	m, sum, err := r.manifestOf(on, r.number())
	if err != nil {
		return err
	}
	if r.out.SHA256 != sum && r.rendered() {
		return fmt.Errorf("%w: %s has another manifest: %s, and not %s", ErrDifferent, published, hex.EncodeToString(sum[:]),
			hex.EncodeToString(r.out.SHA256[:]))
	}
	r.out.Manifest, r.out.SHA256 = m, sum
	return errors.Join(r.FS.RemoveAll(r.tmp), r.FS.Sync(r.Dir)) // its name need not be durable yet
}

// rendered reports that this run has made a manifest of its own.
func (r *unionRun) rendered() bool {
	return r.out.Manifest != nil && r.out.Manifest.Release == r.number()
}

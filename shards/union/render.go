package union

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"anond/snapshot"
	"anond/snapshot/publish"
)

// Render implements publish.Content. It puts the release together under a temporary name: the manifests of the shards
// and the files that are new from the intent, older files from the release before, and
// the manifest of the union.
func (r *run) Render() error {
	if r.ready() {
		return nil
	}
	return r.renderFrom(intentDir(r.Dir, r.number()))
}

// renderFrom is Render, with what the intent names in a directory.
func (r *run) renderFrom(from string) error {
	r.out.Manifest, r.out.SHA256 = r.before, r.known // what would have been decided is not, if another union was first
	if err := r.steps.Begin(); err != nil {
		return err
	}
	err := r.steps.Stage(func(dir string) ([32]byte, error) { return r.fill(from, dir) })
	if errors.Is(err, fs.ErrNotExist) && r.Named() {
		return nil // another union has published it and taken the links away
	}
	return err
}

// Named implements publish.Content: the release has its name, or had it and was pruned.
func (r *run) Named() bool {
	_, published := r.FS.Stat(filepath.Join(snapshot.DirOf(r.Dir, r.number()), snapshot.ManifestName))
	_, pruned := r.FS.Stat(snapshot.PrunedPath(r.Dir, r.number()))
	return published == nil || pruned == nil
}

func (r *run) fill(from, to string) (sum [32]byte, err error) {
	r.shards = nil
	for _, i := range r.intent.Shards {
		s, err := readShardRelease(r.FS, filepath.Join(from, snapshot.ShardDir(i.Shard)), i.Shard)
		if err != nil {
			return sum, err
		}
		if s.sum != i.SHA256 || s.manifest.Release != i.Release {
			return sum, fmt.Errorf("%w: the intent of release %d holds another manifest of shard %d than it names",
				snapshot.ErrDamaged, r.number(), i.Shard)
		}
		r.shards = append(r.shards, *s)
	}
	settings, err := unitable(r.shards)
	if err != nil {
		return sum, err
	}
	m := compose(r.intent, r.shards, settings)
	fresh := publish.NewFiles(r.FS, from, to)
	old := publish.NewFiles(r.FS, snapshot.DirOf(r.Dir, r.number()-1), to)
	r.files = []*publish.Files{fresh, old}
	for i := range r.shards {
		if err := r.link(&r.shards[i], fresh, old); err != nil {
			return sum, fmt.Errorf("shard %d: %w", r.shards[i].shard, err)
		}
	}
	data, err := m.Encode()
	if err != nil {
		return sum, err
	}
	r.out.Manifest, r.out.SHA256 = m, sha256.Sum256(data)
	return r.out.SHA256, fresh.Write(snapshot.ManifestName, data)
}

// link takes the files of a shard in.
func (r *run) link(s *shardRelease, fresh, old *publish.Files) error {
	name := path.Join(snapshot.ShardDir(s.shard), snapshot.ManifestName)
	if err := fresh.Keep(name, snapshot.FileEntry{Bytes: int64(len(s.raw)), SHA256: s.sum}); err != nil {
		return err
	}
	for _, d := range s.manifest.DocumentEntries() {
		if err := fresh.Keep(path.Join(snapshot.ShardDir(s.shard), d.Name), d); err != nil {
			return err
		}
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

// Gate implements publish.Content. It shows the auditor what is not public yet.
func (r *run) Gate() error {
	if r.ready() || r.Named() {
		return nil
	}
	err := r.union.Gate(r.Dir, r.steps.Staged())
	if err != nil && r.Named() {
		return nil // and the release before may have been pruned since
	}
	return err
}

// Unsynced implements publish.Content.
func (r *run) Unsynced() (paths []string) {
	for _, f := range r.files {
		paths = append(paths, f.Unsynced()...)
	}
	for i := range r.shards {
		paths = append(paths, filepath.Join(r.steps.Staged(), snapshot.ShardDir(r.shards[i].shard)))
	}
	return paths
}

// Same implements publish.Content. It compares the manifest of a release that has its name with the one rendered. It
// names the hash of every file, and a release is complete before it has its name.
func (r *run) Same() error {
	on, err := snapshot.Scan(r.FS, r.Dir)
	if err != nil {
		return err
	}
	m, sum, err := r.manifestOf(on, r.number())
	if err != nil {
		return err
	}
	if r.out.SHA256 != sum && r.rendered() {
		return fmt.Errorf("%w: %s has another manifest: %s, and not %s", publish.ErrDifferent, snapshot.DirOf(r.Dir, r.number()),
			hex.EncodeToString(sum[:]), hex.EncodeToString(r.out.SHA256[:]))
	}
	r.out.Manifest, r.out.SHA256 = m, sum
	return nil
}

// rendered reports that this run has made a manifest of its own.
func (r *run) rendered() bool {
	return r.out.Manifest != nil && r.out.Manifest.Release == r.number()
}

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"anond/internal/disk"
	"anond/snapshot"
)

// propose makes the intent durable and gives it its name, unless another union was first.
func (r *unionRun) propose(shards []shardRelease) error {
	if err := disk.MakeDir(r.FS, r.Dir); err != nil { // a shard may have made it just now
		return err
	}
	if err := r.copyHierarchies(shards); err != nil {
		return err
	}
	stage := filepath.Join(r.Dir, snapshot.Temporary+"intent-"+snapshot.DirName(r.number())+"-"+r.Owner)
	defer func() { _ = r.FS.RemoveAll(stage) }() // gone by its rename, if all went well
	r.passed = nil
	if err := r.FS.RemoveAll(stage); err != nil {
		return err
	}
	if err := r.FS.MkdirAll(stage); err != nil {
		return err
	}
	proposed := r.intentOf(shards)
	data, err := proposed.encode()
	if err != nil {
		return err
	}
	w, err := r.FS.Create(filepath.Join(stage, intentName))
	if err := fill(w, err, data); err != nil {
		return err
	}
	if err := asWritten(r.FS, filepath.Join(stage, intentName), sha256.Sum256(data)); err != nil { // a decision stays
		return err
	}
	durable := []string{filepath.Join(stage, intentName)}
	for i := range shards {
		paths, err := r.stageShard(stage, &shards[i])
		if err != nil {
			return fmt.Errorf("take the files of release %d of shard %d: %w", shards[i].manifest.Release, shards[i].shard, err)
		}
		durable = append(durable, paths...)
	}
	if err := r.examine(proposed, stage); err != nil {
		return err
	}
	if err := r.FS.SyncAll(append(durable, stage)); err != nil {
		return err
	}
	return r.nameIntent(stage)
}

// examine renders what would be decided, and has the gate look at it. A decision cannot be
// taken back: with a damaged file in it, the union could never go on.
func (r *unionRun) examine(proposed *unionIntent, stage string) error {
	r.intent, r.tmp = proposed, r.rendering()
	defer func() { r.intent = nil }()
	if err := r.renderFrom(stage); err != nil {
		return err
	}
	switch err := r.Gate.CheckUnion(r.Dir, r.tmp); {
	case err == nil:
		r.passed = proposed
	case !r.finished():
		return err
	}
	return nil // or another union has finished the release: the name of the intent is taken
}

// nameIntent gives the intent its name, once.
func (r *unionRun) nameIntent(stage string) error {
	intents := filepath.Join(r.Dir, snapshot.IntentsDir)
	if err := r.FS.MkdirAll(intents); err != nil {
		return err
	}
	if err := r.FS.Rename(stage, intentDir(r.Dir, r.number())); err != nil && !taken(err) {
		return err
	}
	return errors.Join(r.FS.Sync(intents), r.FS.Sync(r.Dir))
}

// intentOf is the decision that this run would take. Time does not go back.
func (r *unionRun) intentOf(shards []shardRelease) *unionIntent {
	i := &unionIntent{FormatVersion: intentVersion, Release: r.number(), CreatedAt: r.now.Format(time.RFC3339), Of: r.Of}
	if r.before != nil {
		i.CreatedAt = max(i.CreatedAt, r.before.CreatedAt) // of one form, so texts compare as times
		i.Previous = &snapshot.PreviousEntry{Release: r.before.Release, SHA256: hex.EncodeToString(r.known[:])}
	}
	for j := range shards {
		i.Shards = append(i.Shards, intentShard{Shard: shards[j].shard, Release: shards[j].manifest.Release, SHA256: shards[j].sum})
	}
	return i
}

// stageShard links the manifest of a shard and the files that the union before does not
// have already, and returns what has to be made durable.
func (r *unionRun) stageShard(stage string, s *shardRelease) ([]string, error) {
	to := filepath.Join(stage, snapshot.ShardDir(s.shard))
	if err := r.FS.MkdirAll(to); err != nil {
		return nil, err
	}
	files := &releaseFiles{FS: r.FS, from: s.dir, to: to, dirs: map[string]bool{}}
	entry := snapshot.FileEntry{Name: snapshot.ManifestName, Bytes: int64(len(s.raw)), SHA256: s.sum}
	if err := files.Keep(entry.Name, entry); err != nil {
		return nil, err
	}
	for i := range s.manifest.Parts {
		p := &s.manifest.Parts[i]
		if r.standing(s.shard, p) {
			continue
		}
		for _, f := range p.Files {
			if err := files.Keep(path.Join(p.Part, f.Name), f); err != nil {
				return nil, err
			}
		}
	}
	return append(files.unsynced(), to), nil
}

// standing reports that the union before has the files of a part: then they are linked
// from there, wherever the shard keeps its own. Parts never change.
func (r *unionRun) standing(shard int, p *snapshot.PartEntry) bool {
	if r.before == nil {
		return false
	}
	return slices.ContainsFunc(r.before.PartsOfShard(shard), func(have snapshot.PartEntry) bool {
		return have.Part == p.Part && slices.Equal(have.Files, p.Files)
	})
}

// copyHierarchies copies the hierarchy files that the manifests name, before anything is
// decided that needs them.
func (r *unionRun) copyHierarchies(shards []shardRelease) error {
	dir, copied := filepath.Join(r.Dir, snapshot.HierarchyDir), false
	for i := range shards {
		s := &shards[i]
		for _, a := range s.manifest.Schema {
			if a.Hierarchy == nil || a.Hierarchy.File == "" {
				continue
			}
			if err := r.copyHierarchy(s, a.Hierarchy); err != nil {
				return fmt.Errorf("copy the hierarchy of attribute %q from shard %d: %w", a.Name, s.shard, err)
			}
			copied = true
		}
	}
	if !copied {
		return nil
	}
	return r.FS.Sync(dir)
}

func (r *unionRun) copyHierarchy(s *shardRelease, h *snapshot.HierarchyEntry) error {
	if path.Dir(h.File) != snapshot.HierarchyDir {
		return fmt.Errorf("%w: the manifest names a file outside %s", snapshot.ErrDamaged, snapshot.HierarchyDir)
	}
	to := filepath.Join(r.Dir, filepath.FromSlash(h.File))
	if old, err := r.FS.ReadFile(to); err == nil {
		if sum := sha256.Sum256(old); hex.EncodeToString(sum[:]) != h.SHA256 {
			return fmt.Errorf("%w: %s has other bytes", ErrDifferent, to)
		}
		return nil
	} else if !notExist(err) {
		return err
	}
	data, err := r.FS.ReadFile(filepath.Join(snapshot.ChainDir(r.Dir, s.shard), filepath.FromSlash(h.File)))
	if err != nil {
		return missing(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != h.SHA256 {
		return fmt.Errorf("%w: it is not what the manifest says", snapshot.ErrDamaged)
	}
	if err := r.FS.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	return r.replace(to, data)
}

// replace is replaceFile under a temporary name of this process.
func (r *unionRun) replace(to string, data []byte) error {
	return replaceBy(r.FS, to, snapshot.Temporary+r.Owner+"-"+filepath.Base(to), data, nil)
}

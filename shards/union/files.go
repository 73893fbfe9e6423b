package union

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"anond/internal/disk"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// propose makes the intent durable and gives it its name, unless another union was first.
func (r *run) propose(shards []shardRelease) error {
	if err := disk.MakeDir(r.FS, r.Dir); err != nil { // a shard may have made it just now
		return err
	}
	if err := r.copies(shards); err != nil {
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
	text := publish.NewFiles(r.FS, "", stage)
	if err := text.Write(intentName, data); err != nil {
		return err
	}
	if err := publish.AsWritten(r.FS, filepath.Join(stage, intentName), sha256.Sum256(data)); err != nil { // a decision stays
		return err
	}
	durable := text.Unsynced()
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
func (r *run) examine(proposed *intent, stage string) error {
	r.intent = proposed
	defer func() { r.intent = nil }()
	if err := r.renderFrom(stage); err != nil {
		return err
	}
	switch err := r.union.Gate(r.Dir, r.steps.Staged()); {
	case err == nil:
		r.passed = proposed
	case !r.Named():
		return err
	}
	return nil // or another union has finished the release: the name of the intent is taken
}

// nameIntent gives the intent its name, once.
func (r *run) nameIntent(stage string) error {
	intents := filepath.Join(r.Dir, snapshot.IntentsDir)
	if err := r.FS.MkdirAll(intents); err != nil {
		return err
	}
	if err := r.FS.Rename(stage, intentDir(r.Dir, r.number())); err != nil && !publish.Taken(err) {
		return err
	}
	return errors.Join(r.FS.Sync(intents), r.FS.Sync(r.Dir))
}

// intentOf is the decision that this run would take. Time does not go back.
func (r *run) intentOf(shards []shardRelease) *intent {
	i := &intent{FormatVersion: intentVersion, Release: r.number(), CreatedAt: r.now.Format(time.RFC3339), Of: r.Of}
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
func (r *run) stageShard(stage string, s *shardRelease) ([]string, error) {
	to := filepath.Join(stage, snapshot.ShardDir(s.shard))
	if err := r.FS.MkdirAll(to); err != nil {
		return nil, err
	}
	files := publish.NewFiles(r.FS, s.dir, to)
	entry := snapshot.FileEntry{Name: snapshot.ManifestName, Bytes: int64(len(s.raw)), SHA256: s.sum}
	if err := files.Keep(entry.Name, entry); err != nil {
		return nil, err
	}
	for _, d := range s.manifest.DocumentEntries() {
		if err := files.Keep(d.Name, d); err != nil {
			return nil, err
		}
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
	return append(files.Unsynced(), to), nil
}

// standing reports that the union before has the files of a part: then they are linked
// from there, wherever the shard keeps its own. Parts never change.
func (r *run) standing(shard int, p *snapshot.PartEntry) bool {
	if r.before == nil {
		return false
	}
	return slices.ContainsFunc(r.before.PartsOfShard(shard), func(have snapshot.PartEntry) bool {
		return have.Part == p.Part && slices.Equal(have.Files, p.Files)
	})
}

// copies makes the files next to the releases that the manifests of shards name, before anything is decided that needs them.
func (r *run) copies(shards []shardRelease) error {
	var copies []publish.Copy
	for i := range shards {
		s := &shards[i]
		for _, c := range s.manifest.Copies() {
			c.Of = fmt.Sprintf("copy the %s from shard %d", c.Of, s.shard)
			if !c.Placed() {
				return fmt.Errorf("%s: %w: the manifest names a file outside %s", c.Of, snapshot.ErrDamaged, snapshot.HierarchyDir)
			}
			copies = append(copies, publish.Copy{Copy: c, Read: func() ([]byte, error) {
				data, err := r.FS.ReadFile(filepath.Join(snapshot.ChainDir(r.Dir, s.shard), filepath.FromSlash(c.File)))
				if errors.Is(err, fs.ErrNotExist) {
					err = fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
				}
				return data, err
			}})
		}
	}
	return r.KeepCopies(copies)
}

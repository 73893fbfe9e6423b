package union

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// ErrForked: a shard has published two releases of one number, or does not continue the
// chain that a union was made of: somebody publishes the same records twice (rule F,
// forbidden; exit 3).
var ErrForked = fault.Errorf(fault.Privacy, "nothing was published: stop both publishers of the shard, and go on with the state that "+
	"published what the union has",
	"a shard has a second history")

// ShardBehindError is publish.ErrBehind of a shard: the union knows more of it than its directory
// does, as after a restore of an old copy.
type ShardBehindError struct {
	Shard       int
	Have, Union uint32
}

func (e *ShardBehindError) Error() string {
	return fmt.Sprintf("%v: shard %d has release %d, and the union was made of its release %d: restore the directory of the shard, "+
		"and its state, to what they were then or later", publish.ErrBehind, e.Shard, e.Have, e.Union)
}

// Unwrap makes errors.Is(err, publish.ErrBehind) true.
func (e *ShardBehindError) Unwrap() error { return publish.ErrBehind }

// shardRelease is a release of a shard, as a union takes it in.
type shardRelease struct {
	shard    int
	dir      string // of the release
	manifest *snapshot.Manifest
	raw      []byte // of the manifest
	sum      string // its SHA-256
	settings shardSettings
}

func readShardRelease(files snapshot.FS, dir string, shard int) (*shardRelease, error) {
	raw, err := files.ReadFile(filepath.Join(dir, snapshot.ManifestName))
	if err != nil {
		return nil, err
	}
	m, err := snapshot.DecodeManifest(raw)
	if err != nil {
		return nil, fmt.Errorf("shard %d: %s: %w", shard, filepath.Base(dir), err)
	}
	sum := sha256.Sum256(raw)
	s := &shardRelease{shard: shard, dir: dir, manifest: m, raw: raw, sum: hex.EncodeToString(sum[:])}
	s.settings, err = settingsIn(raw)
	return s, err
}

// noneBeyond refuses a number of shards that is too small, before the first release fixes it: a table that lacks the people of
// some shards would be published, since no manifest of a shard says how many there are.
func (u *union) noneBeyond() error {
	names, err := u.FS.ReadDir(filepath.Join(u.Dir, snapshot.ShardsDir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, name := range names {
		shard, err := strconv.Atoi(name)
		if err != nil || shard < u.Of || strconv.Itoa(shard) != name {
			continue
		}
		on, err := snapshot.Scan(u.FS, snapshot.ChainDir(u.Dir, shard))
		if err != nil {
			return err
		}
		if on.Current > 0 {
			return fmt.Errorf("%w: shard %d has a release, and this union is told of %d shards", ErrShards, shard, u.Of)
		}
	}
	return nil
}

// newestOf reads the newest release of a shard that is fully published; nil: there is
// none yet. known is what the union before has of the shard. That release must be there
// still, and the newest must descend from it: its chain is followed back.
func (u *union) newestOf(shard int, known snapshot.ShardEntry) (*shardRelease, error) {
	dir := snapshot.ChainDir(u.Dir, shard)
	for attempt := 0; ; attempt++ {
		s, err := u.newestIn(dir, shard, known)
		// The shard may prune what CURRENT has just named.
		if attempt < 3 && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil && !errors.Is(err, publish.ErrBehind) && !errors.Is(err, ErrForked) && !errors.Is(err, ErrShards) {
			err = fmt.Errorf("read shard %d: %w", shard, err)
		}
		return s, err
	}
}

func (u *union) newestIn(dir string, shard int, known snapshot.ShardEntry) (*shardRelease, error) {
	on, err := snapshot.Scan(u.FS, dir)
	if err != nil {
		return nil, err
	}
	if on.Current < known.Release {
		return nil, &ShardBehindError{Shard: shard, Have: on.Current, Union: known.Release}
	}
	if on.Current == 0 {
		return nil, nil
	}
	s, err := readShardRelease(u.FS, snapshot.DirOf(dir, on.Current), shard)
	if err != nil {
		return nil, err
	}
	if s.manifest.Release != on.Current {
		return nil, fmt.Errorf("%w: %s says release %d", snapshot.ErrDamaged, snapshot.DirOf(dir, on.Current), s.manifest.Release)
	}
	return s, u.descends(dir, on, s, known)
}

// descends follows the chain of a release back to the one that the union knows.
func (u *union) descends(dir string, on *snapshot.Contents, s *shardRelease, known snapshot.ShardEntry) error {
	if known.Release == 0 {
		return nil
	}
	forked := func(at uint32) error {
		return fmt.Errorf("%w: release %d of shard %d is not the one that the union was made of: "+
			"stop the shard, and find out which of two processes or states published it", ErrForked, at, s.shard)
	}
	sum, before := s.sum, s.manifest.Previous
	for n := s.manifest.Release; n > known.Release; n-- {
		if before == nil || before.Release != n-1 {
			return forked(n)
		}
		sum = before.SHA256
		if n-1 == known.Release {
			break
		}
		m, have, err := on.ManifestOf(u.FS, dir, n-1)
		if err != nil {
			return err
		}
		if hex.EncodeToString(have[:]) != sum {
			return forked(n - 1)
		}
		before = m.Previous
	}
	if sum != known.SHA256 {
		return forked(known.Release)
	}
	return nil
}

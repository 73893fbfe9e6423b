package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unionVector is what the manifest of a union says of its shards.
type unionVector struct {
	Of       int          `json:"of"`
	Settings string       `json:"settings"` // SHA-256, see settingsOf
	Root     string       `json:"root"`     // SHA-256, see (*unionVector).root
	Shards   []unionShard `json:"shards"`
}

// unionShard is one of them; release 0: it has none yet.
type unionShard struct {
	Shard     int    `json:"shard"`
	Release   int    `json:"release"`
	SHA256    string `json:"sha256"`
	CreatedAt string `json:"created_at"`
	Records   int    `json:"records"`
	Classes   int    `json:"classes"`
	Buckets   int    `json:"buckets"`
	Pending   int    `json:"pending"`
}

// maxUnionShards bounds what a manifest may list.
const maxUnionShards = 4096

// root is the SHA-256 of a line for each shard with a release: shard, release, manifest.
func (v *unionVector) root() string {
	hash := sha256.New()
	for _, s := range v.Shards {
		if s.Release > 0 {
			fmt.Fprintf(hash, "%d %d %s\n", s.Shard, s.Release, s.SHA256)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func shardName(shard int) string { return "shard-" + strconv.Itoa(shard) }

// isUnion reports that the newest release of a directory is a union.
func isUnion(dir string) (bool, error) {
	numbers, err := listReleases(dir)
	if err != nil {
		return false, err
	}
	data, err := readFile(filepath.Join(dir, dirName(numbers[len(numbers)-1]), "manifest.json"))
	if err != nil {
		return false, nil // whoever reads it says so
	}
	var form struct {
		Version int `json:"format_version"`
	}
	return json.Unmarshal(data, &form) == nil && form.Version == formatUnion, nil
}

// checkUnion tests what any later step relies on.
func (m *Manifest) checkUnion() string {
	u := m.Union
	switch {
	case m.FormatVersion != formatUnion:
		return "is not the manifest of a union, among releases of one"
	case u == nil || u.Of < 1 || u.Of > maxUnionShards || len(u.Shards) > maxUnionShards || !isSHA(u.Settings) || !isSHA(u.Root):
		return "does not say of which shards it is the union"
	}
	for _, s := range u.Shards {
		if s.Shard < 0 || s.Release < 0 || s.Release > 0 && !isSHA(s.SHA256) || !inRange(s.Records) || !inRange(s.Classes) ||
			!inRange(s.Buckets) || s.Pending < 0 {
			return "an entry of its shards is malformed"
		}
	}
	for i := range m.Parts {
		if p := m.Parts[i].Shard; p == nil || *p < 0 {
			return "an entry of parts does not name its shard"
		}
	}
	return m.checkFields()
}

// unionRelease is a release of a union, with the manifests of the shards that lie in it.
type unionRelease struct {
	number   int // of its directory
	dir      string
	pruned   bool // its manifest is all that is left
	man      *Manifest
	settings string
	shards   map[int]*shardManifest
}

// shardManifest is the manifest of a shard's release.
type shardManifest struct {
	man      *Manifest
	settings string
}

// readUnion reads the manifests of a release: its own, and those of its vector.
func readUnion(dir string, number int) (*unionRelease, error) {
	return readVector(filepath.Join(dir, "manifest.json"), dir, number, func(s unionShard) string {
		return filepath.Join(dir, shardName(s.Shard), "manifest.json")
	})
}

// readPrunedUnion reads those of a release whose directory was removed. The manifests of
// its vector are in the chains of the shards.
func readPrunedUnion(dir string, number int) (*unionRelease, error) {
	top := filepath.Dir(dir)
	r, err := readVector(filepath.Join(top, prunedDir, dirName(number)+".json"), dir, number, func(s unionShard) string {
		chain := filepath.Join(top, "shards", strconv.Itoa(s.Shard))
		path := filepath.Join(chain, dirName(s.Release), "manifest.json")
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			path = filepath.Join(chain, prunedDir, dirName(s.Release)+".json")
		}
		return path
	})
	if err == nil {
		r.pruned = true
	}
	return r, err
}

// readVector reads the manifest of a union, and those of its vector where they are.
func readVector(path, dir string, number int, of func(unionShard) string) (*unionRelease, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	r := &unionRelease{number: number, dir: dir, shards: map[int]*shardManifest{}}
	if r.man, err = parseAs(path, data, (*Manifest).checkUnion); err != nil {
		return nil, err
	}
	if r.settings, err = settingsOf(path, data); err != nil {
		return nil, err
	}
	for _, s := range r.man.Union.Shards {
		if s.Release == 0 || r.shards[s.Shard] != nil {
			continue
		}
		if _, err := os.Lstat(of(s)); os.IsNotExist(err) {
			continue // checkShardOf reports it
		}
		if r.shards[s.Shard], err = readShard(of(s)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func readShard(path string) (*shardManifest, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	s := &shardManifest{}
	if s.man, err = parseManifest(path, data); err != nil {
		return nil, err
	}
	s.settings, err = settingsOf(path, data)
	return s, err
}

// settingsOf is the SHA-256 of one line for each key that all shards must have alike, as
// docs/FORMAT.md describes: key=value, where the value is that of the file without white
// space.
func settingsOf(file string, data []byte) (string, error) {
	var all map[string]jsontext.Value
	if json.Unmarshal(data, &all) != nil {
		return "", unreadable(file, 0, "is not a manifest")
	}
	hash := sha256.New()
	for _, key := range []string{"dataset", "schema", "policy", "recoding", "values"} {
		value, ok := all[key]
		if !ok {
			continue
		}
		if value.Compact() != nil {
			return "", unreadable(file, 0, "is not a manifest")
		}
		fmt.Fprintf(hash, "%s=%s\n", key, value)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

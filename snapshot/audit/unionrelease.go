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

	"anond/snapshot/audit/format"
)

func shardName(shard int) string { return "shard-" + strconv.Itoa(shard) }

// isUnion reports that the newest release of a directory is a union.
func isUnion(dir string) (bool, error) {
	numbers, err := format.ListReleases(dir)
	if err != nil {
		return false, err
	}
	data, err := format.ReadFile(filepath.Join(dir, format.DirName(numbers[len(numbers)-1]), "manifest.json"))
	if err != nil {
		return false, nil // whoever reads it says so
	}
	var form struct {
		Union *struct{} `json:"union"`
	}
	return json.Unmarshal(data, &form) == nil && form.Union != nil, nil
}

// unionRelease is a release of a union, with the manifests of the shards that lie in it.
type unionRelease struct {
	number   int // of its directory
	dir      string
	pruned   bool // its manifest is all that is left
	man      *format.Manifest
	settings string
	shards   map[int]*shardManifest
	gone     map[int]bool // shards of whose release the ledger alone is left
}

// shardManifest is the manifest of a shard's release.
type shardManifest struct {
	man      *format.Manifest
	settings string
}

// readUnion reads the manifests of a release: its own, and those of its vector.
func readUnion(dir string, number int) (*unionRelease, error) {
	return readVector(filepath.Join(dir, "manifest.json"), dir, number, func(s format.UnionShard) string {
		return filepath.Join(dir, shardName(s.Shard), "manifest.json")
	})
}

// readPrunedUnion reads those of a release whose directory was removed. The manifests of
// its vector are in the chains of the shards.
func readPrunedUnion(dir string, number int) (*unionRelease, error) {
	top := filepath.Dir(dir)
	r, err := readVector(filepath.Join(top, format.PrunedDir, format.DirName(number)+".json"), dir, number, func(s format.UnionShard) string {
		releases := filepath.Join(top, "shards", strconv.Itoa(s.Shard))
		path := filepath.Join(releases, format.DirName(s.Release), "manifest.json")
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			path = filepath.Join(releases, format.PrunedDir, format.DirName(s.Release)+".json")
		}
		return path
	})
	if err == nil {
		r.pruned = true
	}
	return r, err
}

// readVector reads the manifest of a union, and those of its vector where they are.
func readVector(path, dir string, number int, of func(format.UnionShard) string) (*unionRelease, error) {
	data, err := format.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &unionRelease{number: number, dir: dir, shards: map[int]*shardManifest{}}
	if r.man, err = format.ParseAs(path, data, (*format.Manifest).CheckUnion); err != nil {
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
	data, err := format.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &shardManifest{}
	if s.man, err = format.ParseManifest(path, data); err != nil {
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
		return "", format.Unreadable(file, 0, "is not a manifest")
	}
	hash := sha256.New()
	for _, key := range []string{"dataset", "schema", "policy", "recoding", "values", "tables", "window", "erasure"} {
		value, ok := all[key]
		if !ok {
			continue
		}
		if value.Compact() != nil {
			return "", format.Unreadable(file, 0, "is not a manifest")
		}
		fmt.Fprintf(hash, "%s=%s\n", key, value)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

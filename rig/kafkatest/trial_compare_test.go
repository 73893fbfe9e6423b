package kafkatest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot"
)

// compared is how much of two sites was compared.
type compared struct {
	Releases, Files int
	Bytes           int64
}

// compare holds every release of each shard of a site, and the newest release of its union,
// against those of another site: all files byte by byte, and the manifests but for created_at
// and the hashes that follow from it. It returns what differs.
func compare(one, other string, shards int) (c compared, faults []string, err error) {
	for i := range shards {
		below := filepath.Join("releases/shards", fmt.Sprint(i))
		a, b, err := newest(filepath.Join(one, below), filepath.Join(other, below))
		if err != nil {
			return c, nil, err
		}
		if a != b {
			faults = append(faults, fmt.Sprintf("shard %d has %d releases, and %d in the other run", i, a, b))
			continue
		}
		for n := range a {
			name := filepath.Join(below, fmt.Sprintf("%06d", n+1))
			more, err := c.release(filepath.Join(one, name), filepath.Join(other, name), ofShard)
			if err != nil {
				return c, nil, err
			}
			faults = append(faults, more...)
		}
	}
	one, other = filepath.Join(one, "releases"), filepath.Join(other, "releases")
	a, b, err := newest(one, other)
	if err != nil {
		return c, nil, err
	}
	more, err := c.release(filepath.Join(one, fmt.Sprintf("%06d", a)), filepath.Join(other, fmt.Sprintf("%06d", b)), ofUnion)
	return c, append(faults, more...), err
}

// newest are the numbers of the newest releases of two chains.
func newest(one, other string) (a, b uint32, err error) {
	x, err := snapshot.Show(snapshot.OS(), one, 0)
	if err != nil {
		return 0, 0, err
	}
	y, err := snapshot.Show(snapshot.OS(), other, 0)
	if err != nil {
		return 0, 0, err
	}
	return x.Release, y.Release, nil
}

// release compares two releases.
func (c *compared) release(a, b string, strip func(map[string]any)) (faults []string, err error) {
	c.Releases++
	x, err := filesBelow(a)
	if err != nil {
		return nil, err
	}
	y, err := filesBelow(b)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(x, y) {
		return []string{fmt.Sprintf("%s and %s have different files: %v, %v", a, b, x, y)}, nil
	}
	for _, name := range x {
		same, err := c.file(filepath.Join(a, name), filepath.Join(b, name), strip)
		if err != nil {
			return nil, err
		}
		if !same {
			faults = append(faults, fmt.Sprintf("%s differs in %s and %s", name, a, b))
		}
	}
	return faults, nil
}

func (c *compared) file(a, b string, strip func(map[string]any)) (same bool, err error) {
	x, err1 := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	if err := errors.Join(err1, err2); err != nil {
		return false, err
	}
	c.Files, c.Bytes = c.Files+1, c.Bytes+int64(len(x))
	if filepath.Base(a) != "manifest.json" {
		return bytes.Equal(x, y), nil
	}
	if dir := filepath.Base(filepath.Dir(a)); strings.HasPrefix(dir, "shard-") {
		strip = ofShard // a copy, next to the parts of the shard
	}
	for _, text := range []*[]byte{&x, &y} {
		var m map[string]any
		if err := json.Unmarshal(*text, &m); err != nil {
			return false, fmt.Errorf("%s: %w", a, err)
		}
		strip(m)
		if *text, err = json.Marshal(m); err != nil {
			return false, err
		}
	}
	return bytes.Equal(x, y), nil
}

// ofShard takes out of a manifest when it was made, and the hash of the one before, in which
// that is.
func ofShard(m map[string]any) { drop(m, "created_at", "previous") }

// ofUnion takes the same out of the manifest of a union: of itself and of each shard. Its
// number is out, too: how often a union looks depends on time.
func ofUnion(m map[string]any) {
	drop(m, "created_at", "previous", "release")
	union, _ := m["union"].(map[string]any)
	drop(union, "root")
	shards, _ := union["shards"].([]any)
	for _, s := range shards {
		if s, ok := s.(map[string]any); ok {
			drop(s, "created_at", "sha256")
		}
	}
}

func drop(m map[string]any, keys ...string) {
	maps.DeleteFunc(m, func(key string, _ any) bool { return slices.Contains(keys, key) })
}

// filesBelow are the names of all files of a release.
func filesBelow(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		out = append(out, name)
		return err
	})
	return out, err
}

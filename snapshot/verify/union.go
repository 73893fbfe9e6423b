package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"anond/snapshot"
)

// union holds the names in a release of a union, and its files, against its manifest. In
// the directory of each shard are the manifest that the vector names, and the parts.
func (v *verifier) union(n uint32, m *snapshot.Manifest, names []string) {
	named := map[string]bool{snapshot.ManifestName: true}
	for i := range m.Union.Shards {
		s := &m.Union.Shards[i]
		if s.Release == 0 {
			continue
		}
		named[snapshot.ShardDir(s.Shard)] = true
		v.shard(n, m, s)
	}
	for _, name := range names {
		if !named[name] {
			v.find(n, snapshot.DirName(n)+"/"+name, FindUnexpectedFile, "the manifest does not name it")
		}
	}
}

func (v *verifier) shard(n uint32, m *snapshot.Manifest, s *snapshot.ShardEntry) {
	dir := snapshot.DirName(n) + "/" + snapshot.ShardDir(s.Shard)
	full := filepath.Join(v.dir, filepath.FromSlash(dir))
	inside, err := v.ReadDir(full)
	switch {
	case notExist(err):
		v.find(n, dir, FindMissingFile, "the manifest names it")
		return
	case err != nil:
		v.find(n, dir, FindUnreadable, "%v", err)
		return
	}
	data, err := v.ReadFile(filepath.Join(full, snapshot.ManifestName))
	sum := sha256.Sum256(data)
	switch {
	case notExist(err):
		v.find(n, dir+"/"+snapshot.ManifestName, FindMissingFile, "the vector names it")
	case err != nil:
		v.find(n, dir+"/"+snapshot.ManifestName, FindUnreadable, "%v", err)
	case hex.EncodeToString(sum[:]) != s.SHA256:
		v.find(n, dir+"/"+snapshot.ManifestName, FindHash, "it is not the manifest that the vector names")
	}
	named := map[string]bool{snapshot.ManifestName: true}
	if own, err := snapshot.DecodeManifest(data); err == nil {
		for _, d := range own.DocumentEntries() {
			named[d.Name] = true
			v.hash(n, dir+"/"+d.Name, d)
		}
	}
	parts := m.PartsOfShard(s.Shard)
	for i := range parts {
		named[parts[i].Part] = true
		v.part(n, &parts[i])
	}
	for _, name := range inside {
		if !named[name] {
			v.find(n, dir+"/"+name, FindUnexpectedFile, "the manifest does not name it")
		}
	}
}

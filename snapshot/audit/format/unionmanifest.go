package format

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// unionVector is what the manifest of a union says of its shards.
type unionVector struct {
	Of       int          `json:"of"`
	Settings string       `json:"settings"` // SHA-256, see settingsOf
	Root     string       `json:"root"`     // SHA-256, see (*unionVector).root
	Shards   []UnionShard `json:"shards"`
}

// UnionShard is one of them; release 0: it has none yet.
type UnionShard struct {
	Shard      int    `json:"shard"`
	Release    int    `json:"release"`
	SHA256     string `json:"sha256"`
	CreatedAt  string `json:"created_at"`
	Records    int    `json:"records"`
	Classes    int    `json:"classes"`
	Buckets    int    `json:"buckets"`
	Pending    int    `json:"pending"`
	Expired    int    `json:"expired"`
	PeopleEver int    `json:"people_ever"`
}

// maxUnionShards bounds what a manifest may list.
const maxUnionShards = 4096

// RootOf is the SHA-256 of a line for each shard with a release: shard, release, manifest.
func (v *unionVector) RootOf() string {
	hash := sha256.New()
	for _, s := range v.Shards {
		if s.Release > 0 {
			fmt.Fprintf(hash, "%d %d %s\n", s.Shard, s.Release, s.SHA256)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// CheckUnion tests what any later step relies on.
func (m *Manifest) CheckUnion() string {
	u := m.Union
	switch {
	case u == nil:
		return "is not the manifest of a union, among releases of one"
	case u.Of < 1 || u.Of > maxUnionShards || len(u.Shards) > maxUnionShards || !IsSHA(u.Settings) || !IsSHA(u.Root) || m.Expired != 0:
		return "does not say of which shards it is the union"
	}
	for _, s := range u.Shards {
		if s.Shard < 0 || s.Release < 0 || s.Release > 0 && !IsSHA(s.SHA256) || !inRange(s.Records) || !inRange(s.Classes) ||
			!inRange(s.Buckets) || s.Pending < 0 || s.Expired < 0 || s.Expired >= max(1, s.Release) || !inRange(s.PeopleEver) ||
			m.Window == "" && s.Expired > 0 || !m.loses() && s.PeopleEver > 0 {
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

package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// UnionEntry says of which releases of which shards a release is the union.
type UnionEntry struct {
	Of       int    `json:"of"`       // how many shards there are
	Settings string `json:"settings"` // SHA-256 of what all of them declare alike, see settingsDigest
	Root     string `json:"root"`     // SHA-256 over the vector, see rootOf
	// Shards are the vector: each shard, in order. One that has no release yet has
	// release 0.
	Shards []ShardEntry `json:"shards"`
}

// ShardEntry is what a union has of a shard: a release, its manifest, and its counts.
type ShardEntry struct {
	Shard      int    `json:"shard"`
	Release    uint32 `json:"release"`
	SHA256     string `json:"sha256,omitempty"` // of the manifest of that release
	CreatedAt  string `json:"created_at,omitempty"`
	Records    int    `json:"records"`
	Classes    int    `json:"classes"`
	Buckets    int    `json:"buckets,omitempty"` // level L2
	Pending    int    `json:"pending"`
	Expired    uint32 `json:"expired,omitempty"`     // what releases of the shard up to it gave birth to has left
	PeopleEver int    `json:"people_ever,omitempty"` // with a window: whom the shard has ever published
}

// MaxShards is how many shards a union has at most: its manifest lists each.
const MaxShards = 4096

// Names of shards: below the releases directory, where each publishes a chain of its own,
// and in a release of the union.
const (
	ShardsDir   = "shards"
	ShardPrefix = "shard-"
)

// ShardDir is the directory of a shard's parts in a release.
func ShardDir(shard int) string { return ShardPrefix + strconv.Itoa(shard) }

// ChainDir is the releases directory of a shard.
func ChainDir(dir string, shard int) string {
	return filepath.Join(dir, ShardsDir, strconv.Itoa(shard))
}

// RootOf is the SHA-256 of one line for each shard that has a release: shard SP release
// SP manifest sha256 LF. So whoever has it has, by the chains of the shards, the hash of
// every file that went in.
func RootOf(shards []ShardEntry) string {
	var text []byte
	for _, s := range shards {
		if s.Release > 0 {
			text = fmt.Appendf(text, "%d %d %s\n", s.Shard, s.Release, s.SHA256)
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// partsOf are the parts of a shard in a union. They stand next to each other.
func (m *Manifest) PartsOfShard(shard int) []PartEntry {
	from := slices.IndexFunc(m.Parts, func(p PartEntry) bool { return *p.Shard == shard })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(m.Parts) && *m.Parts[to].Shard == shard {
		to++
	}
	return m.Parts[from:to]
}

// checkUnion demands of the manifest of a union what readers rely on: each shard once and
// in order, and the parts of each, which are those of one publisher.
func checkUnion(m *Manifest) error {
	u := m.Union
	if u == nil || u.Of < 1 || u.Of > MaxShards || len(u.Shards) != u.Of || m.Expired > 0 {
		return wrongManifest("it does not list the shards of its union")
	}
	at := 0
	for i, s := range u.Shards {
		if s.Shard != i || (s.Release > 0) != (s.SHA256 != "") {
			return wrongManifest("shard " + strconv.Itoa(i) + " is out of order, or has a release without manifest")
		}
		if s.Expired > 0 && (m.Window == "" || s.Expired >= s.Release) {
			return wrongManifest("something of shard " + strconv.Itoa(i) + " has left, and there is no window, or not yet such a release")
		}
		to := at
		for to < len(m.Parts) && m.Parts[to].Shard != nil && *m.Parts[to].Shard == i {
			to++
		}
		if to > at && s.Release == 0 || to == at && s.Release > 0 && s.Expired == 0 {
			return wrongManifest("shard " + strconv.Itoa(i) + " has a release and no parts, or parts and no release")
		}
		if err := checkRun(m.Parts[at:to], at, s.Expired, m.Window != "" || m.Erasure != nil); err != nil {
			return err
		}
		at = to
	}
	if at != len(m.Parts) {
		return wrongManifest("parts are not listed shard by shard")
	}
	return nil
}

package union

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"anond/internal/fault"
	"anond/snapshot"
)

// ErrShards: what lies below shards/ cannot be united: settings that differ, another
// number of shards (exit 78).
var ErrShards = fault.Errorf(fault.Config, "give all shards one configuration but for shard.index, release.dir and state, and name "+
	"their number in --shards",
	"the shards cannot be united")

var errNoObject = fmt.Errorf("%w: %s: it is no JSON object", snapshot.ErrDamaged, snapshot.ManifestName)

// settingsKeys are the keys of a manifest that all shards of a union must have alike, in
// the order in which they are hashed. Whatever a promise rests on is among them; what a
// shard reaches (privacy, quality) is not.
var settingsKeys = []string{"dataset", "schema", "policy", "recoding", "values", "tables", "window", "erasure"}

// shardSettings are the values of these keys as they stand in a manifest, without white
// space; a key that is not there has none.
type shardSettings map[string][]byte

// settingsIn reads them from the bytes of a manifest, so that keys of a policy that this
// version does not know count as well.
func settingsIn(manifest []byte) (shardSettings, error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(manifest, &all) != nil {
		return nil, errNoObject
	}
	out := shardSettings{}
	for _, key := range settingsKeys {
		value, ok := all[key]
		if !ok {
			continue
		}
		var buf bytes.Buffer
		if json.Compact(&buf, value) != nil {
			return nil, errNoObject
		}
		out[key] = buf.Bytes()
	}
	return out, nil
}

// digest is the SHA-256 of one line for each key that is there: key = value LF.
func (s shardSettings) digest() string {
	hash := sha256.New()
	for _, key := range settingsKeys {
		if value, ok := s[key]; ok {
			fmt.Fprintf(hash, "%s=%s\n", key, value)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// differs names the keys in which two shards differ.
func (s shardSettings) differs(other shardSettings) (keys []string) {
	for _, key := range settingsKeys {
		if !bytes.Equal(s[key], other[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// sameSettings demands equal settings of all shards, and returns their digest. The error
// names the shards and the keys, and quotes neither: a policy may name sensitive values.
func sameSettings(shards []shardRelease) (string, error) {
	var wrong []string
	var keys []string
	for i := range shards {
		for _, key := range shards[0].settings.differs(shards[i].settings) {
			if name := fmt.Sprint(shards[i].shard); !slices.Contains(wrong, name) {
				wrong = append(wrong, name)
			}
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	if len(wrong) > 0 {
		return "", fmt.Errorf("%w: %s in other settings than shard %d: their manifests differ in %s", ErrShards,
			plural(wrong, "shard %s published", "shards %s published"), shards[0].shard, strings.Join(keys, ", "))
	}
	return shards[0].settings.digest(), nil
}

func plural(names []string, one, several string) string {
	if len(names) == 1 {
		return fmt.Sprintf(one, names[0])
	}
	return fmt.Sprintf(several, strings.Join(names, ", "))
}

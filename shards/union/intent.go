package union

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"anond/snapshot"
)

// intent is the decision about a release of a union: from it, the manifests and
// files of the releases that it names, and the release before follows every byte.
//
// It is the file intent.json in a directory of its own, which also holds links to the
// files that are new since the release before: the shards may prune their releases before
// the union is finished. The directory gets its name in one step that fails if the name
// is taken, so that of several unions one decides, and all carry it out.
type intent struct {
	FormatVersion int                     `json:"format_version"`
	Release       uint32                  `json:"release"`
	CreatedAt     string                  `json:"created_at"` // RFC 3339, UTC
	Of            int                     `json:"of"`
	Previous      *snapshot.PreviousEntry `json:"previous"`
	Shards        []intentShard           `json:"shards"` // those that have a release, in order
}

// intentShard names the release of a shard.
type intentShard struct {
	Shard   int    `json:"shard"`
	Release uint32 `json:"release"`
	SHA256  string `json:"sha256"` // of its manifest
}

const (
	intentVersion = 1
	intentName    = "intent.json"
)

// intentDir is where the intent of a release is.
func intentDir(dir string, release uint32) string {
	return filepath.Join(dir, snapshot.IntentsDir, snapshot.DirName(release))
}

func (i *intent) encode() ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetIndent("", "  ")
	if err := e.Encode(i); err != nil {
		return nil, fmt.Errorf("write %s: %w", intentName, err)
	}
	return buf.Bytes(), nil
}

// decodeIntent reads an intent: exactly what encode writes, and nothing that no union
// decides. The error does not quote the content.
func decodeIntent(data []byte) (*intent, error) {
	wrong := func(what string) error { return fmt.Errorf("%w: %s: %s", snapshot.ErrDamaged, intentName, what) }
	i := &intent{}
	if json.Unmarshal(data, i) != nil {
		return nil, wrong("it is no intent")
	}
	if i.FormatVersion != intentVersion {
		return nil, wrong(fmt.Sprintf("it has format_version %d, this anond knows %d", i.FormatVersion, intentVersion))
	}
	again, err := i.encode()
	if err != nil || !bytes.Equal(again, data) {
		return nil, wrong("it is not as a union writes it")
	}
	if _, err := time.Parse(time.RFC3339, i.CreatedAt); err != nil || i.Release == 0 || i.Of < 1 || i.Of > snapshot.MaxShards {
		return nil, wrong("its time, its number or the number of shards is out of range")
	}
	if p := i.Previous; (p == nil) != (i.Release == 1) || p != nil && (p.Release+1 != i.Release || !isSum(p.SHA256)) {
		return nil, wrong("it does not name the release before")
	}
	before := -1
	for _, s := range i.Shards {
		if s.Shard <= before || s.Shard >= i.Of || s.Release == 0 || !isSum(s.SHA256) {
			return nil, wrong("its shards are out of order, or one has no release")
		}
		before = s.Shard
	}
	if len(i.Shards) == 0 {
		return nil, wrong("it names no shard")
	}
	return i, nil
}

// isSum reports a SHA-256 as manifests write it.
func isSum(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32 && hex.EncodeToString(sum) == text
}

// readIntent reads the intent of a release; nil: there is none.
func readIntent(files snapshot.FS, dir string, release uint32) (*intent, error) {
	data, err := files.ReadFile(filepath.Join(intentDir(dir, release), intentName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i, err := decodeIntent(data)
	if err == nil && i.Release != release {
		err = fmt.Errorf("%w: the intent of release %d says release %d", snapshot.ErrDamaged, release, i.Release)
	}
	return i, err
}

package audit

import (
	"bytes"
	"crypto/sha256"
	stdjson "encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// unionAgreesWithJSON holds the reader of what a manifest says of its shards against encoding/json, a tree of maps, and
// what docs/FORMAT.md says of the two digests.
func unionAgreesWithJSON(t *testing.T, data []byte, m *format.Manifest, settings string) {
	t.Helper()
	var top map[string]stdjson.RawMessage
	require.NoError(t, stdjson.Unmarshal(data, &top))
	var lines bytes.Buffer
	for _, key := range []string{"dataset", "schema", "policy", "recoding", "slices", "method", "retention", "values", "across_releases"} {
		if raw, there := top[key]; there {
			fmt.Fprintf(&lines, "%s=", key)
			require.NoError(t, stdjson.Compact(&lines, raw))
			lines.WriteByte('\n')
		}
	}
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(lines.Bytes())), settings)

	var tree struct{ Union map[string]any }
	require.NoError(t, decodeNumbers(data, &tree))
	text := func(of map[string]any, key string) string {
		if of[key] == nil {
			return ""
		}
		return of[key].(string)
	}
	number := func(of map[string]any, key string) string {
		if of[key] == nil {
			return "0"
		}
		return of[key].(stdjson.Number).String()
	}
	same := func(n int, of map[string]any, key string) {
		require.True(t, fmt.Sprint(n) == number(of, key) || n == 0 && number(of, key) == "-0", key)
	}
	same(m.Union.Of, tree.Union, "of")
	require.Equal(t, text(tree.Union, "settings"), m.Union.Settings)
	require.Equal(t, text(tree.Union, "root"), m.Union.Root)
	shards, _ := tree.Union["shards"].([]any)
	require.Len(t, m.Union.Shards, len(shards))
	var root bytes.Buffer
	for i, s := range m.Union.Shards {
		entry, _ := shards[i].(map[string]any)
		same(s.Shard, entry, "shard")
		same(s.Release, entry, "release")
		same(s.Records, entry, "records")
		same(s.Classes, entry, "classes")
		same(s.Buckets, entry, "buckets")
		same(s.Pending, entry, "pending")
		require.Equal(t, text(entry, "sha256"), s.SHA256)
		require.Equal(t, text(entry, "created_at"), s.CreatedAt)
		if s.Release > 0 {
			fmt.Fprintf(&root, "%s %s %s\n", fmt.Sprint(s.Shard), fmt.Sprint(s.Release), text(entry, "sha256"))
		}
	}
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(root.Bytes())), m.Union.RootOf())
	shardsOfParts(t, top["parts"], m.Parts)
}

// shardsOfParts holds whose each part is.
func shardsOfParts(t *testing.T, raw stdjson.RawMessage, have []format.Part) {
	t.Helper()
	var parts []map[string]any
	if raw != nil {
		require.NoError(t, decodeNumbers(raw, &parts))
	}
	require.Len(t, have, len(parts))
	for i, p := range parts {
		n, _ := p["shard"].(stdjson.Number).Int64()
		require.Equal(t, int64(*have[i].Shard), n)
	}
}

func decodeNumbers(data []byte, into any) error {
	d := stdjson.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

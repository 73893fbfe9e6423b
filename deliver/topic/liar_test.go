package topic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/deliver/delivertest"
	"anond/internal/kafkaclient"
)

// TestRebuildFindsLies: a topic whose keys, counts and markers fit each other, but not the
// releases, gives none.
func TestRebuildFindsLies(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "regrouped"), 20)
	m := &memory{until: -1}
	_, err := deliverAll(t, m.sink(), chain.Dir)
	require.NoError(t, err)
	deaths := uint32(0)
	for _, x := range m.log {
		if k, _ := parseKey(x.Key); k.Stream == removedStream {
			deaths = k.Release
		}
	}
	require.NotZero(t, deaths)
	replace := func(old, new string) func([]byte) []byte {
		return func(v []byte) []byte {
			require.Contains(t, string(v), old)
			return bytes.Replace(v, []byte(old), []byte(new), 1)
		}
	}
	for name, lie := range map[string]struct {
		release uint32
		stream  string
		change  func(value []byte) []byte // nil: the stream is left out
		finds   string
	}{
		"another cell":        {1, "part-000001/data.csv", replace(`[["[2`, `[["[1`), "part-000001/data.csv"},
		"another column":      {1, "part-000001/data.csv", replace(`"columns":["age"`, `"columns":["ego"`), "columns of messages differ"},
		"no deaths":           {deaths, removedStream, nil, "removed other classes"},
		"another death":       {deaths, removedStream, replace(`"class":`, `"class":1`), "removed other classes"},
		"another manifest":    {2, manifestStream, replace(`"seeded": true`, `"seeded": false`), "does not follow"},
		"another hierarchy":   {1, "hierarchies/sex.csv", replace("m;*", "n;*"), "hierarchies/sex.csv"},
		"no hierarchy":        {1, "hierarchies/sex.csv", nil, "hierarchies/sex.csv"},
		"rows of nothing":     {1, "part-000001/data.csv", func([]byte) []byte { return []byte(`{}`) }, "no message of releases"},
		"no manifest at all":  {1, manifestStream, func([]byte) []byte { return []byte(`{}`) }, "damaged"},
		"a part left out":     {1, "part-000001/data.csv", nil, "has no part-000001/data.csv"},
		"nobody lied, at all": {},
	} {
		log := m.log
		if lie.release > 0 {
			log = lied(t, m.log, lie.release, lie.stream, lie.change)
		}
		other := &memory{log: log}
		c := keeping(t, other.read, kafkaclient.Config{})
		_, newest := c.Ends()
		require.Equal(t, chain.Newest(), newest, "%s: the messages fit", name)
		_, err := c.Rebuild(newest, filepath.Join(t.TempDir(), "out"))
		if lie.release == 0 {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, lie.finds, name)
	}
}

// lied changes the first message of a stream, or leaves the stream out, with a key and a
// marker that fit.
func lied(t *testing.T, log []kafkaclient.Message, release uint32, stream string, change func([]byte) []byte) (out []kafkaclient.Message) {
	t.Helper()
	var text []byte
	for _, x := range log {
		k, err := parseKey(x.Key)
		require.NoError(t, err)
		switch {
		case k.Release != release || k.Stream != stream && k.Stream != markerStream:
		case k.Stream == stream && change == nil:
			continue
		case k.Stream == stream:
			if k.Number == 1 {
				x.Value = change(x.Value)
			}
			text = append(text, x.Value...)
		default:
			x.Value = marker(t, x.Value, stream, text)
		}
		x.Key = []byte(keyOf(k.Release, k.Stream, k.Number, x.Value).String())
		out = append(out, x)
	}
	return out
}

// marker makes a marker fit what is sent: text nil, nothing.
func marker(t *testing.T, value []byte, stream string, text []byte) []byte {
	m, err := decodeMarker(value)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	for i := range m.Streams {
		if m.Streams[i].Name == stream {
			m.Streams[i].SHA256 = hex.EncodeToString(sum[:])
		}
	}
	if text == nil {
		m.Streams = slices.DeleteFunc(m.Streams, func(s streamCount) bool { return s.Name == stream })
	}
	if stream == manifestStream {
		m.Manifest = hex.EncodeToString(sum[:])
	}
	value, err = json.Marshal(m)
	require.NoError(t, err)
	return value
}

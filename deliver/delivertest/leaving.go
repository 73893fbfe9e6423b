package delivertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/describe"
)

// next writes a release by hand that has other parts than the newest one. The chain does not grow behind it.
func (c *Chain) next(edit func(m *snapshot.Manifest, files map[string][]byte)) {
	c.t.Helper()
	newest := c.Newest()
	at := snapshot.DirOf(c.Dir, newest)
	text, err := os.ReadFile(filepath.Join(at, snapshot.ManifestName))
	require.NoError(c.t, err)
	m, err := snapshot.DecodeManifest(text)
	require.NoError(c.t, err)
	sum := sha256.Sum256(text)
	m.Release, m.Previous = newest+1, &snapshot.PreviousEntry{Release: newest, SHA256: hex.EncodeToString(sum[:])}
	files := map[string][]byte{}
	for _, p := range m.Parts {
		for _, f := range p.Files {
			files[p.Part+"/"+f.Name], err = os.ReadFile(filepath.Join(at, p.Part, f.Name))
			require.NoError(c.t, err)
		}
	}
	edit(m, files)
	m.Records = 0
	for i := range m.Parts {
		p := &m.Parts[i]
		m.Records += p.Rows
		for j := range p.Files {
			path := filepath.Join(snapshot.DirOf(c.Dir, m.Release), p.Part, p.Files[j].Name)
			require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(c.t, os.WriteFile(path, files[p.Part+"/"+p.Files[j].Name], 0o600))
		}
	}
	require.NoError(c.t, os.MkdirAll(snapshot.DirOf(c.Dir, m.Release), 0o755))
	m.Documents = nil
	documents, err := describe.Of(m)
	require.NoError(c.t, err)
	for _, d := range documents {
		m.Documents = append(m.Documents, d.Document)
		require.NoError(c.t, os.WriteFile(filepath.Join(snapshot.DirOf(c.Dir, m.Release), d.Name), d.Text, 0o600))
	}
	text, err = m.Encode()
	require.NoError(c.t, err)
	require.NoError(c.t, os.WriteFile(filepath.Join(snapshot.DirOf(c.Dir, m.Release), snapshot.ManifestName), text, 0o600))
	require.NoError(c.t, os.WriteFile(filepath.Join(c.Dir, "CURRENT"), fmt.Appendf(nil, "%06d\n", m.Release), 0o600))
}

// Expire makes a release without what releases up to one gave birth to.
func (c *Chain) Expire(through uint32) {
	c.next(func(m *snapshot.Manifest, _ map[string][]byte) {
		m.Window, m.Expired = "9", through
		m.Parts = slices.DeleteFunc(m.Parts, func(p snapshot.PartEntry) bool {
			_, last := p.Births()
			return last <= through
		})
	})
}

// Withdraw makes a release in which a part has lost a bucket: the rows, and what is said of it.
func (c *Chain) Withdraw(at, bucket int) {
	c.next(func(m *snapshot.Manifest, files map[string][]byte) {
		p := &m.Parts[at]
		p.Release, p.Files = m.Release, slices.Clone(p.Files)
		for j := range p.Files {
			f := &p.Files[j]
			rows, err := csv.NewReader(bytes.NewReader(files[p.Part+"/"+f.Name])).ReadAll()
			require.NoError(c.t, err)
			of := slices.Index(rows[0], "bucket")
			if of < 0 {
				continue
			}
			var out []byte
			f.Rows = -1
			for _, row := range rows {
				if row[of] != strconv.Itoa(bucket) {
					f.Rows++
					out = snapshot.AppendRow(out, row)
				}
			}
			sum := sha256.Sum256(out)
			f.Bytes, f.SHA256, files[p.Part+"/"+f.Name] = int64(len(out)), hex.EncodeToString(sum[:]), out
			if j == 0 {
				p.Rows = f.Rows
			}
		}
	})
}

// Join makes a release whose first parts are one.
func (c *Chain) Join(parts int) {
	c.next(func(m *snapshot.Manifest, files map[string][]byte) {
		first, _ := m.Parts[0].Births()
		_, last := m.Parts[parts-1].Births()
		name := fmt.Sprintf("part-%06d-%06d", first, last)
		open := func(path string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[path])), nil }
		written := map[string]*into{}
		joined, err := snapshot.JoinParts(m, name, m.Parts[:parts], open, func(path string) (io.WriteCloser, error) {
			written[path] = &into{}
			return written[path], nil
		})
		require.NoError(c.t, err)
		for path, w := range written {
			files[path] = w.Bytes()
		}
		joined.Release = m.Release
		m.Parts = append([]snapshot.PartEntry{joined}, m.Parts[parts:]...)
	})
}

type into struct{ bytes.Buffer }

func (*into) Close() error { return nil }

// Prune removes all releases but the newest one, as release.keep does.
func (c *Chain) Prune() {
	for n := uint32(1); n < c.Newest(); n++ {
		text, err := os.ReadFile(filepath.Join(snapshot.DirOf(c.Dir, n), snapshot.ManifestName))
		if err != nil {
			continue // it was
		}
		require.NoError(c.t, os.MkdirAll(filepath.Dir(snapshot.PrunedPath(c.Dir, n)), 0o755))
		require.NoError(c.t, os.WriteFile(snapshot.PrunedPath(c.Dir, n), text, 0o600))
		require.NoError(c.t, os.RemoveAll(snapshot.DirOf(c.Dir, n)))
	}
}

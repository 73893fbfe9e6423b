package snapshot_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
)

// wholeOf reads a release as one table.
func wholeOf(dir string, m *snapshot.Manifest, v *incremental.View) (map[string]string, []snapshot.FileEntry, error) {
	bufs := map[string]*bytes.Buffer{}
	w := snapshot.NewWholeTable(m, v.Schema, func(path string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, fmt.Sprintf("%06d", m.Release), path))
	})
	entries, err := w.Write(func(name string) io.Writer {
		bufs[name] = &bytes.Buffer{}
		return bufs[name]
	})
	out := map[string]string{}
	for name, b := range bufs {
		out[name] = b.String()
	}
	return out, entries, err
}

// TestWholeTableIsTheRendering: whatever the recoding, after compactions and
// regroupings, the parts read as one table are to the byte what one rendering of
// all living classes gives; and so is the table that is written next to them.
func TestWholeTableIsTheRendering(t *testing.T) {
	for seed := range uint64(3) {
		for _, c := range growingChains(seed) {
			t.Run(fmt.Sprintf("%s/%d", c.name, seed), func(t *testing.T) {
				p := publisherOf(t)
				for release := 1; release <= 23; release++ {
					v := c.next(t, release)
					c.settings.SingleFile = release%5 == 0
					out, err := p.Publish(snapshot.Of(v), c.settings)
					require.NoError(t, err)
					whole := memory{}
					_, _, err = snapshot.Whole(snapshot.Of(v), c.settings, whole)
					require.NoError(t, err)
					m := out.Manifest
					require.Equal(t, c.settings.SingleFile, len(m.Files) > 0)
					m.Files = nil
					got, entries, err := wholeOf(p.Dir, &m, v)
					require.NoError(t, err)
					require.Len(t, got, len(whole))
					for name, text := range got {
						require.True(t, whole.text(name) == text, "release %d: %s", release, name)
					}
					if !c.settings.SingleFile {
						continue
					}
					require.Equal(t, out.Manifest.Files, entries)
					copied, _, err := wholeOf(p.Dir, &out.Manifest, v)
					require.NoError(t, err)
					require.Equal(t, got, copied)
				}
				verified, err := snapshot.Verify(p.FS, p.Dir, p.Ledger)
				require.NoError(t, err)
				require.Empty(t, verified.Findings)
			})
		}
	}
}

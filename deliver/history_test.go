package deliver_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/snapshot"
)

// TestBirthsSurvivePruning: what a release gave birth to is read again with the same bytes
// once its files were pruned and its part was joined with others, in every recoding; and the
// deaths of a release are those that its own files showed.
func TestBirthsSurvivePruning(t *testing.T) {
	for _, kind := range delivertest.Some(t, 1, 3) {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			c := delivertest.New(t, kind, 12)
			h := deliver.NewHistory(snapshot.OS(), c.Dir)
			newest := c.Newest()
			var err error
			born, died := map[string][]byte{}, map[uint32][]deliver.Died{}
			all := 0
			for n := uint32(1); n <= newest; n++ {
				p, err := h.Published(n)
				require.NoError(t, err)
				died[n], err = h.Deaths(p.Manifest)
				require.NoError(t, err)
				all += len(died[n])
				step, err := h.Step(n)
				require.NoError(t, err)
				for _, b := range step.Births {
					for _, f := range b.Files {
						var text bytes.Buffer
						require.NoError(t, h.CopyBirth(&b, f, &text))
						born[filepath.Join(b.Part, f.Name)] = text.Bytes()
					}
				}
			}
			assert.Equal(t, kind.Deaths, all > 0, "%d classes died", all)
			c.Keep(1)
			c.Grow(int(newest) + 1)
			entries, err := filepath.Glob(filepath.Join(c.Dir, "0*"))
			require.NoError(t, err)
			require.Len(t, entries, 1, "the others were pruned")
			h = deliver.NewHistory(snapshot.OS(), c.Dir)
			for n := uint32(1); n <= newest; n++ {
				p, err := h.Published(n)
				require.NoError(t, err)
				again, err := h.Deaths(p.Manifest)
				require.NoError(t, err)
				assert.Equal(t, died[n], again)
				step, err := h.Step(n)
				require.NoError(t, err)
				for _, b := range step.Births {
					for _, f := range b.Files {
						var text bytes.Buffer
						require.NoError(t, h.CopyBirth(&b, f, &text), "%s of release %d", f.Name, n)
						assert.Equal(t, string(born[filepath.Join(b.Part, f.Name)]), text.String())
					}
				}
			}
		})
	}
}

// TestDamagedBirth: a part that is not what its release says is noticed, whichever way it
// is read.
func TestDamagedBirth(t *testing.T) {
	c := delivertest.New(t, delivertest.Find(t, "buckets"), 12)
	c.Keep(1)
	c.Grow(13)
	h := deliver.NewHistory(snapshot.OS(), c.Dir)
	newest := c.Newest()
	p, err := h.Published(newest)
	require.NoError(t, err)
	require.NotEmpty(t, p.Manifest.Parts[0].Replaces)
	path := filepath.Join(c.Dir, fmt.Sprintf("%06d", newest), p.Manifest.Parts[0].Part, "data.csv")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o600))
	at := bytes.IndexByte(content, '\n') + 1
	content[at] ^= 1
	require.NoError(t, os.WriteFile(path, content, 0o600))
	old, err := h.Step(1)
	require.NoError(t, err)
	b := old.Births[0]
	var text bytes.Buffer
	require.ErrorIs(t, h.CopyBirth(&b, b.Files[0], &text), snapshot.ErrDamaged)
}

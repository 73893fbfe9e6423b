package views_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/render"
	"anond/snapshot/views"
)

// TestAViewOfEras: a view goes on where settings change: it shows of each part what that part has of its columns, also from a later start,
// and the auditor finds that it is a function of the releases.
func TestAViewOfEras(t *testing.T) {
	dir := t.TempDir()
	e := publishtest.NewEras(t, 4)
	e.Settings.Recoding = render.Buckets()
	p := publish.Publisher{FS: snapshot.OS(), Dir: filepath.Join(dir, "releases"), Ledger: filepath.Join(dir, "ledger"),
		Gate: publishtest.OpenGate{}}
	require.NoError(t, p.Open())
	of := views.Definition{Name: "insurer", Columns: []string{"age", "ward", "illness"}, Cells: map[string]string{"age": "10"}}
	early := &views.View{Definition: of, Dir: filepath.Join(dir, "early"), Ledger: filepath.Join(dir, "early-ledger")}
	for release := uint32(1); release <= 4; release++ {
		_, err := p.Publish(e.At(release), e.Settings)
		require.NoError(t, err)
		require.NoError(t, early.Follow(p.Directory()))
	}
	late := &views.View{Definition: of, Dir: filepath.Join(dir, "late"), Ledger: filepath.Join(dir, "late-ledger")}
	require.NoError(t, late.Follow(p.Directory()))
	m, err := snapshot.Show(snapshot.OS(), early.Dir, 4)
	require.NoError(t, err)
	require.Len(t, m.Eras, 1)
	assert.Equal(t, []string{"age", "ward", "class", "bucket"}, m.Under(&m.Parts[0]).Columns(snapshot.DataName))
	assert.Equal(t, []string{"age", "class", "bucket"}, m.Under(&m.Parts[1]).Columns(snapshot.DataName))
	for _, v := range []*views.View{early, late} {
		r, err := audit.Dir(audit.Options{Releases: p.Dir, Ledger: p.Ledger, Views: []string{v.Dir}})
		require.NoError(t, err)
		assert.Empty(t, r.Violations)
		r, err = audit.Dir(audit.Options{Releases: v.Dir, Ledger: v.Ledger})
		require.NoError(t, err)
		assert.Empty(t, r.Violations)
	}
	changed := &views.View{Definition: of, Dir: early.Dir, Ledger: early.Ledger}
	changed.Columns = []string{"age", "ward", "income", "illness"}
	require.ErrorIs(t, changed.Follow(p.Directory()), views.ErrDefinition)
}

package views_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/render"
	"anond/snapshot/views"
)

// TestViewsOfEras: a view shows of each era those of its columns that the era has, in cells of the era's hierarchy, whether it began before
// settings changed or after; the audit finds that it is a function of the releases, and a chain.
func TestViewsOfEras(t *testing.T) {
	const releases = 5
	for name, erased := range map[string]map[uint32]uint32{"whole": nil, "erased": {1: 4, 6: 5}} {
		t.Run(name, func(t *testing.T) {
			e, dir := publishtest.NewEras(t, releases), t.TempDir()
			e.Settings.Recoding = render.Buckets()
			if erased != nil {
				for _, s := range []*render.Settings{e.Settings, e.Input.Former[0].Settings} {
					s.Erasure = &snapshot.Erasure{Every: 1, Count: 1}
				}
				e.Withdraw(erased)
			}
			from := publish.Directory{FS: snapshot.OS(), Dir: dir, Ledger: filepath.Join(t.TempDir(), "ledger")}
			p := publish.Publisher{FS: from.FS, Dir: dir, Ledger: from.Ledger, Gate: publishtest.OpenGate{}}
			require.NoError(t, p.Open())
			view := func(name string, more ...string) *views.View {
				return &views.View{Dir: filepath.Join(t.TempDir(), name), Ledger: filepath.Join(t.TempDir(), name), Definition: views.Definition{
					Name: name, Columns: append([]string{"age", "postcode", "ward", "illness"}, more...),
					Cells: map[string]string{"age": "20", "postcode": "level 1"}}}
			}
			early, late := view("early"), view("late", "drug") // which the first era has not
			late.Since = time.Unix(1_700_000_003, 0)
			for release := uint32(1); release <= releases; release++ {
				_, err := p.Publish(e.At(release), e.Settings)
				require.NoError(t, err)
				require.NoError(t, early.Follow(from))
			}
			other := *early
			other.Columns = append(slices.Clone(early.Columns), "drug")
			require.ErrorIs(t, other.Follow(from), views.ErrDefinition)
			require.NoError(t, late.Follow(from))
			for _, v := range []*views.View{early, late} {
				r, err := audit.Dir(audit.Options{Releases: dir, Views: []string{v.Dir}})
				require.NoError(t, err)
				require.Empty(t, r.Violations)
				m, err := snapshot.Show(snapshot.OS(), v.Dir, releases)
				require.NoError(t, err)
				shown := m.ByEra()
				require.Len(t, shown, 2)
				names := func(m *snapshot.Manifest) (out []string) {
					for _, a := range m.Schema {
						out = append(out, a.Name)
					}
					return out
				}
				require.Equal(t, []string{"age", "postcode", "ward", "illness"}, names(shown[0]))
				require.Equal(t, append([]string{"age", "postcode", "illness"}, v.Columns[4:]...), names(shown[1]))
				require.False(t, slices.ContainsFunc(m.Eras, func(e snapshot.Era) bool { return e.Records == 0 }))
			}
		})
	}
}

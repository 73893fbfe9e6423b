package publish_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/render"
)

// TestErasGolden: parts that were published under other settings keep their bytes, and the manifest says of each era what it said.
func TestErasGolden(t *testing.T) {
	dir := t.TempDir()
	publishtest.NewEras(t, 3).Publish(t, dir)
	for _, release := range []string{"000002", "000003"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(dir, release), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			golden(t, filepath.Join("golden", "eras", name), string(data))
			return err
		}))
	}
	m, err := snapshot.Show(snapshot.OS(), dir, 3)
	require.NoError(t, err)
	before, err := snapshot.Show(snapshot.OS(), dir, 2)
	require.NoError(t, err)
	assert.Equal(t, []snapshot.Era{snapshot.EraOf(before)}, m.Eras)
	require.Len(t, m.Parts, 2) // an era that is over becomes one part
	assert.Equal(t, before.Schema, m.Under(&m.Parts[0]).Schema)
	assert.Equal(t, 2, m.Under(&m.Parts[0]).Policy.K)
	assert.Equal(t, 3, m.Under(&m.Parts[1]).Policy.K)
	eras := m.ByEra()
	require.Len(t, eras, 2)
	assert.Equal(t, [2]int{1, 1}, [2]int{len(eras[0].Parts), len(eras[1].Parts)})
	assert.Equal(t, m.Records, eras[0].Records+eras[1].Records)
	assert.Equal(t, 48, eras[1].Records)
}

// TestErasAreRenderedAlikeAfterARestart: what is carried along and what is counted anew give the same bytes, where parts are joined, people
// ask to be erased and parts leave.
func TestErasAreRenderedAlikeAfterARestart(t *testing.T) {
	const releases = 8
	for name, change := range map[string]func(*render.Settings, *render.Input){
		"joined": func(s *render.Settings, _ *render.Input) { s.FanIn = 2 },
		"erased": func(s *render.Settings, in *render.Input) {
			s.Erasure = &snapshot.Erasure{Every: 1, Count: 1}
			s.FanIn = 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := publishtest.NewEras(t, releases)
			change(e.Settings, e.Input)
			change(e.Input.Former[0].Settings, e.Input)
			if name == "erased" {
				e.Withdraw(map[uint32]uint32{1: 4, 3: 3, 6: 5})
			}
			fresh := func() publish.Publisher {
				return publish.Publisher{FS: snapshot.OS(), Dir: t.TempDir(), Ledger: filepath.Join(t.TempDir(), "ledger"),
					Gate: publishtest.OpenGate{}}
			}
			steady, again := fresh(), fresh()
			require.NoError(t, steady.Open())
			var last *render.Rendered
			for release := uint32(1); release <= releases; release++ {
				out, err := steady.Publish(e.At(release), e.Settings)
				require.NoError(t, err)
				require.NoError(t, again.Open()) // forgets what was carried
				other, err := again.Publish(e.At(release), e.Settings)
				require.NoError(t, err)
				require.Equal(t, out.SHA256, other.SHA256, "release %d", release)
				last = out
			}
			m := &last.Manifest
			require.Len(t, m.Eras, 1)
			for i := range m.Parts {
				first, last := m.Parts[i].Births()
				assert.Equal(t, first <= 2, last <= 2, "a part is of two eras")
			}
		})
	}
}

// TestAnEraGoesWithItsLastPart: figures of a former era are of what is left of it, and it is listed as long as something is, also after a
// restart.
func TestAnEraGoesWithItsLastPart(t *testing.T) {
	e := publishtest.NewEras(t, 6)
	for _, s := range []*render.Settings{e.Settings, e.Input.Former[0].Settings} {
		s.Window, s.Granule = "3", func(release uint32, _ int64) int64 { return int64(release) }
	}
	expired := func(release uint32) uint32 { return max(release, 3) - 3 }
	at := func(release uint32) *render.Input {
		in := e.At(release)
		in.Expired = expired(release)
		in.Past = func(n uint32) render.Past {
			return render.Past{CreatedAt: 1_700_000_000 + int64(n), Expired: expired(n), Births: true}
		}
		kept := in.Classes[:0]
		for _, c := range in.Classes {
			if c.Born > in.Expired {
				kept = append(kept, c)
			}
		}
		in.Classes = kept
		return in
	}
	fresh := func() publish.Publisher {
		return publish.Publisher{FS: snapshot.OS(), Dir: t.TempDir(), Ledger: filepath.Join(t.TempDir(), "ledger"),
			Gate: publishtest.OpenGate{}}
	}
	steady, again := fresh(), fresh()
	require.NoError(t, steady.Open())
	for release := uint32(1); release <= 6; release++ {
		out, err := steady.Publish(at(release), e.Settings)
		require.NoError(t, err)
		require.NoError(t, again.Open())
		other, err := again.Publish(at(release), e.Settings)
		require.NoError(t, err)
		require.Equal(t, out.SHA256, other.SHA256, "release %d", release)
		left := map[uint32][]int{3: {16}, 4: {8}}[release] // people of the first era
		require.Len(t, out.Manifest.Eras, len(left), "release %d", release)
		for i, n := range left {
			assert.Equal(t, n, out.Manifest.Eras[i].Records)
			assert.Equal(t, n/2, out.Manifest.Eras[i].Classes)
			assert.Equal(t, int64(2*n), out.Manifest.Eras[i].Quality.CDM)
		}
	}
}

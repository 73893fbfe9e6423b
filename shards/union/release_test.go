package union

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/render"
	"anond/snapshot/snapshottest"
	"anond/snapshot/verify"
)

var rewrite = flag.Bool("rewrite", false, "rewrite golden files")

// unionTime is when unions of these tests decide.
var unionTime = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// shards are chains below the releases directory of a union, which publish by the
// publisher of this package.
type shards struct {
	t       testing.TB
	fs      snapshot.FS
	dir     string
	intents map[int][]state.Intent
	late    int64 // by which all releases are made later
}

func newShards(t testing.TB, fs snapshot.FS, dir string) *shards {
	return &shards{t: t, fs: fs, dir: dir, intents: map[int][]state.Intent{}}
}

// publish lets a shard publish up to a release of those of longerViews.
func (s *shards) publish(shard int, release int, change ...func(*render.Settings)) {
	s.t.Helper()
	of := publishtest.Settings(render.Anatomy())
	for _, c := range change {
		c(of)
	}
	intents := s.intents[shard]
	require.NoError(s.t, publishtest.PublishBy(s.t, s.publisher(shard), &intents, func(t testing.TB) []*incremental.View {
		all := publishtest.LongerViews(t)[:release]
		for _, v := range all {
			v.Intent.CreatedAt += int64(10*shard) + s.late // else two shards had the same bytes
		}
		return all
	}, of))
	s.intents[shard] = intents
}

func (s *shards) chain(shard int) string { return filepath.Join(s.dir, "shards", fmt.Sprint(shard)) }

func (s *shards) publisher(shard int) *publish.Publisher {
	return &publish.Publisher{FS: s.fs, Dir: s.chain(shard), Ledger: filepath.Join(s.chain(shard)+"-state", "ledger"),
		Gate: publishtest.OpenGate{}}
}

// union is a union of the shards.
func (s *shards) union(of int) *union {
	return &union{Of: of, Directory: publish.Directory{FS: s.fs, Dir: s.dir,
		Ledger: filepath.Join(filepath.Dir(s.dir), "state", "ledger"), Owner: "first"}, Gate: func(string, string) error { return nil }}
}

// mustUnite makes the next release.
func mustUnite(t testing.TB, u *union) *result {
	t.Helper()
	out, err := u.publish(unionTime)
	require.NoError(t, err)
	return out
}

// atOS are shards on the operating system's file system.
func atOS(t testing.TB) *shards {
	return newShards(t, snapshot.OS(), filepath.Join(t.TempDir(), "releases"))
}

// vector is the releases of the shards in a union.
func vector(m *snapshot.Manifest) (out []uint32) {
	for _, s := range m.Union.Shards {
		out = append(out, s.Release)
	}
	return out
}

// TestUnionIsOneRelease: it has the parts of all shards by links, sums, a vector that goes
// on, a ledger and CURRENT; and every reader takes it for a release.
func TestUnionIsOneRelease(t *testing.T) {
	defer publishtest.JoinParts(2)()
	s := atOS(t)
	s.publish(0, 1)
	s.publish(1, 2)
	u := s.union(2)
	first := mustUnite(t, u)
	require.True(t, first.Published)
	require.Equal(t, []uint32{1, 2}, vector(first.Manifest))
	m0, _ := snapshot.Show(s.fs, s.chain(0), 1)
	m1, _ := snapshot.Show(s.fs, s.chain(1), 2)
	assert.Equal(t, m0.Records+m1.Records, first.Manifest.Records)
	assert.Equal(t, m0.Classes+m1.Classes, first.Manifest.Classes)
	assert.Equal(t, m0.Pending+m1.Pending, first.Manifest.Pending)
	assert.Equal(t, m0.Quality.CDM+m1.Quality.CDM, first.Manifest.Quality.CDM)
	assert.Equal(t, "2026-11-23T12:00:00Z", first.Manifest.CreatedAt)
	links := 0
	for _, name := range dataFiles(first.Manifest) {
		shard := 0
		if strings.HasPrefix(name, "shard-1/") {
			shard = 1
		}
		_, inside, _ := strings.Cut(name, "/")
		a, err := os.Stat(filepath.Join(s.dir, "000001", name))
		require.NoError(t, err)
		b, err := os.Stat(filepath.Join(s.chain(shard), fmt.Sprintf("%06d", vector(first.Manifest)[shard]), inside))
		require.NoError(t, err)
		assert.True(t, os.SameFile(a, b), name)
		links++
	}
	assert.Equal(t, 2+4, links)

	again := mustUnite(t, u)
	assert.False(t, again.Published, "nothing is new")
	assert.Equal(t, first.SHA256, again.SHA256)
	s.publish(0, 3)
	second := mustUnite(t, u)
	require.Equal(t, []uint32{3, 2}, vector(second.Manifest))
	assert.Equal(t, first.SHA256[:], sumOf(t, second.Manifest.Previous.SHA256))

	v, err := verify.Dir(s.fs, s.dir, u.Ledger)
	require.NoError(t, err)
	assert.Empty(t, v.Findings)
	assert.Equal(t, 2, v.Releases)
	list, err := snapshot.List(s.fs, s.dir)
	require.NoError(t, err)
	assert.Equal(t, second.Manifest.Records-first.Manifest.Records, list[1].Newcomers)
	assert.True(t, list[1].Current)
	names, err := s.fs.ReadDir(s.dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"000001", "000002", "CURRENT", "hierarchies", "intents", "shards"}, names, "nothing temporary is left")
	names, err = s.fs.ReadDir(filepath.Join(s.dir, "intents", "000002"))
	require.NoError(t, err)
	assert.Equal(t, []string{"intent.json"}, names, "links of a published release are gone")
}

func sumOf(t *testing.T, text string) (sum []byte) {
	_, err := fmt.Sscanf(text, "%x", &sum)
	require.NoError(t, err)
	return sum
}

// streamOf is a release as one table.
func streamOf(dir string, m *snapshot.Manifest) (string, error) {
	var out bytes.Buffer
	err := m.Stream("qit.csv", snapshot.NotPublished, func(path string) (io.ReadSeekCloser, error) {
		return os.Open(filepath.Join(dir, filepath.FromSlash(path)))
	}, &out)
	return out.String(), err
}

// TestUnionIsOneTable: as one table it has the rows of all shards.
func TestUnionIsOneTable(t *testing.T) {
	s := atOS(t)
	s.publish(0, 1)
	s.publish(1, 2)
	m := mustUnite(t, s.union(2)).Manifest
	rows := func(dir string, m *snapshot.Manifest) int {
		text, err := streamOf(dir, m)
		require.NoError(t, err)
		return strings.Count(text, "\n") - 1
	}
	m0, _ := snapshot.Show(s.fs, s.chain(0), 1)
	m1, _ := snapshot.Show(s.fs, s.chain(1), 2)
	assert.Equal(t, rows(filepath.Join(s.chain(0), "000001"), m0)+rows(filepath.Join(s.chain(1), "000002"), m1),
		rows(filepath.Join(s.dir, "000001"), m))
}

// TestUnionWaits for shards without a release, but for those that are named.
func TestUnionWaits(t *testing.T) {
	s := atOS(t)
	s.publish(0, 1)
	s.publish(2, 1)
	u := s.union(3)
	out := mustUnite(t, u)
	assert.Nil(t, out.Manifest)
	assert.Equal(t, []int{1}, out.Waiting)
	u.Without = []int{1}
	out = mustUnite(t, u)
	require.True(t, out.Published)
	assert.Equal(t, []uint32{1, 0, 1}, vector(out.Manifest))
	s.publish(0, 2)
	u.Without = nil
	assert.Equal(t, []uint32{2, 0, 1}, vector(mustUnite(t, u).Manifest), "a union that has begun waits for nobody")
	s.publish(1, 1)
	assert.Equal(t, []uint32{2, 1, 1}, vector(mustUnite(t, u).Manifest))
	v, err := verify.Dir(s.fs, s.dir, u.Ledger)
	require.NoError(t, err)
	assert.Empty(t, v.Findings)
}

// TestUnionRefuses what cannot be united.
func TestUnionRefuses(t *testing.T) {
	s := atOS(t)
	s.publish(0, 1)
	s.publish(1, 1, func(o *render.Settings) { o.Policy.K = 2 })
	_, err := s.union(2).publish(unionTime)
	require.ErrorIs(t, err, ErrShards)
	assert.ErrorContains(t, err, "shard 1 published in other settings than shard 0: their manifests differ in policy")
	_, err = os.Stat(filepath.Join(s.dir, "intents"))
	assert.True(t, os.IsNotExist(err), "nothing was decided")

	s = atOS(t)
	s.publish(0, 1)
	s.publish(1, 1)
	_, err = s.union(1).publish(unionTime)
	require.ErrorIs(t, err, ErrShards, "fewer than there are")
	require.ErrorContains(t, err, "shard 1 has a release, and this union is told of 1 shards")
	mustUnite(t, s.union(2))
	_, err = s.union(3).publish(unionTime)
	require.ErrorIs(t, err, ErrShards, "another number of shards")
	u := s.union(2)
	u.Ledger = filepath.Join(s.dir, "..", "other-ledger")
	first, second := snapshot.LedgerEntry{Release: 1}, snapshot.LedgerEntry{Release: 2}
	require.NoError(t, os.WriteFile(u.Ledger, append(first.Line(), second.Line()...), 0o600))
	_, err = u.publish(unionTime)
	require.ErrorIs(t, err, publish.ErrBehind, "the ledger is ahead")

	twice := atOS(t)
	twice.publish(0, 1)
	require.NoError(t, os.Symlink("0", twice.chain(1)))
	_, err = twice.union(2).publish(unionTime)
	require.ErrorIs(t, err, ErrShards)
	assert.ErrorContains(t, err, "shards 0 and 1 have the same release: they are one chain")

	u = s.union(2)
	u.Dir = s.chain(0)
	u.Ledger = ""
	_, err = u.publish(unionTime)
	require.ErrorIs(t, err, ErrShards, "the directory of one publisher")

	refused := s.union(2)
	refused.Gate = func(string, string) error { return publish.Refuse(errors.New("no")) }
	s.publish(0, 2)
	_, err = refused.publish(unionTime)
	require.ErrorIs(t, err, publish.ErrRefused)
	names, err := s.fs.ReadDir(s.dir)
	require.NoError(t, err)
	assert.NotContains(t, names, "000002")
	_, err = s.fs.Stat(filepath.Join(s.dir, "intents", "000002"))
	require.ErrorIs(t, err, fs.ErrNotExist, "nothing was decided")
	assert.True(t, mustUnite(t, s.union(2)).Published)
}

// TestUnionDecidesOnSoundFiles: damage in files of a shard is refused before anything is decided, and so is no matter
// any more once the shard has been restored.
func TestUnionDecidesOnSoundFiles(t *testing.T) {
	for _, name := range []string{"manifest.json", "part-000001/qit.csv"} {
		s := atOS(t)
		s.publish(0, 1)
		s.publish(1, 1)
		path := filepath.Join(s.chain(1), "000001", name)
		sound, err := os.ReadFile(path)
		require.NoError(t, err)
		put := func(text []byte) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, text, 0o600))
		}
		put(bytes.Replace(sound, []byte("records"), []byte("recorDs"), 1))
		if name != "manifest.json" {
			put(append(bytes.Clone(sound), '\n'))
		}
		u := s.union(2)
		u.Gate = audited
		_, err = u.publish(unionTime)
		require.Error(t, err, name)
		put(sound)
		require.True(t, mustUnite(t, u).Published, name)
	}
}

// TestUnionFencesShards: a shard that goes back, or whose history is another one than
// that which the union has, ends it.
func TestUnionFencesShards(t *testing.T) {
	s := atOS(t)
	s.publish(0, 2)
	s.publish(1, 2)
	mustUnite(t, s.union(2))
	aside := s.chain(1) + ".aside"
	require.NoError(t, os.Rename(s.chain(1), aside))
	_, err := s.union(2).publish(unionTime)
	require.ErrorIs(t, err, publish.ErrBehind)
	assert.ErrorContains(t, err, "shard 1 has release 0, and the union was made of its release 2")

	delete(s.intents, 1)
	s.late = 5 // other bytes, the same settings
	require.NoError(t, os.RemoveAll(s.chain(1)+"-state"))
	s.publish(1, 2)
	_, err = s.union(2).publish(unionTime)
	require.ErrorIs(t, err, ErrForked)
	assert.ErrorContains(t, err, "release 2 of shard 1")
	s.publish(1, 3)
	_, err = s.union(2).publish(unionTime)
	require.ErrorIs(t, err, ErrForked, "its chain is followed back")

	require.NoError(t, os.RemoveAll(s.chain(1)))
	require.NoError(t, os.Rename(aside, s.chain(1)))
	assert.False(t, mustUnite(t, s.union(2)).Published)
}

// TestUnionOutlivesPruning: what an intent names may be pruned by the shard before the
// union is finished.
func TestUnionOutlivesPruning(t *testing.T) {
	defer publishtest.JoinParts(2)()
	s := atOS(t)
	s.publish(0, 1)
	s.publish(1, 1)
	stopped := s.union(2)
	stopped.Hook = func(step publish.Step) error {
		if step == StepIntent {
			return snapshottest.ErrCrash
		}
		return nil
	}
	_, err := stopped.publish(unionTime)
	require.ErrorIs(t, err, snapshottest.ErrCrash)
	s.publish(0, 3)
	p := &publish.Pruning{FS: s.fs, Dir: s.chain(0), Keep: publish.KeepRule{Releases: 1}, Marked: 3,
		Published: func(n uint32) ([32]byte, bool) { return s.intents[0][n-1].Manifest, true }}
	require.NoError(t, p.Run(unionTime))
	_, err = os.Stat(filepath.Join(s.chain(0), "000001"))
	require.True(t, os.IsNotExist(err))
	u := s.union(2)
	u.Owner = "second"
	out, err := u.publish(unionTime.Add(time.Hour))
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 1}, vector(out.Manifest), "what was decided is done")
	assert.Equal(t, "2026-11-23T12:00:00Z", out.Manifest.CreatedAt)
	assert.Equal(t, []uint32{3, 1}, vector(mustUnite(t, u).Manifest), "over manifests of pruned releases")
}

// TestUnionManifestGolden holds the manifest of a union against a recorded one.
func TestUnionManifestGolden(t *testing.T) {
	s := newShards(t, snapshottest.New("/d"), "/d/releases")
	s.publish(0, 1)
	s.publish(2, 2)
	u := s.union(3)
	u.Without = []int{1}
	mustUnite(t, u)
	for name, path := range map[string]string{"manifest.json": "/d/releases/000001/manifest.json",
		"intent.json": "/d/releases/intents/000001/intent.json"} {
		got, err := s.fs.ReadFile(path)
		require.NoError(t, err)
		golden := filepath.Join("testdata", name)
		if *rewrite {
			require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
			require.NoError(t, os.WriteFile(golden, got, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
}

// dataFiles are the paths of all data files that a manifest names, in the release's directory.
func dataFiles(m *snapshot.Manifest) (out []string) {
	for i := range m.Parts {
		for _, f := range m.Parts[i].Files {
			out = append(out, path.Join(m.Parts[i].Dir(), f.Name))
		}
	}
	return out
}

package publish_test

import (
	"anond/incremental/state"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/verify"
)

// turningDisk turns bits of what is written to one file, once.
type turningDisk struct {
	snapshot.FS
	which func(path string) bool
	turn  func(data []byte) []byte
	path  string // of that file, once there is one
}

func (d *turningDisk) Create(path string) (io.WriteCloser, error) { return d.made(path, d.FS.Create) }
func (d *turningDisk) CreateSealed(path string) (io.WriteCloser, error) {
	return d.made(path, d.FS.CreateSealed)
}

func (d *turningDisk) made(path string, by func(string) (io.WriteCloser, error)) (io.WriteCloser, error) {
	w, err := by(path)
	if err != nil || d.path != "" || !d.which(path) {
		return w, err
	}
	d.path = path
	return &turnedFile{WriteCloser: w, turn: d.turn}, nil
}

// turnedFile writes what it was given at its end.
type turnedFile struct {
	io.WriteCloser
	turn func([]byte) []byte
	data []byte
}

func (f *turnedFile) Write(p []byte) (int, error) { f.data = append(f.data, p...); return len(p), nil }

func (f *turnedFile) Close() error {
	if _, err := f.WriteCloser.Write(f.turn(f.data)); err != nil {
		return err
	}
	return f.WriteCloser.Close()
}

// decidedAt is the time of a manifest or an intent: any other is as good to whoever reads it.
var decidedAt = regexp.MustCompile(`"created_at": "\d{4}`)

// otherTime turns the lowest bit of the year: no gate can know better.
func otherTime(data []byte) []byte {
	at := decidedAt.FindIndex(data)
	out := bytes.Clone(data)
	out[at[1]-1] ^= 1
	return out
}

// middle turns a bit in the middle.
func middle(data []byte) []byte {
	out := bytes.Clone(data)
	out[len(out)/2] ^= 1
	return out
}

// rendered tells the files of a rendering by their names.
func rendered(name string) func(string) bool {
	return func(path string) bool { return strings.Contains(path, ".tmp-0") && filepath.Base(path) == name }
}

// named are the files without those that are temporary.
func named(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if !strings.Contains(name, ".tmp-") {
			out[name] = text
		}
	}
	return out
}

// TestAMiswrittenManifestIsNotPublished: a bit of the manifest is turned on the disk where the gate lets
// it pass. Nothing has a name then, the gate was not asked, and the next attempt publishes what was meant.
// Found by a plan of chaos.
func TestAMiswrittenManifestIsNotPublished(t *testing.T) {
	want, _ := reference(t)
	for release := range 2 {
		root, gate := t.TempDir(), &testGate{}
		disk := &turningDisk{FS: unsynced{snapshot.OS()}, turn: otherTime, which: func(path string) bool {
			return rendered("manifest.json")(path) && strings.Contains(path, []string{".tmp-000001", ".tmp-000002"}[release])
		}}
		p := publisher(disk, root)
		p.Gate = gate
		var intents []state.Intent
		err := publishAll(t, p, &intents)
		require.ErrorIs(t, err, publish.ErrMiswritten)
		require.ErrorContains(t, err, disk.path)
		noValues(t, err.Error())
		require.Len(t, gate.dirs, release)
		got, err := readTree(root)
		require.NoError(t, err)
		require.Equal(t, named(got), got, "the rendering is gone")
		for name := range got {
			require.NotContains(t, name, []string{"000001", "000002"}[release])
		}
		require.NoError(t, publishAll(t, p, &intents))
		got, err = readTree(root)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestAMiswrittenManifestBlamesNoRelease: it is the rendering that is wrong, and not the release that has
// its name already and that the rendering is compared with.
func TestAMiswrittenManifestBlamesNoRelease(t *testing.T) {
	root := t.TempDir()
	p := publisher(unsynced{snapshot.OS()}, root)
	require.NoError(t, p.Open())
	first, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	p.FS = &turningDisk{FS: p.FS, turn: otherTime, which: rendered("manifest.json")}
	_, err = p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.ErrorIs(t, err, publish.ErrMiswritten)
	require.NotErrorIs(t, err, publish.ErrDifferent)
	again, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	assert.Equal(t, first.SHA256, again.SHA256)
}

// TestMiswrittenDataIsNotPublished: every other file of a rendering is read by the gate, and compared with
// the manifest, which is as it was written. So whichever file is miswritten, also one that is copied since it
// cannot be linked: what is published is what was meant, or nothing is.
func TestMiswrittenDataIsNotPublished(t *testing.T) {
	tier.NotShort(t, "it spoils every file")
	for _, copies := range []bool{false, true} {
		for at := 0; ; at++ {
			var system snapshot.FS = unsynced{snapshot.OS()}
			if copies {
				system = noLinks{system, syscall.EXDEV, ""}
			}
			seen := 0
			disk := &turningDisk{FS: system, turn: middle, which: func(path string) bool {
				if strings.Contains(path, ".tmp-0") {
					seen++
				}
				return seen == at+1
			}}
			root := t.TempDir()
			p := publisher(disk, root)
			p.Gate = auditGate{gate.New(format.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: new(2)})}
			want, got := wholeUntil(t, p, root)
			if disk.path == "" {
				require.Greater(t, at, 4)
				break
			}
			for name, text := range named(got) {
				if strings.HasPrefix(name, "releases/0") {
					require.Equal(t, want[name], text, "%s is miswritten", disk.path)
				}
			}
			require.Less(t, len(named(got)), len(want), "%s is miswritten", disk.path)
		}
	}
}

// wholeUntil publishes up to the first error, and says what would have been published without.
func wholeUntil(t *testing.T, p *publish.Publisher, root string) (want, got map[string]string) {
	t.Helper()
	gate := p.Gate.(auditGate)
	p.Hook = func(s publish.Step) error {
		if s == publish.StepLedger {
			gate.Commit()
		}
		return nil
	}
	disk := p.FS.(*turningDisk)
	if err := publishAll(t, p, &[]state.Intent{}); disk.path != "" {
		require.Error(t, err, "%s is miswritten", disk.path)
	} else {
		require.NoError(t, err)
	}
	want, _ = reference(t)
	got, err := readTree(root)
	require.NoError(t, err)
	return want, got
}

// TestAMiswrittenUnionIsNotPublished: neither the decision nor the manifest of a union gets its name if the
// disk does not give back what was written; the next attempt decides and publishes. A turned decision would
// stay: no later attempt could change it.
func TestAMiswrittenUnionIsNotPublished(t *testing.T) {
	for _, name := range []string{"manifest.json", "intent.json"} {
		s := atOS(t)
		s.publish(0, 1)
		s.publish(1, 2)
		u := s.union(2)
		disk := &turningDisk{FS: u.FS, turn: otherTime, which: func(path string) bool { return filepath.Base(path) == name }}
		u.FS, u.Gate = disk, auditedUnionGate{}
		_, err := u.Publish(unionTime)
		require.ErrorIs(t, err, publish.ErrMiswritten, name)
		require.ErrorContains(t, err, disk.path)
		for _, made := range []string{"000001", "CURRENT", "intents/000001"} {
			_, err := os.Stat(filepath.Join(s.dir, made))
			require.ErrorIs(t, err, os.ErrNotExist, "%s: %s", name, made)
		}
		out := mustUnite(t, u)
		require.True(t, out.Published, name)
		assert.Equal(t, "2026-11-23T12:00:00Z", out.Manifest.CreatedAt)
		v, err := verify.Dir(s.fs, s.dir, u.Ledger)
		require.NoError(t, err)
		assert.Empty(t, v.Findings)
	}
}

// TestAMiswrittenUnionOfADecision: a union that carries out what another one has decided reads its manifest
// again, too.
func TestAMiswrittenUnionOfADecision(t *testing.T) {
	s := atOS(t)
	s.publish(0, 1)
	s.publish(1, 1)
	u := s.union(2)
	u.Hook = func(step publish.UnionStep) error {
		if step == publish.UnionIntent {
			return errCrash
		}
		return nil
	}
	_, err := u.Publish(unionTime)
	require.ErrorIs(t, err, errCrash)
	next := s.union(2)
	next.Owner, next.Gate = "second", auditedUnionGate{}
	next.FS = &turningDisk{FS: next.FS, turn: otherTime, which: rendered("manifest.json")}
	_, err = next.Publish(unionTime)
	require.ErrorIs(t, err, publish.ErrMiswritten)
	_, err = os.Stat(filepath.Join(s.dir, "000001"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.True(t, mustUnite(t, next).Published)
}

// TestMiswrittenCopiesOfShardsAreNotPublished: where files cannot be linked, the gate of the union reads the
// copies.
func TestMiswrittenCopiesOfShardsAreNotPublished(t *testing.T) {
	tier.NotShort(t, "it publishes a union for each fault")
	for at := 0; ; at++ {
		s := atOS(t)
		s.publish(0, 1)
		s.publish(1, 1)
		seen := 0
		disk := &turningDisk{FS: noLinks{s.fs, syscall.EXDEV, ""}, turn: middle, which: func(path string) bool {
			if filepath.Base(path) == "manifest.json" || filepath.Ext(path) == ".csv" && !strings.Contains(path, "hierarchies") {
				seen++
			}
			return seen == at+1
		}}
		u := s.union(2)
		u.FS, u.Gate = disk, auditedUnionGate{}
		_, err := u.Publish(unionTime)
		if disk.path == "" {
			require.NoError(t, err)
			require.Equal(t, 2*2*3+1, at, "two shards, staged and rendered, and the manifest of the union")
			return
		}
		require.Error(t, err, disk.path)
		_, err = os.Stat(filepath.Join(s.dir, "intents", "000001"))
		require.ErrorIs(t, err, os.ErrNotExist, disk.path)
		require.True(t, mustUnite(t, u).Published, disk.path)
	}
}

package publish_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

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
		disk := &turningDisk{FS: unsynced{FS: snapshot.OS()}, Turn: otherTime, Which: func(path string) bool {
			return rendered("manifest.json")(path) && strings.Contains(path, []string{".tmp-000001", ".tmp-000002"}[release])
		}}
		p := publisher(disk, root)
		p.Gate = gate
		var intents []state.Intent
		err := publishAll(t, p, &intents)
		require.ErrorIs(t, err, publish.ErrMiswritten)
		require.ErrorContains(t, err, disk.Path)
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
	p := publisher(unsynced{FS: snapshot.OS()}, root)
	require.NoError(t, p.Open())
	first, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	p.FS = &turningDisk{FS: p.FS, Turn: otherTime, Which: rendered("manifest.json")}
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
			var system snapshot.FS = unsynced{FS: snapshot.OS()}
			if copies {
				system = noLinks{FS: system, Fault: syscall.EXDEV, Only: ""}
			}
			seen := 0
			disk := &turningDisk{FS: system, Turn: middle, Which: func(path string) bool {
				if strings.Contains(path, ".tmp-0") {
					seen++
				}
				return seen == at+1
			}}
			root := t.TempDir()
			p := publisher(disk, root)
			p.Gate = auditGate{gate.New(format.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: new(2)})}
			want, got := wholeUntil(t, p, root)
			if disk.Path == "" {
				require.Greater(t, at, 4)
				break
			}
			for name, text := range named(got) {
				if strings.HasPrefix(name, "releases/0") {
					require.Equal(t, want[name], text, "%s is miswritten", disk.Path)
				}
			}
			require.Less(t, len(named(got)), len(want), "%s is miswritten", disk.Path)
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
	if err := publishAll(t, p, &[]state.Intent{}); disk.Path != "" {
		require.Error(t, err, "%s is miswritten", disk.Path)
	} else {
		require.NoError(t, err)
	}
	want, _ = reference(t)
	got, err := readTree(root)
	require.NoError(t, err)
	return want, got
}

package publish_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/verify"
)

// linked reports whether a file of release 2 is a link of that of release 1.
func linked(t *testing.T, p *publish.Publisher, name string) bool {
	t.Helper()
	a, err := os.Stat(filepath.Join(p.Dir, "000001", "part-000001", name))
	require.NoError(t, err)
	b, err := os.Stat(filepath.Join(p.Dir, "000002", "part-000001", name))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o444), b.Mode())
	return os.SameFile(a, b)
}

// TestWhereLinksFailFilesAreCopied: a release is the same, byte by byte, with the
// files of older parts copied: where no links can be made at all, and where one
// file has as many as it can have. Any other error is one.
func TestWhereLinksFailFilesAreCopied(t *testing.T) {
	want, _ := reference(t)
	for _, fault := range []error{syscall.EMLINK, syscall.EXDEV, syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS} {
		for _, only := range []string{"", "qit.csv"} {
			root := t.TempDir()
			p := publisher(noLinks{FS: unsynced{FS: snapshot.OS()}, Fault: fault, Only: only}, root)
			require.NoError(t, publishAll(t, p, &[]state.Intent{}), "%v", fault)
			got, err := readTree(root)
			require.NoError(t, err)
			require.Equal(t, want, got, "%v", fault)
			assert.False(t, linked(t, p, "qit.csv"))
			assert.Equal(t, only != "" && errors.Is(fault, syscall.EMLINK), linked(t, p, "st.csv"), "%v %s", fault, only)
		}
	}
	root := t.TempDir()
	p := publisher(unsynced{FS: snapshot.OS()}, root)
	require.NoError(t, publishAll(t, p, &[]state.Intent{}))
	assert.True(t, linked(t, p, "qit.csv"))

	root = t.TempDir()
	p = publisher(noLinks{FS: unsynced{FS: snapshot.OS()}, Fault: syscall.EIO, Only: ""}, root)
	require.ErrorIs(t, publishAll(t, p, &[]state.Intent{}), syscall.EIO)
}

// elsewhere returns a directory on another file system than that of a file.
func elsewhere(t *testing.T, file string) string {
	t.Helper()
	for _, place := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		dir, err := os.MkdirTemp(place, "anond")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		probe := filepath.Join(dir, "probe")
		err = os.Link(file, probe)
		if _ = os.Remove(probe); errors.Is(err, syscall.EXDEV) {
			return dir
		}
	}
	t.Skip("there is no second file system here")
	return ""
}

// TestAReleaseOnAnotherFileSystem: the release before was moved to another disk.
func TestAReleaseOnAnotherFileSystem(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	away := elsewhere(t, file)
	want, _ := reference(t)
	p := publisher(unsynced{FS: snapshot.OS()}, root)
	require.NoError(t, p.Open())
	_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(away, "000001"), os.DirFS(filepath.Join(p.Dir, "000001"))))
	require.NoError(t, os.RemoveAll(filepath.Join(p.Dir, "000001")))
	require.NoError(t, os.Symlink(filepath.Join(away, "000001"), filepath.Join(p.Dir, "000001")))
	_, err = p.Publish(publish.Of(views(t)[1]), settings(render.Anatomy()))
	require.NoError(t, err)
	got, err := readTree(filepath.Join(p.Dir, "000002"))
	require.NoError(t, err)
	for name, text := range want {
		if inside, ok := strings.CutPrefix(name, "releases/000002/"); ok {
			assert.Equal(t, text, got[inside], name)
		}
	}
}

// TestADamagedPartIsNotCopiedOn: what is copied or joined must be what the manifest
// before says. (Links are the gate's to look at.)
func TestADamagedPartIsNotCopiedOn(t *testing.T) {
	defer joinParts(2)()
	for name, files := range map[string]snapshot.FS{"copied": noLinks{FS: unsynced{FS: snapshot.OS()}, Fault: syscall.EXDEV, Only: ""},
		"joined": unsynced{FS: snapshot.OS()}} {
		root := t.TempDir()
		p := publisher(files, root)
		require.NoError(t, p.Open())
		all := longerViews(t)
		published, spoilt := 1, "000001/part-000001/st.csv"
		if name == "joined" {
			published, spoilt = 2, "000002/part-000002/st.csv"
		}
		for _, v := range all[:published] {
			_, err := p.Publish(publish.Of(v), settings(render.Anatomy()))
			require.NoError(t, err)
		}
		path := filepath.Join(p.Dir, spoilt)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		overwrite(t, path, []byte(strings.Replace(string(data), ",1\n", ",2\n", 1)))
		_, err = p.Publish(publish.Of(all[published]), settings(render.Anatomy()))
		require.ErrorIs(t, err, snapshot.ErrDamaged, name)
		noValues(t, err.Error())
		require.NoError(t, os.Remove(path))
		_, err = p.Publish(publish.Of(all[published]), settings(render.Anatomy()))
		require.ErrorIs(t, err, snapshot.ErrDamaged, name)
	}
}

// TestOldReleasesMayGo: an operator deletes old releases; newer ones are complete
// by themselves, and the next one is published as if nothing had gone.
func TestOldReleasesMayGo(t *testing.T) {
	want, _ := referenceOf(t, publishLonger)
	root := t.TempDir()
	p := publisher(unsynced{FS: snapshot.OS()}, root)
	require.NoError(t, p.Open())
	for i, v := range longerViews(t) {
		_, err := p.Publish(publish.Of(v), settings(render.Anatomy()))
		require.NoError(t, err)
		if i > 0 {
			require.NoError(t, os.RemoveAll(filepath.Join(p.Dir, fmt.Sprintf("%06d", i))))
		}
	}
	got, err := readTree(root)
	require.NoError(t, err)
	for name, text := range want {
		if !strings.Contains(name, "000001/") && !strings.Contains(name, "000002/") {
			assert.Equal(t, text, got[name], name)
		}
	}
	v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
	require.NoError(t, err)
	require.Len(t, v.Findings, 1)
	assert.Equal(t, verify.FindNumber, v.Findings[0].Kind, "what is there is whole")
}

package publish_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/verify"
)

// pruning keeps so many releases of a publisher.
func pruning(p *publish.Publisher, intents []state.Intent, keep publish.KeepRule) *publish.Pruning {
	return &publish.Pruning{FS: p.FS, Dir: p.Dir, Keep: keep, Marked: marked(intents), Published: func(n uint32) ([32]byte, bool) {
		if int(n) > len(intents) {
			return [32]byte{}, false
		}
		return intents[n-1].Manifest, intents[n-1].Published
	}}
}

func marked(intents []state.Intent) (newest uint32) {
	for _, i := range intents {
		if i.Published {
			newest = i.Release
		}
	}
	return newest
}

// longer are three releases on a fresh disk of a test.
func longer(t *testing.T) (*publish.Publisher, []state.Intent) {
	t.Helper()
	p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
	var intents []state.Intent
	require.NoError(t, publishLonger(t, p, &intents))
	return p, intents
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// TestPruneKeeps: what stays, by number and by age, whichever keeps more.
func TestPruneKeeps(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		keep  publish.KeepRule
		later time.Duration // than the releases, which are of one moment
		gone  int
	}{
		{publish.KeepRule{}, 1000 * day, 0},
		{publish.KeepRule{Releases: 3}, 1000 * day, 0},
		{publish.KeepRule{Releases: 2}, 0, 1},
		{publish.KeepRule{Releases: 1}, 0, 2},
		{publish.KeepRule{Age: 90 * day}, 89 * day, 0},
		{publish.KeepRule{Age: 90 * day}, 91 * day, 2},
		{publish.KeepRule{Releases: 1, Age: 90 * day}, 89 * day, 0},
		{publish.KeepRule{Releases: 2, Age: 90 * day}, 91 * day, 1},
	} {
		p, intents := longer(t)
		run := pruning(p, intents, c.keep)
		var told []uint32
		run.Done = func(n uint32) { told = append(told, n) }
		m, err := snapshot.Show(p.FS, p.Dir, 3)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, m.CreatedAt)
		require.NoError(t, err)
		require.NoError(t, run.Run(at.Add(c.later)))
		require.NoError(t, run.Run(at.Add(c.later)), "again")
		require.Len(t, told, c.gone, "%+v", c)
		left, err := snapshot.Count(p.FS, p.Dir)
		require.NoError(t, err)
		require.Equal(t, 3-c.gone, left)
		v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
		require.NoError(t, err)
		require.Empty(t, v.Findings)
		require.Equal(t, 3-c.gone, v.Releases)
		require.Equal(t, c.gone, v.Pruned)
		list, err := snapshot.List(p.FS, p.Dir)
		require.NoError(t, err)
		require.Len(t, list, 3)
		for i, r := range list {
			require.Equal(t, i < c.gone, r.Pruned)
			require.Equal(t, r.Pruned, slices.Contains(told, r.Release))
		}
		look, found := inspection(p, entriesOf(intents))
		seen, err := look.Run(t.Context())
		require.NoError(t, err)
		require.Empty(t, *found)
		require.Equal(t, c.gone, seen.Pruned)
		require.NoError(t, reconcile(p, intents))
	}
}

func entriesOf(intents []state.Intent) (out []snapshot.LedgerEntry) {
	for _, i := range intents {
		out = append(out, snapshot.LedgerEntry{Release: i.Release, SHA256: i.Manifest})
	}
	return out
}

// TestPruneThenPublish: a chain whose old releases go as it grows ends with the same
// newest release, byte by byte, and with the same ledger.
func TestPruneThenPublish(t *testing.T) {
	defer joinParts(2)()
	whole, _ := longer(t)
	p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
	var intents []state.Intent
	for n := range 3 {
		some := func(t testing.TB) []*incremental.View { return longerViews(t)[:n+1] }
		require.NoError(t, publishViews(t, p, &intents, some))
		require.NoError(t, pruning(p, intents, publish.KeepRule{Releases: 1}).Run(time.Time{}))
	}
	require.Equal(t, []string{"000003", "CURRENT", "hierarchies", "pruned"}, names(t, p.Dir))
	require.Equal(t, []string{"000001.json", "000002.json"}, names(t, filepath.Join(p.Dir, "pruned")))
	for _, dir := range []string{"000003", "hierarchies"} {
		want, err := readTree(filepath.Join(whole.Dir, dir))
		require.NoError(t, err)
		got, err := readTree(filepath.Join(p.Dir, dir))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	a, err := os.ReadFile(whole.Ledger)
	require.NoError(t, err)
	b, err := os.ReadFile(p.Ledger)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

// TestPruneRefuses: what is not what state published is not pruned, nor anything behind it.
func TestPruneRefuses(t *testing.T) {
	p, intents := longer(t)
	intents[0].Manifest[0] ^= 1
	err := pruning(p, intents, publish.KeepRule{Releases: 1}).Run(time.Time{})
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	require.ErrorContains(t, err, "prune release 1")
	intents[0].Manifest[0] ^= 1
	intents[0].Published = false
	require.ErrorIs(t, pruning(p, intents, publish.KeepRule{Releases: 1}).Run(time.Time{}), snapshot.ErrDamaged)
	intents[0].Published = true
	run := pruning(p, intents, publish.KeepRule{Releases: 1})
	fenced := errors.New("another process publishes")
	run.Fence = func() error { return fenced }
	require.ErrorIs(t, run.Run(time.Time{}), fenced)
	require.Equal(t, []string{"000001", "000002", "000003", "CURRENT", "hierarchies"}, names(t, p.Dir))
	require.NoError(t, os.WriteFile(filepath.Join(p.Dir, "CURRENT"), []byte("000002\n"), 0o600))
	run.Fence = nil
	run.Marked = 1 // release 2 is in progress, and is made of the files of release 1
	require.NoError(t, run.Run(time.Time{}))
	require.Contains(t, names(t, p.Dir), "000001")
	run.Marked = 3
	require.NoError(t, run.Run(time.Time{}))
	require.Equal(t, []string{"000002", "000003", "CURRENT", "hierarchies", "pruned"}, names(t, p.Dir), "what CURRENT names stays")
}

// TestRemovedIsNotPruned: who removes a release by hand, or what is left of a pruned one,
// is found out, by Verify and while anond runs.
func TestRemovedIsNotPruned(t *testing.T) {
	for what, damage := range map[string]func(dir string) error{
		"oldest":            func(dir string) error { return os.RemoveAll(filepath.Join(dir, "000002")) },
		"manifest":          func(dir string) error { return os.Remove(filepath.Join(dir, "pruned", "000001.json")) },
		"manifest changed":  func(dir string) error { return appendTo(filepath.Join(dir, "pruned", "000001.json")) },
		"all manifests":     func(dir string) error { return os.RemoveAll(filepath.Join(dir, "pruned")) },
		"passed off":        func(dir string) error { return passOff(dir, "000003") },
		"unexpected":        func(dir string) error { return os.WriteFile(filepath.Join(dir, "pruned", "notes"), nil, 0o600) },
		"begun with others": func(dir string) error { return os.WriteFile(filepath.Join(dir, "pruned", "000002.json"), nil, 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			p, intents := longer(t)
			require.NoError(t, pruning(p, intents, publish.KeepRule{Releases: 2}).Run(time.Time{}))
			require.NoError(t, damage(p.Dir))
			v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
			require.NoError(t, err)
			require.NotEmpty(t, v.Findings)
			if what == "unexpected" || what == "begun with others" {
				return // the inspection looks at releases alone
			}
			look, found := inspection(p, entriesOf(intents))
			_, err = look.Run(t.Context())
			require.NoError(t, err)
			assert.NotEmpty(t, *found)
		})
	}
}

func appendTo(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}

// passOff makes a release look like a pruned one though an older one is there.
func passOff(dir, release string) error {
	data, err := os.ReadFile(filepath.Join(dir, release, "manifest.json"))
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "pruned", release+".json"), data, 0o600), os.RemoveAll(filepath.Join(dir, release)))
}

// TestPowerCutsOfPruning cuts the power in each call to the file system, with nothing, all,
// or a random part of what was not synced surviving. Each release is whole then, or pruned;
// and the next start ends where an uninterrupted run does.
func TestPowerCutsOfPruning(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	require.NoError(t, prunedCuts(t, ""))
}

// TestEverySyncOfPruningMatters leaves out one sync at a time: the power cuts must show it.
func TestEverySyncOfPruningMatters(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	for _, name := range []string{"/d/releases", "/d/releases/pruned", "/d/releases/pruned/.tmp-000001.json"} {
		require.Error(t, prunedCuts(t, name), "without sync of %s", name)
	}
}

func prunedCuts(t *testing.T, forget string) error {
	keep := publish.KeepRule{Releases: 1}
	start := func(forgets string) (*publish.Publisher, *forgetful, []state.Intent) {
		disk := newDisk("")
		var intents []state.Intent
		require.NoError(t, publishLonger(t, memPublisher(disk), &intents))
		f := &forgetful{}
		disk.Forgets = func(path string) bool { return path == forgets }
		f.FS, f.cut, f.files = disk, disk.Cut, disk.Files
		return memPublisher(f), f, intents
	}
	p, whole, intents := start("")
	r := &recorder{FS: whole}
	p.FS = r
	require.NoError(t, pruning(p, intents, keep).Run(time.Time{}))
	want := whole.files()
	random := rand.New(rand.NewPCG(7, 5))
	for variant := range 6 {
		for at := 1; at <= r.Effect; at++ {
			survives := []func() float64{func() float64 { return 0 }, func() float64 { return 1 }, random.Float64}[min(variant, 2)]
			p, disk, intents := start(forget)
			p.FS = &recorder{FS: disk, FailAt: at, Fault: errCrash}
			require.ErrorIs(t, pruning(p, intents, keep).Run(time.Time{}), errCrash)
			disk.cut(survives)
			p.FS = disk
			v, err := verify.Dir(disk, p.Dir, p.Ledger)
			switch {
			case err != nil:
				return err
			case !v.OK():
				return fmt.Errorf("power cut at %d, variant %d: %v", at, variant, v.Findings)
			}
			err = errors.Join(p.Open(), publish.Reconcile(disk, p.Dir, p.Ledger, intents, 1000), pruning(p, intents, keep).Run(time.Time{}))
			if got := disk.files(); err != nil || !maps.Equal(want, got) {
				return fmt.Errorf("power cut at %d, variant %d: %v, %v", at, variant, err, slices.Sorted(maps.Keys(got)))
			}
		}
	}
	return nil
}

// RemoveAll removes what is in a directory first, as systems do.
func (f *forgetful) RemoveAll(path string) error {
	if info, err := f.Stat(path); err == nil && info.IsDir() {
		inside, err := f.ReadDir(path)
		for _, name := range inside {
			err = errors.Join(err, f.RemoveAll(path+"/"+name))
		}
		if err != nil {
			return err
		}
	}
	return f.FS.RemoveAll(path)
}

// forgetful is a disk with what the test does to it.
type forgetful struct {
	snapshot.FS
	cut   func(func() float64)
	files func() map[string]string
}

// turned turns a bit of what is written of pruned manifests.
type turned struct{ snapshot.FS }

func (f turned) Create(path string) (io.WriteCloser, error) {
	w, err := f.FS.Create(path)
	return turning{w, strings.Contains(path, "/pruned/")}, err
}

type turning struct {
	io.WriteCloser
	wrong bool
}

func (w turning) Write(p []byte) (int, error) {
	if w.wrong {
		p = slices.Clone(p)
		p[len(p)/2] ^= 1
	}
	return w.WriteCloser.Write(p)
}

// TestPruneReadsTheCopyAgain: a directory stays if the copy of its manifest is not what was
// written. Found by a plan of chaos.
func TestPruneReadsTheCopyAgain(t *testing.T) {
	p, intents := longer(t)
	run := pruning(p, intents, publish.KeepRule{Releases: 1})
	run.FS = turned{p.FS}
	require.ErrorIs(t, run.Run(time.Now()), snapshot.ErrDamaged)
	left, err := snapshot.Count(p.FS, p.Dir)
	require.NoError(t, err)
	require.Equal(t, 3, left)
	require.NoError(t, pruning(p, intents, publish.KeepRule{Releases: 1}).Run(time.Now()))
}

// TestStateBehindPruning: releases are pruned behind the mark of a later one, so a state without
// that mark is behind: what it would finish is made of files that are gone. Found by a plan of
// chaos.
func TestStateBehindPruning(t *testing.T) {
	p, intents := longer(t)
	require.NoError(t, pruning(p, intents, publish.KeepRule{Releases: 1}).Run(time.Now()))
	require.NoError(t, reconcile(p, intents))
	older := slices.Clone(intents)
	older[2].Published, older[2].Manifest = false, [32]byte{}
	require.ErrorIs(t, reconcile(p, older), publish.ErrBehind)
}

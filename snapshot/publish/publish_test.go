package publish_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/snapshottest"
)

// testGate is the auditor of these tests: it sees the rendered files and refuses if
// told to.
type testGate struct {
	refuse error
	dirs   []string
}

func (g *testGate) Check(dir string, placed []render.Placement) error {
	g.dirs = append(g.dirs, filepath.Base(dir))
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil || len(placed) == 0 {
		return errors.New("the gate was called too early")
	}
	return g.refuse
}

func publisher(fs snapshot.FS, root string) *publish.Publisher {
	return &publish.Publisher{FS: fs, Dir: filepath.Join(root, "releases"), Ledger: filepath.Join(root, "state", "ledger"), Gate: &testGate{}}
}

// views are the releases 1 and 2 of the hospital.
func views(t testing.TB) []*incremental.View {
	all := hospitalClasses()
	all[2].Born = 2
	return []*incremental.View{
		testView(t, 1, hospital(t), patients, all[:2]),
		testView(t, 2, hospital(t), patients, all),
	}
}

// publishAll publishes both releases as the daemon does after a start, and marks
// them in the intents that state would hold.
func publishAll(t testing.TB, p *publish.Publisher, intents *[]state.Intent) error {
	return publishViews(t, p, intents, views)
}

// publishLonger is publishAll of longerViews.
func publishLonger(t testing.TB, p *publish.Publisher, intents *[]state.Intent) error {
	return publishViews(t, p, intents, longerViews)
}

func publishViews(t testing.TB, p *publish.Publisher, intents *[]state.Intent, views func(testing.TB) []*incremental.View) error {
	return publishBy(t, p, intents, views, settings(render.Anatomy()))
}

func reference(t *testing.T) (files map[string]string, log []string) {
	t.Helper()
	return referenceOf(t, publishAll)
}

// publishing is publishAll or its like.
type publishing func(testing.TB, *publish.Publisher, *[]state.Intent) error

func referenceOf(t *testing.T, publish publishing) (files map[string]string, log []string) {
	t.Helper()
	root := t.TempDir()
	r := newRecorder(root)
	require.NoError(t, publish(t, publisher(r, root), &[]state.Intent{}))
	files, err := readTree(root)
	require.NoError(t, err)
	return files, r.Log
}

// TestGoldenSideEffects: the order of creates, writes, syncs and renames is the
// promise.
func TestGoldenSideEffects(t *testing.T) {
	_, log := reference(t)
	golden(t, "publish.golden", strings.Join(log, "\n")+"\n")
}

func TestGoldenTree(t *testing.T) {
	files, _ := reference(t)
	var names []string
	for name := range files {
		names = append(names, filepath.ToSlash(name))
	}
	assert.ElementsMatch(t, []string{"releases/CURRENT", "releases/hierarchies/postcode.csv", "state/ledger",
		"releases/000001/datapackage.json", "releases/000001/receiver.md", "releases/000002/datapackage.json", "releases/000002/receiver.md",
		"releases/000001/manifest.json", "releases/000001/part-000001/qit.csv", "releases/000001/part-000001/st.csv",
		"releases/000002/manifest.json", "releases/000002/part-000001/qit.csv", "releases/000002/part-000001/st.csv",
		"releases/000002/part-000002/qit.csv", "releases/000002/part-000002/st.csv"}, names)
	assert.Equal(t, "000002\n", files["releases/CURRENT"])
	golden(t, "ledger.golden", files["state/ledger"])
}

// TestRuleVOnlyDataFilesHoldValues: what speaks about a release says no value.
func TestRuleVOnlyDataFilesHoldValues(t *testing.T) {
	files, _ := reference(t)
	for name, text := range files {
		if strings.HasSuffix(name, ".csv") {
			continue
		}
		noValues(t, text)
	}
}

// TestCrashAtEveryStep stops at each step of each release, as a crash would, and
// starts again: the result equals that of an uninterrupted run.
func TestCrashAtEveryStep(t *testing.T) {
	tier.NotShort(t, "it tries every step")
	assert.Equal(t, 2*8, crashes(t, publishAll))
	defer joinParts(2)()
	assert.Equal(t, 3*8, crashes(t, publishLonger))
}

func crashes(t *testing.T, run publishing) (steps int) {
	want, _ := referenceOf(t, run)
	for stop := 1; ; stop++ {
		root, passed := t.TempDir(), 0
		p := publisher(unsynced{FS: snapshot.OS()}, root)
		p.Hook = func(publish.Step) error {
			if passed++; passed == stop {
				return errCrash
			}
			return nil
		}
		var intents []state.Intent
		err := run(t, p, &intents)
		if err == nil {
			return stop - 1
		}
		require.ErrorIs(t, err, errCrash)
		require.NoError(t, run(t, publisher(unsynced{FS: snapshot.OS()}, root), &intents))
		got, err := readTree(root)
		require.NoError(t, err)
		require.Equal(t, want, got, "stopped at step %d", stop)
	}
}

// TestFailureAtEverySideEffect lets one call fail, as a full disk or a broken
// one does: the error says so without values, no half release has a name, and
// the same process can try again.
func TestFailureAtEverySideEffect(t *testing.T) {
	failures(t, publishAll)
	defer joinParts(2)()
	failures(t, publishLonger)
}

func failures(t *testing.T, publish publishing) {
	whole := &recorder{FS: newDisk("")}
	require.NoError(t, publish(t, memPublisher(whole), &[]state.Intent{}))
	want := whole.FS.(*snapshottest.Disk).Files()
	faults := []error{syscall.ENOSPC, syscall.EROFS, syscall.EIO}
	for at := 1; at <= whole.Effect; at++ {
		disk := newDisk("")
		r := &recorder{FS: disk, FailAt: at, Fault: faults[at%len(faults)]}
		var intents []state.Intent
		err := publish(t, memPublisher(r), &intents)
		require.ErrorIs(t, err, r.Fault, "side effect %d", at)
		noValues(t, err.Error())
		require.NoError(t, wholeReleases(disk.Files(), want, intents))
		require.NoError(t, publish(t, memPublisher(r), &intents), "side effect %d", at)
		require.Equal(t, want, disk.Files(), "failure at side effect %d", at)
	}
}

func TestDiskFullIsSaidClearly(t *testing.T) {
	root := t.TempDir()
	r := newRecorder(root)
	p := publisher(r, root)
	require.NoError(t, p.Open())
	r.FailAt, r.Fault = r.Effect+8, syscall.ENOSPC
	_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.ErrorContains(t, err, "release 000001: ")
	require.ErrorContains(t, err, "no space left on device")
	var failure *publish.ReleaseError
	require.ErrorAs(t, err, &failure)
}

// TestGateRefuses: nothing is renamed, the rendering is removed, the error is
// ErrRefused.
func TestGateRefuses(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	p.Gate = &testGate{refuse: publish.Refuse(errors.New("class 3: below k"))}
	err := publishAll(t, p, &[]state.Intent{})
	require.ErrorIs(t, err, publish.ErrRefused)
	require.ErrorContains(t, err, "class 3: below k")
	files, err := readTree(root)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"releases/hierarchies/postcode.csv": postcodes}, files)
	_, err = os.Stat(filepath.Join(root, "releases", ".tmp-000001"))
	assert.ErrorIs(t, err, os.ErrNotExist)

	p.Gate = &testGate{refuse: errors.New("the gate broke")}
	err = publishAll(t, p, &[]state.Intent{})
	require.ErrorContains(t, err, "the gate broke")
	assert.NotErrorIs(t, err, publish.ErrRefused)
}

// TestRuleFNoSecondRendering: a release that has its name is never written
// again; other bytes under its number are an error, whichever file differs.
func TestRuleFNoSecondRendering(t *testing.T) {
	for _, name := range []string{"part-000001/qit.csv", "part-000001/st.csv", "manifest.json", "more.csv", "part-000001/more.csv"} {
		root := t.TempDir()
		p := publisher(snapshot.OS(), root)
		v := views(t)[0]
		require.NoError(t, p.Open())
		_, err := p.Publish(publish.Of(v), settings(render.Anatomy()))
		require.NoError(t, err)
		path := filepath.Join(root, "releases", "000001", name)
		f, err := snapshot.OS().Append(path)
		require.NoError(t, err)
		_, err = f.Write([]byte("x"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		before, err := readTree(root)
		require.NoError(t, err)
		_, err = p.Publish(publish.Of(v), settings(render.Anatomy()))
		require.ErrorIs(t, err, publish.ErrDifferent, name)
		after, err := readTree(root)
		require.NoError(t, err)
		assert.Equal(t, before, after)
	}
}

// TestRetryShowsTheGateTheRelease: a gate that carries its certificate along sees
// each release, also one that got its name before a crash.
func TestRetryShowsTheGateTheRelease(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	g := &testGate{}
	p.Gate = g
	require.NoError(t, p.Open())
	for range 2 {
		_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{".tmp-000001", "000001"}, g.dirs)
}

// TestRuleFLedgerKnowsAnotherRendering: the release directory was lost, but the
// ledger remembers what it held.
func TestRuleFLedgerKnowsAnotherRendering(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	require.NoError(t, p.Open())
	_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(p.Dir))
	require.NoError(t, p.Open())
	_, err = p.Publish(publish.Of(views(t)[0]), settings(render.Generalization()))
	require.ErrorIs(t, err, publish.ErrDifferent)
	_, err = p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
}

func TestHierarchyMustNotChange(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	require.NoError(t, p.Open())
	_, err := p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.NoError(t, err)
	s := settings(render.Anatomy())
	s.Hierarchies[0].Content = []byte(postcodes + "3011;301*;30**;*\n")
	_, err = p.Publish(publish.Of(views(t)[1]), s)
	require.ErrorIs(t, err, publish.ErrDifferent)
	require.ErrorContains(t, err, `"postcode"`)
	noValues(t, err.Error())
}

func TestPublishNeedsTheChain(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	require.NoError(t, p.Open())
	_, err := p.Publish(publish.Of(views(t)[1]), settings(render.Anatomy()))
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	require.NoError(t, publishAll(t, p, &[]state.Intent{}))
	_, err = p.Publish(publish.Of(views(t)[0]), settings(render.Anatomy()))
	require.ErrorIs(t, err, publish.ErrBehind)
}

func TestOpenRemovesStaleRenderings(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	require.NoError(t, os.MkdirAll(filepath.Join(p.Dir, ".tmp-000007"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(p.Dir, ".tmp-CURRENT"), nil, 0o644))
	require.NoError(t, p.Open())
	names, err := snapshot.OS().ReadDir(p.Dir)
	require.NoError(t, err)
	assert.Empty(t, names)
}

// TestANamedReleaseWithoutManifest: a lying disk left a release with its name and without its
// manifest, before state marked it: that is damage, and nothing to try again. Found by a plan of
// chaos.
func TestANamedReleaseWithoutManifest(t *testing.T) {
	p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
	p.Hook = func(s publish.Step) error {
		if _, err := os.Stat(filepath.Join(p.Dir, "000002")); err == nil && s == publish.StepRename {
			return errCrash
		}
		return nil
	}
	var intents []state.Intent
	require.ErrorIs(t, publishLonger(t, p, &intents), errCrash)
	p.Hook = nil
	require.NoError(t, os.Remove(filepath.Join(p.Dir, "000002", "manifest.json")))
	require.ErrorIs(t, publishLonger(t, p, &intents), publish.ErrDifferent)
}

// TestAReleaseIsSeenBeforeItsCopies: whoever finds a file next to the releases that no manifest names sees that a release is in progress,
// from before the file has its name until the release has its own.
func TestAReleaseIsSeenBeforeItsCopies(t *testing.T) {
	root := t.TempDir()
	r := newRecorder(root)
	p := publisher(r, root)
	require.NoError(t, publishAll(t, p, &[]state.Intent{}))
	copies, seen := 0, false
	for _, line := range r.Log {
		switch {
		case strings.HasPrefix(line, "mkdir-private ./releases/.tmp-0"):
			seen = true
		case strings.HasPrefix(line, "remove ./releases/.tmp-0"), strings.HasPrefix(line, "rename ./releases/.tmp-0"):
			seen = false
		case strings.HasPrefix(line, "rename ./releases/hierarchies/"):
			copies++
			require.True(t, seen, line)
		}
	}
	require.Positive(t, copies)
}

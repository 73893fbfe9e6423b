package warehouse

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
	"anond/snapshot/snapshottest"
)

// TestPowerCutAtEveryCall: after a power cut in any call the table can be read, has each
// release that was acknowledged, and only whole ones; the next run ends where an
// uninterrupted one does.
func TestPowerCutAtEveryCall(t *testing.T) {
	const releases = 3
	whole := snapshottest.New("/d")
	hand(t, whole, releases)
	counting := &laketest.Cutter{FS: whole}
	_, _, err := add(counting)
	require.NoError(t, err)
	want, err := tableRows(whole, handTable)
	require.NoError(t, err)
	require.Greater(t, counting.Calls, 60)
	names := slices.Sorted(maps.Keys(whole.Files()))
	random := rand.New(rand.NewPCG(2, 2))
	keeps := []func() float64{func() float64 { return 0 }, random.Float64}
	for _, keep := range keeps[:tier.Of(t, 1, 1, 2)] {
		for at := 1; at <= counting.Calls; at++ {
			disk := snapshottest.New("/d")
			hand(t, disk, releases)
			acknowledged, _, err := add(&laketest.Cutter{FS: disk, FailAt: at})
			require.ErrorIs(t, err, laketest.ErrCut)
			disk.Cut(keep)
			readable(t, disk, want, acknowledged, at)
			_, _, err = add(disk)
			require.NoError(t, err, "after a cut in call %d", at)
			rows, err := tableRows(disk, handTable)
			require.NoError(t, err, "after a cut in call %d", at)
			require.True(t, sameRows(want, rows), "after a cut in call %d", at)
			require.Equal(t, names, slices.Sorted(maps.Keys(disk.Files())), "after a cut in call %d", at)
		}
	}
}

// readable looks at what is left, without repairing it: through the newest metadata file and
// through the hint.
func readable(t *testing.T, disk *snapshottest.Disk, want map[int64][]string, acknowledged uint32, at int) {
	left := snapshottest.New("/d")
	for name, data := range disk.Files() {
		require.NoError(t, left.MkdirAll("/"+filepath.Dir(name)))
		w, err := left.Create("/" + name)
		require.NoError(t, err)
		_, err = w.Write([]byte(data))
		require.NoError(t, err)
	}
	rows, err := tableRows(left, handTable)
	require.NoError(t, err, "cut in call %d", at)
	require.GreaterOrEqual(t, len(rows), int(acknowledged), "cut in call %d: a release was lost", at)
	for release, list := range rows {
		require.Equal(t, want[release], list, "cut in call %d: release %d is torn", at, release)
	}
	if hint, ok := disk.Files()["d/w/hand/data/metadata/version-hint.text"]; ok {
		require.Contains(t, disk.Files(), "d/w/hand/data/metadata/v"+hint+suffix, "cut in call %d: the hint leads nowhere", at)
	}
}

// TestEverySyncMatters: without any one of the syncs, some power cut shows.
func TestEverySyncMatters(t *testing.T) {
	tier.Heavy(t, "it tries every power cut without every sync")
	whole := snapshottest.New("/d")
	synced := map[string]bool{}
	hand(t, whole, 2)
	whole.Forgets = func(path string) bool { synced[path] = true; return false }
	_, _, err := add(whole)
	require.NoError(t, err)
	whole.Forgets = nil
	want, err := tableRows(whole, handTable)
	require.NoError(t, err)
	for path := range synced {
		if strings.HasSuffix(path, hintName) { // nothing is lost with the hint
			continue
		}
		forgets := func(p string) bool { return p == path }
		made := func() *snapshottest.Disk { return snapshottest.New("/d") }
		if path == "/" { // it matters where the directory above the warehouse was made just before, and nobody else has synced it
			made = func() *snapshottest.Disk {
				disk := snapshottest.New("/")
				disk.Forgets = forgets
				require.NoError(t, disk.MkdirAll("/d"))
				return disk
			}
			assert.False(t, cutShows(t, made, nil, want), "the sync of %s is not enough", path)
		}
		assert.True(t, cutShows(t, made, forgets, want), "the sync of %s does not matter", path)
	}
	assert.Greater(t, len(synced), 10)
}

// cutShows tries all power cuts that keep nothing, on a disk that forgets some syncs of the warehouse.
func cutShows(t *testing.T, made func() *snapshottest.Disk, forgets func(path string) bool, want map[int64][]string) bool {
	for at := 1; ; at++ {
		disk := made()
		hand(t, disk, 2)
		disk.Forgets = forgets
		acknowledged, _, err := add(&laketest.Cutter{FS: disk, FailAt: at})
		finished := err == nil
		disk.Cut(func() float64 { return 0 })
		rows, err := tableRows(disk, handTable)
		if err != nil || len(rows) < int(acknowledged) {
			return true
		}
		for release, list := range rows {
			if !slices.Equal(want[release], list) {
				return true
			}
		}
		if finished {
			return false
		}
	}
}

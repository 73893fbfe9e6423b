package publish_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/snapshottest"
)

func memPublisher(files snapshot.FS) *publish.Publisher {
	return &publish.Publisher{FS: files, Dir: "/d/releases", Ledger: "/d/state/ledger", Gate: openGate{}}
}

// TestPowerCutAtEverySideEffect cuts the power in each call to the file system,
// with nothing, all, or a random part of what was not synced surviving. What has
// a release's name afterwards is the whole release, CURRENT and the ledger name
// only such, what state was told is published is there, and the next start ends
// where an uninterrupted run does.
func TestPowerCutAtEverySideEffect(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	require.NoError(t, powerCuts(t, "", publishAll))
	defer joinParts(2)()
	require.NoError(t, powerCuts(t, "", publishLonger))
}

// TestEverySyncMatters leaves out one sync at a time: the power cuts must show it.
func TestEverySyncMatters(t *testing.T) {
	defer joinParts(2)()
	r := &recorder{FS: newDisk("")}
	require.NoError(t, publishLonger(t, memPublisher(r), &[]state.Intent{}))
	synced := map[string]bool{}
	for _, line := range r.Log {
		if name, ok := strings.CutPrefix(line, "sync "); ok && name != "/" { // the name of /d was durable before
			synced[name] = true
		}
	}
	require.Greater(t, len(synced), 10)
	for _, name := range slices.Sorted(maps.Keys(synced))[:tier.Of(t, 3, 4, len(synced))] {
		require.Error(t, powerCuts(t, name, publishLonger), "without sync of %s", name)
	}
}

func newDisk(forget string) *snapshottest.Disk {
	disk := snapshottest.New("/d")
	disk.Forgets = func(path string) bool { return path == forget }
	return disk
}

func powerCuts(t *testing.T, forget string, publish publishing) error {
	whole := newDisk(forget)
	r := &recorder{FS: whole}
	require.NoError(t, publish(t, memPublisher(r), &[]state.Intent{}))
	want := whole.Files()
	random := rand.New(rand.NewPCG(5, 5))
	for variant := range tier.Of(t, 2, 2, 6) { // the first finds most of what can be found
		for at := 1; at <= r.Effect; at++ {
			keep := []func() float64{func() float64 { return 0 }, func() float64 { return 1 }, random.Float64}[min(variant, 2)]
			disk := newDisk(forget)
			var intents []state.Intent
			require.ErrorIs(t, publish(t, memPublisher(&recorder{FS: disk, FailAt: at, Fault: errCrash}), &intents), errCrash)
			disk.Cut(keep)
			err := wholeReleases(disk.Files(), want, intents)
			if err == nil {
				err = publish(t, memPublisher(disk), &intents)
			}
			if err == nil && !maps.Equal(want, disk.Files()) {
				err = errors.New("the files differ from those of an uninterrupted run")
			}
			if err != nil {
				return fmt.Errorf("power cut at %d, variant %d: %w", at, variant, err)
			}
		}
	}
	return nil
}

// wholeReleases holds what a power cut left against the promise of Publisher.
func wholeReleases(got, want map[string]string, intents []state.Intent) error {
	const hierarchies = "d/releases/hierarchies/"
	for i := range strings.Count(want["d/state/ledger"], "\n") {
		release := fmt.Sprintf("d/releases/%06d/", i+1)
		there := false
		for name := range got {
			there = there || strings.HasPrefix(name, release)
		}
		inLedger := strings.Contains(got["d/state/ledger"], strings.SplitAfter(want["d/state/ledger"], "\n")[i])
		current := got["d/releases/CURRENT"] >= path.Base(release)
		published := i < len(intents) && intents[i].Published
		if (published || inLedger || current) && !there {
			return fmt.Errorf("%s is named, but not there", release)
		}
		if published && !(inLedger && current) {
			return fmt.Errorf("%s is published by state, a witness has lost it", release)
		}
		for name := range want {
			if there && (strings.HasPrefix(name, release) || strings.HasPrefix(name, hierarchies)) && want[name] != got[name] {
				return fmt.Errorf("%s is not whole", name)
			}
		}
	}
	return nil
}

// TestNestedDirectoriesSurvive: where releases and ledger lie deep in directories that are made for them, a power
// cut behind a publication leaves all of it.
func TestNestedDirectoriesSurvive(t *testing.T) {
	disk := newDisk("")
	p := memPublisher(disk)
	p.Dir, p.Ledger = "/d/releases/shards/0", "/d/state/shards/0/ledger"
	require.NoError(t, publishAll(t, p, &[]state.Intent{}))
	want := disk.Files()
	require.NotEmpty(t, want)
	disk.Cut(func() float64 { return 0 })
	require.Equal(t, want, disk.Files())
}

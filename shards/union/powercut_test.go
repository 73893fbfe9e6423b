package union

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot/snapshottest"
)

// files are those of a disk, without what shards have.
func files(s *shards) map[string]string {
	out := s.fs.(*snapshottest.Disk).Files()
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(name, "d/releases/shards/") })
	return out
}

// uniteTwice makes two releases of a union, with a release of a shard in between. What
// the shards do is undisturbed.
func uniteTwice(s *shards, disturbed func() error) error {
	u := s.union(2)
	s.publish(0, 1)
	s.publish(1, 1)
	if _, err := u.publish(unionTime); err != nil {
		return err
	}
	s.publish(1, 2)
	if err := disturbed(); err != nil {
		return err
	}
	_, err := u.publish(unionTime)
	return err
}

// TestUnionPowerCutAtEverySideEffect cuts the power in each call to the file system of a
// second release. What has the name of a release is the whole release, CURRENT and the
// ledger name only such, and the next run ends where an undisturbed one does.
func TestUnionPowerCutAtEverySideEffect(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	want, calls := undisturbed(t)
	random := rand.New(rand.NewPCG(7, 5))
	for variant := range tier.Of(t, 2, 3, 6) {
		for at := 1; at <= calls.Effect; at++ {
			keep := []func() float64{func() float64 { return 0 }, func() float64 { return 1 }, random.Float64}[min(variant, 2)]
			err := cutUnion(t, "", at, keep, want)
			require.NoError(t, err, "power cut at %d, variant %d", at, variant)
		}
	}
}

// undisturbed is what two releases leave, and what the second does to the disk.
func undisturbed(t *testing.T) (map[string]string, *snapshottest.Recorder) {
	s := newShards(t, snapshottest.New("/d"), "/d/releases")
	require.NoError(t, uniteTwice(s, func() error { return nil }))
	want := files(s)
	s = newShards(t, snapshottest.New("/d"), "/d/releases")
	calls := &snapshottest.Recorder{FS: s.fs}
	require.NoError(t, uniteTwice(s, func() error {
		u := s.union(2)
		u.FS = calls
		_, err := u.publish(unionTime)
		return err
	}))
	require.Equal(t, want, files(s))
	require.Greater(t, calls.Effect, 20)
	return want, calls
}

// TestUnionEverySyncMatters leaves out the syncs of one path at a time: a power cut with
// nothing surviving that was not synced must show it.
func TestUnionEverySyncMatters(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	want, calls := undisturbed(t)
	// What was durable before, and what the next run does again: it writes the ledger from
	// the directory, and takes the links out of the intent of the newest release.
	needless := []string{"/d", "/d/releases/hierarchies", "/d/state", "/d/releases/intents/000002"}
	synced := map[string]bool{}
	for _, line := range calls.Log {
		if name, ok := strings.CutPrefix(line, "sync "); ok && !slices.Contains(needless, name) {
			synced[name] = true
		}
	}
	require.Greater(t, len(synced), 8)
	for _, name := range slices.Sorted(maps.Keys(synced))[:tier.Of(t, 3, 4, len(synced))] {
		shown := false
		for at := 1; at <= calls.Effect && !shown; at++ {
			shown = cutUnion(t, name, at, func() float64 { return 0 }, want) != nil
		}
		assert.True(t, shown, "without sync of %s", name)
	}
}

// cutUnion cuts the power in one call of the second release. The syncs of a path may do
// nothing meanwhile.
func cutUnion(t *testing.T, forget string, at int, keep func() float64, want map[string]string) error {
	disk := snapshottest.New("/d")
	s := newShards(t, disk, "/d/releases")
	return errors.Join(uniteTwice(s, func() error {
		u := s.union(2)
		disk.Forgets = func(path string) bool { return path == forget }
		u.FS = &snapshottest.Recorder{FS: disk, FailAt: at, Fault: snapshottest.ErrCrash}
		if _, err := u.publish(unionTime); !errors.Is(err, snapshottest.ErrCrash) {
			return fmt.Errorf("it did not stop: %w", err)
		}
		disk.Cut(keep)
		disk.Forgets = nil
		return wholeUnion(files(s), want)
	}), same(want, files(s)))
}

// wholeUnion: a release that has its name is whole, and what names a release names one
// that is there.
func wholeUnion(got, want map[string]string) error {
	_, there := got["d/releases/000002/manifest.json"]
	if !there && (got["d/releases/CURRENT"] == "000002\n" || strings.Contains(got["d/state/ledger"], "\n2 ")) {
		return errors.New("release 2 is named, but not there")
	}
	if got["d/releases/CURRENT"] == "" || got["d/state/ledger"] == "" {
		return errors.New("a witness of release 1 is lost")
	}
	for name := range want {
		if (there && strings.HasPrefix(name, "d/releases/000002/") || strings.HasPrefix(name, "d/releases/000001/")) && got[name] != want[name] {
			return fmt.Errorf("%s is not whole", name)
		}
	}
	return nil
}

func same(want, got map[string]string) error {
	if maps.Equal(want, got) {
		return nil
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			return fmt.Errorf("%s is missing at the end", name)
		}
	}
	for name := range got {
		if got[name] != want[name] {
			return fmt.Errorf("%s differs at the end", name)
		}
	}
	return nil
}

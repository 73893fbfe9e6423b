package diskuse

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var now = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

// put writes a file of a size, in the release or linked into it.
func put(t *testing.T, dir, name string, size int) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, make([]byte, size), 0o644))
	return path
}

// TestMeasure: each file counts once, whatever links to it.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	releases, state := filepath.Join(dir, "releases"), filepath.Join(dir, "state.db")
	old := put(t, releases, "000001/part-000001/data.csv", 70_000)
	put(t, releases, "000002/part-000002/data.csv", 30_000)
	linked := filepath.Join(releases, "000002/part-000001/data.csv")
	require.NoError(t, os.MkdirAll(filepath.Dir(linked), 0o755))
	require.NoError(t, os.Link(old, linked))
	require.NoError(t, os.WriteFile(state, make([]byte, 50_000), 0o600))
	u, err := Measure(releases, state, nil, now)
	require.NoError(t, err)
	require.Equal(t, []int64{100_000, 0, 50_000, 0}, []int64{u.Releases.Used, u.Releases.PerDay, u.State.Used, u.State.PerDay})
	require.Len(t, u.Samples, 1)

	none, err := Measure(filepath.Join(dir, "absent/a/b"), filepath.Join(dir, "absent/c"), nil, now)
	require.NoError(t, err)
	require.Zero(t, none.Releases.Used+none.State.Used+none.Releases.PerDay)
	require.Empty(t, none.Warnings(now))
	require.Empty(t, none.Samples, "growth begins behind release 1")
}

// TestGrowthIsOfTheTimeMeasured: on the first day, too. What is removed again was no growth, and what was measured
// long ago, or by a clock that was set back, does not count.
func TestGrowthIsOfTheTimeMeasured(t *testing.T) {
	releases := t.TempDir()
	put(t, releases, "000001/part-000001/data.csv", 100_000)
	look := func(before []Sample, at time.Time) *Use {
		u, err := Measure(releases, filepath.Join(releases, "000001/part-000001/data.csv"), before, at)
		require.NoError(t, err)
		return u
	}
	first := look(nil, now)
	put(t, releases, "000002/part-000002/data.csv", 1000)
	second := look(first.Samples, now.Add(32*time.Minute))
	require.EqualValues(t, 45_000, second.Releases.PerDay)
	require.Zero(t, second.State.PerDay)
	require.Equal(t, first.Samples, second.Samples)
	samples := second.Samples
	for d := range 40 {
		samples = look(samples, now.Add(time.Duration(d)*day)).Samples
	}
	require.Len(t, samples, 31)
	require.NoError(t, os.RemoveAll(filepath.Join(releases, "000002")))
	require.Zero(t, look(first.Samples, now.Add(day)).Releases.PerDay)
	require.Zero(t, look(first.Samples, now.Add(-day)).Releases.PerDay)
}

// TestForecast: a disk that is full in less than two weeks is a warning.
func TestForecast(t *testing.T) {
	u := Use{Releases: volume(100, 10, 95, now), State: volume(100, 10, 1000, now)}
	require.Equal(t, now.Add(9*day+12*time.Hour), *u.Releases.FullAt)
	require.Equal(t, []string{"the disk of the releases will be full on 2026-04-10 if it grows on like this: 95 B free, 10 B a day"},
		u.Warnings(now))
	require.Nil(t, volume(100, 0, 95, now).FullAt)
	require.Nil(t, volume(100, 10, -1, now).FullAt)
}

func TestBytes(t *testing.T) {
	require.Equal(t, "1023 B", Bytes(1023))
	require.Equal(t, "1.5 KiB", Bytes(1536))
	require.Equal(t, "2.0 GiB", Bytes(2<<30))
}

package diskuse

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var now = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

// put writes a file of a size and an age, in the release or linked into it.
func put(t *testing.T, dir, name string, size int, age time.Duration) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, make([]byte, size), 0o644))
	require.NoError(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
	return path
}

// TestMeasure: each file counts once, whatever links to it, and what was written in the
// last 30 days is the growth.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	releases, state := filepath.Join(dir, "releases"), filepath.Join(dir, "state.db")
	old := put(t, releases, "000001/part-000001/data.csv", 70_000, 90*day)
	put(t, releases, "000002/part-000002/data.csv", 30_000, 10*day)
	linked := filepath.Join(releases, "000002/part-000001/data.csv")
	require.NoError(t, os.MkdirAll(filepath.Dir(linked), 0o755))
	require.NoError(t, os.Link(old, linked))
	require.NoError(t, os.WriteFile(state, make([]byte, 50_000), 0o600))
	u, err := Measure(releases, state, now)
	require.NoError(t, err)
	require.EqualValues(t, 100_000, u.Releases.Used)
	require.EqualValues(t, 1_000, u.Releases.PerDay)
	require.EqualValues(t, 50_000, u.State.Used)
	require.EqualValues(t, 500, u.State.PerDay)

	none, err := Measure(filepath.Join(dir, "absent/a/b"), filepath.Join(dir, "absent/c"), now)
	require.NoError(t, err)
	require.Zero(t, none.Releases.Used+none.State.Used+none.Releases.PerDay)
	require.Empty(t, none.Warnings(now))
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

// TestPruned: where releases are pruned, what a compaction writes again is no growth. The
// disk grows as the records do.
func TestPruned(t *testing.T) {
	releases := t.TempDir()
	manifest := func(path string, records int, age time.Duration) {
		put(t, releases, path, 0, age)
		text := fmt.Sprintf(`{"created_at": %q, "records": %d}`, now.Add(-age).Format(time.RFC3339), records)
		require.NoError(t, os.WriteFile(filepath.Join(releases, path), []byte(text), 0o600))
	}
	manifest("pruned/000001.json", 100, 90*day)
	manifest("pruned/000002.json", 700, 30*day)
	manifest("000003/manifest.json", 800, 10*day)
	manifest("000004/manifest.json", 1000, 1*day)
	put(t, releases, "000004/part-000001-000003/data.csv", 90_000, day) // all of it was written lately
	u, err := Measure(releases, filepath.Join(releases, "absent"), now)
	require.NoError(t, err)
	require.InDelta(t, 90_000*0.3/30, float64(u.Releases.PerDay), 10)

	require.NoError(t, os.Remove(filepath.Join(releases, "pruned/000001.json")))
	require.NoError(t, os.Remove(filepath.Join(releases, "pruned/000002.json")))
	manifest("pruned/000002.json", 700, 20*day) // the chain is younger than the window
	u, err = Measure(releases, filepath.Join(releases, "absent"), now)
	require.NoError(t, err)
	require.InDelta(t, 90_000/20, float64(u.Releases.PerDay), 50)
}

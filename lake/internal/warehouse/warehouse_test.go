package warehouse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/lake/internal/laketest"
	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
	"anond/snapshot/snapshottest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	laketest.Clean()
	os.Exit(code)
}

// hand writes releases up to a number: each has a new part; in the third a class of the
// first part is dead, in the fourth the first two parts are one.
func hand(t testing.TB, disk *snapshottest.Disk, upTo uint32) {
	parts := map[string]string{}
	dead := map[string][]uint32{}
	sha := ""
	for n := uint32(1); n <= upTo; n++ {
		parts[fmt.Sprintf("part-%06d", n)] = fmt.Sprintf("age,s,class\n%d,x,1\n%d,y,1\n\"[%d,90]\",x,2\n\"[%d,90]\",y,2\n", n, n, n, n)
		switch n {
		case 3:
			dead["part-000001"] = []uint32{2}
		case 4:
			parts["part-000001-000002"] = parts["part-000001"] + strings.ReplaceAll(strings.ReplaceAll(
				strings.TrimPrefix(parts["part-000002"], "age,s,class\n"), ",2\n", ",4\n"), ",1\n", ",3\n")
			dead = map[string][]uint32{"part-000001-000002": {2}}
			delete(parts, "part-000001")
			delete(parts, "part-000002")
		}
		sha = laketest.Release{Number: n, Quasi: "age", Parts: parts, Dead: dead}.Put(t, disk, sha)
	}
}

const handTable = "/d/w/hand/data"

// add runs the warehouse; it returns the newest release that was acknowledged.
func add(files snapshot.FS) (acknowledged uint32, got []Addition, err error) {
	chain, err := source.Open(files, "/d/releases")
	if err != nil {
		return 0, nil, err
	}
	w := &Warehouse{Files: files, Dir: "/d/w", Added: func(a Addition) { acknowledged, got = a.Release, append(got, a) }}
	err = w.Add(context.Background(), chain)
	return acknowledged, got, err
}

// TestLostFilesAreNoticed: at the next start by their size, and their rows by Verify.
func TestLostFilesAreNoticed(t *testing.T) {
	disk := snapshottest.New("/d")
	hand(t, disk, 4)
	_, _, err := add(disk)
	require.NoError(t, err)
	chain, err := source.Open(disk, "/d/releases")
	require.NoError(t, err)
	w := &Warehouse{Files: disk, Dir: "/d/w"}
	n, err := w.Verify(chain)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	names, err := disk.ReadDir(handTable + "/data")
	require.NoError(t, err)
	file := handTable + "/data/" + names[slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "part-000004-") })]
	content, err := disk.ReadFile(file)
	require.NoError(t, err)
	put := func(b []byte) {
		f, err := disk.Create(file)
		require.NoError(t, err)
		_, err = f.Write(b)
		require.NoError(t, errors.Join(err, f.Close()))
	}
	put(content[:len(content)-1])
	_, _, err = add(disk)
	require.ErrorIs(t, err, parquetfile.ErrLost)
	put(bytes.Repeat([]byte{0}, len(content)))
	_, _, err = add(disk)
	require.NoError(t, err, "only sizes are looked at then")
	_, err = w.Verify(chain)
	require.ErrorIs(t, err, parquetfile.ErrLost)
}

// TestOneSnapshotARelease: each release is a snapshot with its rows; parts that were
// replaced and classes that were regrouped are gone from the snapshot, and stay in the
// earlier ones.
func TestOneSnapshotARelease(t *testing.T) {
	disk := snapshottest.New("/d")
	hand(t, disk, 4)
	_, got, err := add(disk)
	require.NoError(t, err)
	assert.Equal(t, []Addition{
		{Release: 1, Records: 4, Added: 1},
		{Release: 2, Records: 8, Added: 1, Kept: 1},
		{Release: 3, Records: 10, Added: 2, Kept: 1, Removed: 1},
		{Release: 4, Records: 14, Added: 2, Kept: 1, Removed: 2},
	}, got)
	rows, err := tableRows(disk, handTable)
	require.NoError(t, err)
	assert.Equal(t, []string{"part-000001;1;1;1;x;1", "part-000001;1;1;1;y;1",
		"part-000001;[1,90];1;90;x;2", "part-000001;[1,90];1;90;y;2"}, rows[1])
	assert.Equal(t, []string{
		"part-000001-000002;1;1;1;x;1", "part-000001-000002;1;1;1;y;1",
		"part-000001-000002;2;2;2;x;3", "part-000001-000002;2;2;2;y;3",
		"part-000001-000002;[2,90];2;90;x;4", "part-000001-000002;[2,90];2;90;y;4",
		"part-000003;3;3;3;x;1", "part-000003;3;3;3;y;1", "part-000003;[3,90];3;90;x;2", "part-000003;[3,90];3;90;y;2",
		"part-000004;4;4;4;x;1", "part-000004;4;4;4;y;1", "part-000004;[4,90];4;90;x;2", "part-000004;[4,90];4;90;y;2"}, rows[4])
	for release, want := range map[int64]int{1: 4, 2: 8, 3: 10, 4: 14} {
		assert.Len(t, rows[release], want)
	}
	tab, err := openTable(disk, handTable)
	require.NoError(t, err)
	summary := tab.meta.newest().Summary
	assert.Equal(t, []string{"overwrite", "10", "6", "14"},
		[]string{summary[keyOperation], summary["added-records"], summary["deleted-records"], summary["total-records"]})
	assert.Equal(t, "append", tab.meta.Snapshots[1].Summary[keyOperation])
	assert.Equal(t, ref{3, "tag"}, tab.meta.Refs["release-000003"])
	assert.Equal(t, "4", disk.Files()["d/w/hand/data/metadata/version-hint.text"])

	before := disk.Files()
	_, got, err = add(disk)
	require.NoError(t, err)
	assert.Empty(t, got)
	assert.Equal(t, before, disk.Files(), "a release that is in the table is not written again")
}

// TestOtherReleasesAreRefused: a release that is not the one that the table was made of, an
// older directory, other columns, and a table that others wrote to.
func TestOtherReleasesAreRefused(t *testing.T) {
	disk := snapshottest.New("/d")
	hand(t, disk, 3)
	_, _, err := add(disk)
	require.NoError(t, err)
	before := disk.Files()
	unchanged := func() {
		for name, data := range disk.Files() {
			if strings.HasPrefix(name, "d/w/") {
				require.Equal(t, before[name], data, name)
			}
		}
	}
	require.NoError(t, disk.RemoveAll("/d/releases"))
	hand(t, disk, 2)
	_, _, err = add(disk)
	require.ErrorIs(t, err, errBehind)
	unchanged()

	require.NoError(t, disk.RemoveAll("/d/releases"))
	sha := ""
	for n := uint32(1); n <= 4; n++ {
		parts := map[string]string{}
		for p := uint32(1); p <= n; p++ {
			parts[fmt.Sprintf("part-%06d", p)] = "age,s,class\n5,x,1\n"
		}
		sha = laketest.Release{Number: n, Quasi: "age", Parts: parts}.Put(t, disk, sha)
	}
	_, _, err = add(disk)
	require.ErrorIs(t, err, errOther)
	unchanged()

	path := handTable + "/metadata/v3.metadata.json"
	w, err := disk.Create(path)
	require.NoError(t, err)
	_, err = w.Write([]byte(strings.Replace(before[path[1:]], "{", `{"statistics": [],`, 1)))
	require.NoError(t, err)
	require.NoError(t, disk.RemoveAll("/d/releases"))
	hand(t, disk, 4)
	_, _, err = add(disk)
	require.ErrorIs(t, err, errForeign)
}

// TestPrunedReleases: one that was pruned before it was in the table has no snapshot; its
// rows are in the next. One that is in the table stays when it is pruned.
func TestPrunedReleases(t *testing.T) {
	disk := snapshottest.New("/d")
	hand(t, disk, 2)
	_, _, err := add(disk)
	require.NoError(t, err)
	early, err := tableRows(disk, handTable)
	require.NoError(t, err)
	hand(t, disk, 4)
	for n := 1; n <= 3; n++ {
		prune(t, disk, n)
	}
	_, got, err := add(disk)
	require.NoError(t, err)
	require.Len(t, got, 1)
	rows, err := tableRows(disk, handTable)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 2, 4}, slices.Sorted(maps.Keys(rows)))
	assert.Equal(t, early[1], rows[1])
	assert.Equal(t, early[2], rows[2])
	assert.Len(t, rows[4], 14)
}

// prune leaves the manifest of a release alone.
func prune(t *testing.T, disk *snapshottest.Disk, n int) {
	manifest := disk.Files()[fmt.Sprintf("d/releases/%06d/manifest.json", n)]
	require.NoError(t, disk.MkdirAll("/d/releases/pruned"))
	w, err := disk.Create(fmt.Sprintf("/d/releases/pruned/%06d.json", n))
	require.NoError(t, err)
	_, err = w.Write([]byte(manifest))
	require.NoError(t, err)
	require.NoError(t, disk.RemoveAll(fmt.Sprintf("/d/releases/%06d", n)))
}

// pruner is a disk on which a release is pruned at the moment its newest part is read.
type pruner struct {
	*snapshottest.Disk
	t *testing.T
}

func (p pruner) Open(name string) (io.ReadCloser, error) {
	if name == "/d/releases/000002/part-000002/data.csv" {
		prune(p.t, p.Disk, 2)
	}
	return p.Disk.Open(name)
}

// TestPrunedWhileItIsRead: the next release has its rows.
func TestPrunedWhileItIsRead(t *testing.T) {
	disk := snapshottest.New("/d")
	hand(t, disk, 3)
	_, got, err := add(pruner{disk, t})
	require.NoError(t, err)
	require.Len(t, got, 2)
	rows, err := tableRows(disk, handTable)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 3}, slices.Sorted(maps.Keys(rows)))
	assert.Len(t, rows[3], 10)
}

// TestOldMetadataGoes: so many metadata files stay, and all snapshots.
func TestOldMetadataGoes(t *testing.T) {
	disk := snapshottest.New("/d")
	const releases = keptMetadata + 5
	hand(t, disk, 3)
	sha, parts := "", map[string]string{}
	require.NoError(t, disk.RemoveAll("/d/releases"))
	for n := uint32(1); n <= releases; n++ {
		parts[fmt.Sprintf("part-%06d", n)] = fmt.Sprintf("age,s,class\n%d,x,1\n", n)
		sha = laketest.Release{Number: n, Quasi: "age", Parts: parts}.Put(t, disk, sha)
	}
	_, _, err := add(disk)
	require.NoError(t, err)
	kept := 0
	for name := range disk.Files() {
		if strings.HasSuffix(name, suffix) {
			kept++
		}
	}
	assert.Equal(t, keptMetadata, kept)
	tab, err := openTable(disk, handTable)
	require.NoError(t, err)
	assert.Len(t, tab.meta.MetadataLog, keptMetadata-1)
	for _, e := range tab.meta.MetadataLog {
		path, err := tab.path(e.MetadataFile)
		require.NoError(t, err)
		_, err = disk.Stat(path)
		require.NoError(t, err)
	}
	rows, err := tableRows(disk, handTable)
	require.NoError(t, err)
	assert.Len(t, rows, releases)
}

// FuzzMetadata: what is accepted can be written on, and reads as what it was.
func FuzzMetadata(f *testing.F) {
	disk := snapshottest.New("/d")
	hand(f, disk, 2)
	_, _, err := add(disk)
	require.NoError(f, err)
	f.Add([]byte(disk.Files()["d/w/hand/data/metadata/v1.metadata.json"]))
	f.Add([]byte(disk.Files()["d/w/hand/data/metadata/v2.metadata.json"]))
	f.Add([]byte(`{"format-version":2,"schemas":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMetadata(data)
		if err != nil {
			return
		}
		var text bytes.Buffer
		require.NoError(t, m.encode(&text))
		again, err := decodeMetadata(text.Bytes())
		require.NoError(t, err)
		var twice bytes.Buffer
		require.NoError(t, again.encode(&twice))
		require.Equal(t, text.String(), twice.String())
	})
}

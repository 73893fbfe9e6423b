package warehouse

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
	"anond/lake/internal/source"
	"anond/snapshot/snapshottest"
)

// dataFiles are the Parquet files of the table.
func dataFiles(t *testing.T, disk *snapshottest.Disk) (out []string) {
	for name := range disk.Files() {
		if part, ok := strings.CutPrefix(name, handTable[1:]+"/data/"); ok {
			out = append(out, part[:strings.LastIndexByte(part, '-')])
		}
	}
	slices.Sort(out)
	return out
}

// TestWhatLeftIsRemoved: where parts leave, by a window or without a bucket, the snapshots with their rows go, and the files that no
// other snapshot has. Snapshots from before their births stay; a join removes nothing. So it is, whether each release was added
// or only some were.
func TestWhatLeftIsRemoved(t *testing.T) {
	snapshots := map[uint32][]int64{3: {1, 2, 3}, 4: {4}, 5: {4, 5}, 6: {6}, 7: {7}}
	files := map[uint32][]string{3: {"part-000001", "part-000002", "part-000003"}, 4: {"part-000002", "part-000003", "part-000004"},
		5: {"part-000002", "part-000002-000003", "part-000003", "part-000004", "part-000005"},
		6: {"part-000002-000003", "part-000004", "part-000005", "part-000006"}, 7: nil}
	disk := snapshottest.New("/d")
	for n := uint32(1); n <= 7; n++ {
		laketest.Leaving(t, disk, n)
		_, _, err := add(disk)
		require.NoError(t, err)
		if n < 3 {
			continue
		}
		tab, err := openTable(disk, handTable)
		require.NoError(t, err)
		var have []int64
		for i := range tab.meta.Snapshots {
			have = append(have, tab.meta.Snapshots[i].SnapshotID)
		}
		require.Equal(t, snapshots[n], have)
		require.Len(t, tab.meta.Refs, len(have)+1)
		require.Equal(t, files[n], dataFiles(t, disk), "release %d", n)
		chain, err := source.Open(disk, "/d/releases")
		require.NoError(t, err)
		_, err = (&Warehouse{Files: disk, Dir: "/d/w"}).Verify(chain)
		require.NoError(t, err)
		rows, err := tableRows(disk, handTable)
		require.NoError(t, err)
		late := snapshottest.New("/d")
		laketest.Leaving(t, late, n)
		_, _, err = add(late)
		require.NoError(t, err)
		again, err := tableRows(late, handTable)
		require.NoError(t, err)
		require.True(t, sameRows(rows, again))
		require.Equal(t, dataFiles(t, disk), dataFiles(t, late))
	}
}

// TestPowerCutWhileRowsLeave: whatever call is the last one, the next run removes the same.
func TestPowerCutWhileRowsLeave(t *testing.T) {
	for release := uint32(4); release <= uint32(tier.Of(t, 4, 7, 7)); release += 2 {
		for at := 1; ; at++ {
			disk := snapshottest.New("/d")
			laketest.Leaving(t, disk, release-1)
			_, _, err := add(disk)
			require.NoError(t, err)
			laketest.Leaving(t, disk, release)
			_, _, err = add(&laketest.Cutter{FS: disk, FailAt: at})
			finished := err == nil
			disk.Cut(func() float64 { return .5 })
			_, _, err = add(disk)
			require.NoError(t, err)
			whole := snapshottest.New("/d")
			laketest.Leaving(t, whole, release)
			_, _, err = add(whole)
			require.NoError(t, err)
			require.Equal(t, dataFiles(t, whole), dataFiles(t, disk), "cut in call %d", at)
			if finished {
				break
			}
		}
	}
}

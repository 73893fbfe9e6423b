package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
	"anond/snapshot/snapshottest"
)

// three writes three releases: the second has a new part, in the third a class of the
// first part is dead.
func three(t *testing.T, disk *snapshottest.Disk) {
	parts := map[string]string{"part-000001": "age,s,class\n1,x,1\n1,y,1\n2,x,2\n2,y,2\n"}
	sha := laketest.Release{Number: 1, Quasi: "age", Parts: parts}.Put(t, disk, "")
	parts["part-000002"] = "age,s,class\n3,x,1\n3,y,1\n"
	sha = laketest.Release{Number: 2, Quasi: "age", Parts: parts}.Put(t, disk, sha)
	parts["part-000003"] = "age,s,class\n\"[1,3]\",x,1\n\"[1,3]\",y,1\n"
	laketest.Release{Number: 3, Quasi: "age", Parts: parts, Dead: map[string][]uint32{"part-000001": {2}}}.Put(t, disk, sha)
}

func exported(files snapshot.FS, n uint32) (*Result, error) {
	chain, err := source.Open(files, "/d/releases")
	if err != nil {
		return nil, err
	}
	return Export(files, chain, "/d/out", n)
}

// TestLostRowsAreNoticed: a file that is gone or cut at the next export, one with other rows by Verify.
func TestLostRowsAreNoticed(t *testing.T) {
	const file = "/d/out/000003/data/part-000002.parquet"
	for name, x := range map[string]struct {
		lose    func(*snapshottest.Disk)
		counted bool
	}{
		"gone": {func(d *snapshottest.Disk) { require.NoError(t, d.RemoveAll(file)) }, true},
		"cut":  {func(d *snapshottest.Disk) { require.NoError(t, d.Truncate(file, 4)) }, true},
		"another": {func(d *snapshottest.Disk) { // of the same size
			other, err := d.ReadFile("/d/out/000003/data/part-000003.parquet")
			require.NoError(t, err)
			require.NoError(t, d.RemoveAll(file))
			w, err := d.Create(file)
			require.NoError(t, err)
			_, err = w.Write(other)
			require.NoError(t, errors.Join(err, w.Close()))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			disk := snapshottest.New("/d")
			three(t, disk)
			for n := range uint32(3) {
				_, err := exported(disk, n+1)
				require.NoError(t, err)
			}
			chain, err := source.Open(disk, "/d/releases")
			require.NoError(t, err)
			n, err := Verify(disk, chain, "/d/out")
			require.NoError(t, err)
			require.Equal(t, 3, n)
			x.lose(disk)
			_, err = Verify(disk, chain, "/d/out")
			require.ErrorIs(t, err, parquetfile.ErrLost)
			if _, err = exported(disk, 3); x.counted {
				require.ErrorIs(t, err, parquetfile.ErrLost)
			}
		})
	}
}

// TestAReleaseCostsWhatIsNew: parts whose living rows are those of the release before are
// links; what is there already stays.
func TestAReleaseCostsWhatIsNew(t *testing.T) {
	disk := snapshottest.New("/d")
	three(t, disk)
	for _, want := range []Result{{Release: 1, Written: 1, Records: 4}, {Release: 2, Written: 1, Linked: 1, Records: 6},
		{Release: 3, Written: 2, Linked: 1, Records: 6}} {
		want.Dir = filepath.Join("/d/out", dirName(want.Release))
		got, err := exported(disk, want.Release)
		require.NoError(t, err)
		assert.Equal(t, want, *got)
	}
	before := disk.Files()
	again, err := exported(disk, 0)
	require.NoError(t, err)
	assert.True(t, again.Already)
	assert.Equal(t, before, disk.Files())
	listed(t, before, 3)

	alone := snapshottest.New("/d")
	three(t, alone)
	_, err = exported(alone, 3)
	require.NoError(t, err)
	for name, data := range alone.Files() {
		assert.Equal(t, before[name], data, "%s: what was linked is what would have been written", name)
	}
}

// listed holds lake.json against the files.
func listed(t *testing.T, files map[string]string, release uint32) {
	dir := "d/out/" + dirName(release) + "/"
	l, err := decodeListing([]byte(files[dir+listingName]))
	require.NoError(t, err)
	manifest := sha256.Sum256([]byte(files["d/releases/"+dirName(release)+"/manifest.json"]))
	assert.Equal(t, hex.EncodeToString(manifest[:]), l.ManifestSHA256)
	there := map[string]bool{listingName: true}
	for _, e := range l.Files {
		sum := sha256.Sum256([]byte(files[dir+e.Path]))
		assert.Equal(t, hex.EncodeToString(sum[:]), e.SHA256, e.Path)
		assert.Len(t, files[dir+e.Path], int(e.Bytes))
		there[e.Path] = true
	}
	for name := range files {
		if below, ok := strings.CutPrefix(name, dir); ok {
			assert.True(t, there[below], "%s is not listed", name)
		}
	}
}

// TestAnotherHistoryIsRefused: a release of the same number with another manifest, or a
// directory that is none of ours, is never replaced.
func TestAnotherHistoryIsRefused(t *testing.T) {
	disk := snapshottest.New("/d")
	three(t, disk)
	_, err := exported(disk, 1)
	require.NoError(t, err)
	before := disk.Files()["d/out/000001/data/part-000001.parquet"]
	laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{"part-000001": "age,s,class\n1,z,1\n"}}.Put(t, disk, "")
	_, err = exported(disk, 1)
	require.ErrorIs(t, err, errOther)
	assert.Equal(t, before, disk.Files()["d/out/000001/data/part-000001.parquet"])

	require.NoError(t, disk.RemoveAll("/d/out/000001/"+listingName))
	_, err = exported(disk, 1)
	require.ErrorContains(t, err, "was not written by anond-lake")
}

// TestDamagedPartsLeaveNothing: a file that is not the manifest's gives no release.
func TestDamagedPartsLeaveNothing(t *testing.T) {
	disk := snapshottest.New("/d")
	three(t, disk)
	w, err := disk.Append("/d/releases/000002/part-000002/data.csv")
	require.NoError(t, err)
	_, err = w.Write([]byte("4,x,2\n"))
	require.NoError(t, err)
	_, err = exported(disk, 2)
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	_, err = disk.Stat("/d/out/000002")
	require.Error(t, err)
}

// TestPowerCutAtEveryCall: after a power cut in any call, a release is whole or not there,
// what was acknowledged is there, and the next run ends where an uninterrupted one does.
func TestPowerCutAtEveryCall(t *testing.T) {
	whole := snapshottest.New("/d")
	three(t, whole)
	all := func(files snapshot.FS) (done uint32, err error) {
		for n := uint32(1); n <= 3; n++ {
			if _, err := exported(files, n); err != nil {
				return done, err
			}
			done = n
		}
		return done, nil
	}
	counting := &laketest.Cutter{FS: whole}
	_, err := all(counting)
	require.NoError(t, err)
	want := whole.Files()
	require.Greater(t, counting.Calls, 40)
	random := rand.New(rand.NewPCG(1, 1))
	keeps := []func() float64{func() float64 { return 0 }, random.Float64, func() float64 { return 1 }}
	for _, keep := range keeps[:tier.Of(t, 1, 2, 3)] {
		for at := 1; at <= counting.Calls; at++ {
			disk := snapshottest.New("/d")
			three(t, disk)
			done, err := all(&laketest.Cutter{FS: disk, FailAt: at})
			require.ErrorIs(t, err, laketest.ErrCut)
			disk.Cut(keep)
			after := disk.Files()
			for n := uint32(1); n <= 3; n++ {
				_, missing := disk.Stat(filepath.Join("/d/out", dirName(n)))
				require.True(t, missing == nil || n > done, "cut in call %d: release %d was lost", at, n)
				for name, data := range want {
					if missing == nil && strings.HasPrefix(name, "d/out/"+dirName(n)+"/") {
						require.Equal(t, data, after[name], "cut in call %d: %s is not whole", at, name)
					}
				}
			}
			_, err = all(disk)
			require.NoError(t, err, "after a cut in call %d", at)
			require.True(t, maps.Equal(want, disk.Files()), "after a cut in call %d", at)
		}
	}
}

// TestWhatLeftIsRemoved: releases with rows of parts that left go from the folder once a release is there that has them no more;
// whatever call is the last one before the power is cut, the next run removes the same.
func TestWhatLeftIsRemoved(t *testing.T) {
	left := map[uint32][]string{3: {"000001", "000002", "000003"}, 4: {"000004"}, 5: {"000004", "000005"}, 6: {"000006"}, 7: {"000007"}}
	dirs := func(disk *snapshottest.Disk) (out []string) {
		for name := range disk.Files() {
			if dir, ok := strings.CutPrefix(name, "d/out/"); ok {
				out = append(out, strings.Split(dir, "/")[0])
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for at := 0; ; at++ { // 0: no cut
		disk := snapshottest.New("/d")
		finished := true
		for n := uint32(1); n <= 7; n++ {
			laketest.Leaving(t, disk, n)
			var err error
			if at > 0 && n >= 4 {
				_, err = exported(&laketest.Cutter{FS: disk, FailAt: at}, n)
			}
			if err != nil {
				finished = false
				disk.Cut(func() float64 { return .5 })
			}
			_, err = exported(disk, n)
			require.NoError(t, err)
			if n > 2 {
				require.Equal(t, left[n], dirs(disk), "release %d, cut in call %d", n, at)
			}
		}
		if at > 0 && finished {
			break
		}
	}
}

// TestRealFiles: on the operating system, linked and sealed.
func TestRealFiles(t *testing.T) {
	disk := snapshottest.New("/d")
	three(t, disk)
	dir := t.TempDir()
	for name, data := range disk.Files() {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	}
	chain, err := source.Open(snapshot.OS(), filepath.Join(dir, "d", "releases"))
	require.NoError(t, err)
	out := filepath.Join(dir, "deep", "out")
	require.NoError(t, os.Mkdir(filepath.Dir(out), 0o755))
	for _, n := range chain.Readable() {
		_, err := Export(snapshot.OS(), chain, out, n)
		require.NoError(t, err)
	}
	a, err := os.Stat(filepath.Join(out, "000002", "data", "part-000002.parquet"))
	require.NoError(t, err)
	b, err := os.Stat(filepath.Join(out, "000003", "data", "part-000002.parquet"))
	require.NoError(t, err)
	assert.True(t, os.SameFile(a, b))
	assert.Equal(t, os.FileMode(0o444), b.Mode().Perm())
}

// FuzzListing: what is accepted is what is written, and names no file elsewhere.
func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"format":1,"release":3,"files":[{"path":"data/part-000001.parquet","rows":4}]}`))
	f.Add([]byte(`{"release":3,"files":[{"path":"../x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := decodeListing(data)
		if err != nil {
			return
		}
		for _, e := range l.Files {
			require.True(t, strings.HasPrefix(filepath.Clean("/a/b/"+e.Path)+"/", "/a/b/"), e.Path)
		}
		text, err := json.Marshal(l)
		require.NoError(t, err)
		again, err := decodeListing(text)
		require.NoError(t, err)
		require.Equal(t, l, again)
	})
}

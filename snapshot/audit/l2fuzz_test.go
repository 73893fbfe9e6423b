package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// l2Seeds gives files of the standard chain of level L2 to f.
func l2Seeds(f *testing.F, recoding, glob string, add func(data []byte)) {
	o := standardL2(recoding).write(f)
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(o.Releases), glob))
	require.NoError(f, err)
	require.NotEmpty(f, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		add(data)
	}
}

// checkL2Table: whatever was read can be judged, joined, compared with itself, and, if reading
// found no fault, has in its buckets what its rows name.
func checkL2Table(t *testing.T, s *format.Schema, tab *table.Table, whole bool) {
	require.Equal(t, tab.M+1, len(tab.Start))
	require.Len(t, tab.Shared.Row, tab.Rows())
	man := &format.Manifest{Release: 1, Recoding: format.RecodingBuckets, Policy: format.Policy{K: 4, L: 2, Level: format.LevelTwo}}
	f := &format.Faults{}
	table.CheckPrinciples(man, s, tab, f)
	table.CheckBuckets(man, s, tab.Shared, f)
	chain.CheckCounts(man, s, tab, f)
	require.Equal(t, tab.M, tab.Empty().Join(tab).M)
	table.BucketFigures(tab)
	found := f.N
	c := &chain.BucketChange{S: s, Now: tab}
	c.Add(tab, 0)
	c.Report(1, f)
	if whole {
		require.Equal(t, found, f.N, "a table has the buckets that it has")
	}
}

// FuzzBucketed: any files of level L2 are refused or read, and a table without findings is one.
func FuzzBucketed(f *testing.F) {
	recodings := []string{"buckets", "anatomy", "permutation"}
	forms := []string{format.FormBuckets, format.FormExact, format.FormDrawn}
	names := []string{"data.csv", "values.csv", "pools.csv", "buckets.csv"}
	for i, recoding := range recodings {
		var data [][]byte
		for _, name := range names {
			l2Seeds(f, recoding, "releases/000003/part-000003/"+name, func(b []byte) { data = append(data, b) })
		}
		f.Add(data[0], data[1], data[2], data[3], uint8(i))
		f.Add(data[0][:len(data[0])/2], data[1], data[2], data[3], uint8(i))
		f.Add(data[0], data[1], data[2][:len(data[2])/2], data[3], uint8(i))
	}
	f.Fuzz(func(t *testing.T, data, values, pools, buckets []byte, kind uint8) {
		all := bytes.Join([][]byte{data, values, pools, buckets}, nil)
		if bytes.Contains(all, []byte("00000")) {
			t.Skip("a count may be large by right; keep memory small here")
		}
		s := fuzzSchema()
		r := &table.TableReader{S: s, Release: 1, F: &format.Faults{}, Rows: map[string]int{}}
		tab, err := r.Read(forms[kind%3], names, [][]byte{data, values, pools, buckets})
		checkError(t, all, err)
		if err == nil {
			checkL2Table(t, s, tab, r.F.N == 0)
		}
	})
}

// FuzzL2Compaction: any files are refused or compared, and the file of one part is its
// own compaction.
func FuzzL2Compaction(f *testing.F) {
	for i, recoding := range []string{"buckets", "permutation"} {
		l2Seeds(f, recoding, "releases/000003/part-*/*.csv", func(b []byte) { f.Add(b, b, i == 1) })
		l2Seeds(f, recoding, "releases/000004/part-000001-000002/*.csv", func(b []byte) { f.Add(b, b[:len(b)/2], i == 1) })
	}
	s := fuzzSchema()
	f.Fuzz(func(t *testing.T, old, now []byte, drawn bool) {
		man := &format.Manifest{Release: 1, Recoding: format.RecodingBuckets, Policy: format.Policy{K: 4, L: 2, Level: format.LevelTwo}}
		if drawn {
			man.Recoding = format.RecodingPermutation
		}
		for _, name := range man.DataFiles() {
			compare := func(now []byte) (bool, error) {
				found := &format.Faults{}
				p := &format.Part{Replaces: []format.Replaced{{FirstClass: 1, Classes: 7, FirstBucket: 1, FirstPool: 1}}}
				_, err := table.CheckCompaction(man, s, p, [][]byte{now}, [][][]byte{{old}}, []string{name}, found)
				checkError(t, append(bytes.Clone(old), now...), err)
				return !bytes.Contains([]byte(joined(kinds(found.List))), []byte(format.KindCompaction)), err
			}
			if same, err := compare(old); err == nil {
				require.True(t, same)
			}
			_, _ = compare(now)
		}
	})
}

func joined(list []string) (out string) {
	for _, s := range list {
		out += s + "\n"
	}
	return out
}

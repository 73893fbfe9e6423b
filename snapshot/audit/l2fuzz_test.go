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
	chain.CheckCounts(man, tab, f)
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

func FuzzBucketed(f *testing.F) {
	rows := "age,city,job,class,bucket\n20,north-1,clerk,1,1\n"
	for _, recoding := range []string{"buckets", "anatomy"} {
		var data [][]byte
		l2Seeds(f, recoding, "releases/000003/part-000003/data.csv", func(b []byte) { data = append(data, b) })
		l2Seeds(f, recoding, "releases/000003/part-000003/buckets.csv", func(b []byte) { f.Add(data[0], b, recoding == "anatomy") })
		f.Add([]byte(rows), []byte("bucket,illness,count\n1,a,1\n1,b,1\n"), recoding == "anatomy")
	}
	f.Fuzz(func(t *testing.T, qi, sa []byte, exact bool) {
		if bytes.Contains(sa, []byte("00000")) {
			t.Skip("a count may be large by right; keep memory small here")
		}
		s := fuzzSchema()
		r := &table.TableReader{S: s, Release: 1, F: &format.Faults{}, Rows: map[string]int{}, K: 4}
		form := format.FormBuckets
		if exact {
			form = format.FormExact
		}
		tab, err := r.Read(form, []string{"data.csv", "buckets.csv"}, [][]byte{qi, sa})
		checkError(t, append(bytes.Clone(qi), sa...), err)
		if err == nil {
			checkL2Table(t, s, tab, r.F.N == 0)
		}
	})
}

func FuzzDrawn(f *testing.F) {
	l2Seeds(f, "permutation", "releases/00000[34]/part-*/data.csv", func(b []byte) {
		f.Add(b, uint8(4), uint8(2))
		f.Add(b[:len(b)/2], uint8(3), uint8(0))
	})
	f.Fuzz(func(t *testing.T, data []byte, k, joint1 uint8) {
		s := fuzzSchema()
		r := &table.TableReader{S: s, Release: 1, F: &format.Faults{}, Rows: map[string]int{}, K: 1 + int(k)}
		if n := int(joint1); n > 0 {
			r.Joined = []table.Joint{{End: n, EndBucket: n}, {First: n, End: 2 * n, FirstBucket: n, EndBucket: 2 * n, Compacted: true}}
		}
		tab, err := r.Read(format.FormDrawn, []string{"data.csv"}, [][]byte{data})
		checkError(t, data, err)
		if err == nil {
			checkL2Table(t, s, tab, r.F.N == 0)
			require.Equal(t, bytes.Count(data, []byte("\n"))-1 >= tab.Rows(), true)
			for c := range tab.M {
				require.Less(t, tab.Size(c), 2*r.K)
			}
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
		names := []string{"data.csv", "buckets.csv"}
		if drawn {
			man.Recoding, names = format.RecodingPermutation, names[:1]
		}
		for _, name := range names {
			compare := func(now []byte) (bool, error) {
				found := &format.Faults{}
				p := &format.Part{Replaces: []format.Replaced{{FirstClass: 1, Classes: 7, FirstBucket: 1}}}
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

package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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
func checkL2Table(t *testing.T, s *schema, tab *table, whole bool) {
	require.Equal(t, tab.m+1, len(tab.start))
	require.Len(t, tab.shared.row, tab.rows())
	man := &Manifest{Release: 1, Recoding: recodingBuckets, Policy: Policy{K: 4, L: 2, Level: levelTwo}}
	f := &faults{}
	checkPrinciples(man, s, tab, f)
	checkBuckets(man, s, tab.shared, f)
	checkCounts(man, tab, f)
	require.Equal(t, tab.m, tab.empty().join(tab).m)
	bucketFigures(tab)
	found := f.n
	c := &bucketChange{s: s, now: tab}
	c.add(tab, 0)
	c.report(1, f)
	if whole {
		require.Equal(t, found, f.n, "a table has the buckets that it has")
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
		r := &tableReader{s: s, release: 1, f: &faults{}, rows: map[string]int{}, k: 4}
		form := formBuckets
		if exact {
			form = formExact
		}
		tab, err := r.read(form, []string{"data.csv", "buckets.csv"}, [][]byte{qi, sa})
		checkError(t, append(bytes.Clone(qi), sa...), err)
		if err == nil {
			checkL2Table(t, s, tab, r.f.n == 0)
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
		r := &tableReader{s: s, release: 1, f: &faults{}, rows: map[string]int{}, k: 1 + int(k)}
		if n := int(joint1); n > 0 {
			r.joined = []joint{{end: n, endBucket: n}, {first: n, end: 2 * n, firstBucket: n, endBucket: 2 * n, compacted: true}}
		}
		tab, err := r.read(formDrawn, []string{"data.csv"}, [][]byte{data})
		checkError(t, data, err)
		if err == nil {
			checkL2Table(t, s, tab, r.f.n == 0)
			require.Equal(t, bytes.Count(data, []byte("\n"))-1 >= tab.rows(), true)
			for c := range tab.m {
				require.Less(t, tab.size(c), 2*r.k)
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
		man := &Manifest{Release: 1, Recoding: recodingBuckets, Policy: Policy{K: 4, L: 2, Level: levelTwo}}
		names := []string{"data.csv", "buckets.csv"}
		if drawn {
			man.Recoding, names = recodingPermutation, names[:1]
		}
		for _, name := range names {
			compare := func(now []byte) (bool, error) {
				found := &faults{}
				p := &Part{Replaces: []Replaced{{FirstClass: 1, Classes: 7, FirstBucket: 1}}}
				_, err := checkCompaction(man, s, p, [][]byte{now}, [][][]byte{{old}}, []string{name}, found)
				checkError(t, append(bytes.Clone(old), now...), err)
				return !bytes.Contains([]byte(joined(kinds(found.list))), []byte(kindCompaction)), err
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

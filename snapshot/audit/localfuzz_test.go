package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// localFuzzSchema is that of the standard chain by recoding lgb.
func localFuzzSchema(f *testing.F) (*schema, Options) {
	p, _ := standardLocal()
	o := p.write(f, p.render())
	man, err := loadManifest(filepath.Join(o.Releases, "000002"))
	require.NoError(f, err)
	hier, err := loadHierarchies(o.Releases, man, &faults{})
	require.NoError(f, err)
	return newSchema(man, hier), o
}

// FuzzLocal: any tables are refused or read; what was read can be measured,
// and is the same as itself.
func FuzzLocal(f *testing.F) {
	s, o := localFuzzSchema(f)
	for _, n := range []string{"000001", "000002"} {
		dir := filepath.Join(o.Releases, n, "part-"+n)
		rows, err := os.ReadFile(filepath.Join(dir, "lgb.csv"))
		require.NoError(f, err)
		buckets, err := os.ReadFile(filepath.Join(dir, "buckets.csv"))
		require.NoError(f, err)
		f.Add(rows, buckets)
		f.Add(rows[:len(rows)/2], buckets)
		f.Add(rows, append(buckets, "illness,9,a,4000000000\n"...))
	}
	f.Add([]byte("age,sex,city,job,illness,class\n20,*1,*,clerk,*1,1\n20,F,*,*1,*1,1\n"),
		[]byte("attribute,bucket,value,count\nsex,1,F,1\njob,1,clerk,1\nillness,1,a,2\n"))
	man := &Manifest{Release: 1, Recoding: recodingLGB, Policy: Policy{K: 2, L: 2}}
	f.Fuzz(func(t *testing.T, rows, buckets []byte) {
		found := &faults{}
		r := &tableReader{s: s, release: 1, f: found, rows: map[string]int{}}
		tab, err := r.read(recodingLGB, []string{"lgb.csv", "buckets.csv"}, [][]byte{rows, buckets})
		checkError(t, append(bytes.Clone(rows), buckets...), err)
		if err != nil {
			return
		}
		require.Equal(t, tab.m+1, len(tab.start))
		require.Len(t, tab.sa, r.rows["lgb.csv"])
		checkLocal(man, s, tab, found)
		checkReferences(man, s, tab, found)
		for c := range tab.m {
			for j := range s.local {
				require.LessOrEqual(t, tab.local.topShare(tab, c, j), 1+1e-9)
			}
			tab.classKey(c, nil)
		}
		whole := len(found.list) == 0
		was, fates := make([]uint32, tab.m), make([]fate, tab.m)
		for c := range was {
			was[c], fates[c] = uint32(c)+1, fateUnchanged
		}
		again := &faults{}
		checkLocalFrozen(s, tab, &release{num: 2, tab: tab}, was, fates, again)
		require.True(t, !whole || len(again.list) == 0, again.list)
	})
}

// FuzzSliced is FuzzTable for the rows of sliced.csv.
func FuzzSliced(f *testing.F) {
	f.Add([]byte("age,city,job,illness,group\n20,north-1,clerk,b,1\n21,south-1,miner,a,1\n22,south-1,miner,a,2\n"))
	f.Add([]byte("age,city,job,illness,group\n21,south-1,miner,a,7\n20,north,clerk,b,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := fuzzSchema()
		s.slices = [][]int{{0, 1}, {2}}
		r := &tableReader{s: s, release: 1, f: &faults{}, rows: map[string]int{}}
		tab, err := r.read(recodingSlicing, []string{"sliced.csv"}, [][]byte{data})
		checkError(t, data, err)
		if err == nil {
			require.Len(t, tab.pairs, tab.rows())
			require.Len(t, tab.qi, tab.rows()*tab.d)
		}
	})
}

// FuzzLocalRecords: flags and semi-sensitive values of the records export.
func FuzzLocalRecords(f *testing.F) {
	s, o := localFuzzSchema(f)
	data, err := os.ReadFile(o.Records)
	require.NoError(f, err)
	f.Add(data)
	f.Add(bytes.ReplaceAll(data, []byte("true"), []byte("maybe")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecords("records.csv", data, s, &recordIndex{ids: map[string]uint32{}})
		checkError(t, data, err)
		if err == nil {
			for j := range s.semi() {
				require.Len(t, r.semi[j], r.n)
			}
		}
	})
}

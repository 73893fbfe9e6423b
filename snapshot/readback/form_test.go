package readback

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
)

// fuzzRelease is a release whose manifest names the given files as they are.
func fuzzRelease(t *testing.T, recoding string, files map[string][]byte) *Release {
	t.Helper()
	r := &Release{dir: t.TempDir(), Manifest: &snapshot.Manifest{Recoding: recoding, Records: 100, Retention: 0.5,
		Policy: snapshot.Policy{K: 2, L: 2}, Slices: [][]string{{"age"}, {"sex", "disease"}}}}
	for name, data := range files {
		sum := sha256.Sum256(data)
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), data, 0o600))
		r.Manifest.Files = append(r.Manifest.Files, snapshot.FileEntry{Name: name, SHA256: hex.EncodeToString(sum[:])})
	}
	sex := equivclass.Attribute{Name: "sex", Role: equivclass.Quasi, Type: equivclass.Categorical}
	if recoding == snapshot.NameLGB {
		sex.Role, sex.Promise = equivclass.Semi, &equivclass.SemiPromise{L: 2}
	}
	var err error
	r.Schema, err = equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer}, sex,
		{Name: "disease", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return r
}

// askAll puts queries to a release that could be read.
func askAll(t *testing.T, r *Release) {
	if r.Load(nil) != nil {
		return
	}
	for _, q := range []string{"count", "sum(age)", "count where age in [1,5]", "sum(age) where age < 3"} {
		a, _, err := r.Ask(q)
		require.NoError(t, err)
		require.LessOrEqual(t, a.Lower, a.Upper)
	}
	require.Len(t, r.Sizes(), len(r.Start)-1)
	for _, b := range r.Bags() {
		require.Positive(t, b.Total)
	}
}

// FuzzLocalFiles: whatever lgb.csv and buckets.csv hold, reading them ends in a
// release that answers or in an error.
func FuzzLocalFiles(f *testing.F) {
	const rows, buckets = "age,sex,disease,class\n", "attribute,bucket,value,count\n"
	f.Add(rows+"\"[1,5]\",F,*1,1\n\"[1,5]\",F,*1,1\n", buckets+"disease,1,flu,1\ndisease,1,cold,1\n")
	f.Add(rows+"4,*1,*1,1\n5,*1,*1,2\n", buckets+"sex,1,F,1\nsex,1,M,1\ndisease,1,flu,2\n")
	f.Add(rows+"4,*1,*9,1\n", buckets+"disease,2,flu,1\n")
	f.Add(rows+"4,{F|M},flu,1\n", buckets+"disease,1,flu,0\n")
	f.Add(rows, buckets)
	f.Fuzz(func(t *testing.T, local, values string) {
		askAll(t, fuzzRelease(t, snapshot.NameLGB, map[string][]byte{"lgb.csv": []byte(local), "buckets.csv": []byte(values)}))
	})
}

// FuzzJoinedFiles: the same of sliced.csv and randomized.csv.
func FuzzJoinedFiles(f *testing.F) {
	const rows = "age,sex,disease,group\n"
	f.Add(rows + "1,F,flu,1\n2,M,cold,1\n3,F,flu,2\n")
	f.Add(rows + "x,F,flu,1\n")
	f.Add(rows + "1,F,flu,2\n")
	f.Add(rows)
	f.Fuzz(func(t *testing.T, text string) {
		askAll(t, fuzzRelease(t, snapshot.NameSlicing, map[string][]byte{"sliced.csv": []byte(text)}))
		askAll(t, fuzzRelease(t, snapshot.NameRandomization, map[string][]byte{"randomized.csv": []byte(text)}))
	})
}

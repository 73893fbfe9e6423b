package readback

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
)

// fuzzRelease is a release of one part, with the given files as they are and as many classes as they name.
func fuzzRelease(t *testing.T, recoding string, files map[string][]byte) *Release {
	t.Helper()
	r := &Release{dir: t.TempDir(), Manifest: &snapshot.Manifest{FormatVersion: snapshot.FormatVersion, Recoding: recoding, Records: 100,
		Policy: snapshot.Policy{K: 2, L: 2}}}
	part := snapshot.PartEntry{Part: "part-000001"}
	require.NoError(t, os.Mkdir(filepath.Join(r.dir, part.Part), 0o700))
	for name, data := range files {
		sum := sha256.Sum256(data)
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, part.Part, name), data, 0o600))
		part.Files = append(part.Files, snapshot.FileEntry{Name: name, SHA256: hex.EncodeToString(sum[:])})
		part.Classes = max(part.Classes, classesIn(data))
	}
	r.Manifest.Parts = []snapshot.PartEntry{part}
	sex := equivclass.Attribute{Name: "sex", Role: equivclass.Quasi, Type: equivclass.Categorical}
	var err error
	r.Schema, err = equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer}, sex,
		{Name: "disease", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return r
}

// classesIn is the largest number of a class that a file names.
func classesIn(data []byte) (most int) {
	r := csv.NewReader(bytes.NewReader(data))
	header, _ := r.Read()
	at := slices.IndexFunc(header, func(name string) bool { return name == "class" || name == "group" })
	for row, err := r.Read(); at >= 0 && err == nil; row, err = r.Read() {
		n, _ := strconv.Atoi(row[at])
		most = max(most, n)
	}
	return most
}

// inParts makes the files of a release those of parts, all but the first again and
// with the classes of the first bit mask dead.
func (r *Release) inParts(t *testing.T, parts int, classes int, dead uint8) {
	t.Helper()
	first := r.Manifest.Parts[0]
	r.Manifest.Parts = nil
	for i := range parts {
		p := snapshot.PartEntry{Part: fmt.Sprintf("part-%06d", i+1), Classes: classes, Files: first.Files}
		if i > 0 {
			require.NoError(t, os.CopyFS(filepath.Join(r.dir, p.Part), os.DirFS(filepath.Join(r.dir, first.Part))))
		}
		for n := range uint32(classes) {
			if i == 0 && dead>>n&1 == 1 {
				p.Dead = append(p.Dead, n+1)
			}
		}
		r.Manifest.Parts = append(r.Manifest.Parts, p)
	}
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
	if b, ok := r.AsBuckets(); ok {
		for _, bucket := range b.Bucket {
			require.Less(t, int(bucket), len(b.Bags))
		}
	}
	require.Len(t, r.Sizes(), len(r.Start)-1)
	for _, b := range r.Bags() {
		require.Positive(t, b.Total)
	}
}

// FuzzParts: whatever the files of several parts hold, reading them ends in a
// release that answers or in an error; and dead classes are not in it.
func FuzzParts(f *testing.F) {
	f.Add("age,sex,disease,class\n\"[1,5]\",F,flu,1\n\"[1,5]\",F,cold,1\n3,M,flu,2\n", 2, uint8(1))
	f.Add("age,sex,disease,class\n3,M,flu,2\n", 2, uint8(0))
	f.Add("age,sex,disease,class\n3,M,flu,1\n", 1, uint8(1))
	f.Fuzz(func(t *testing.T, text string, classes int, dead uint8) {
		if classes < 1 || classes > 8 {
			return
		}
		r := fuzzRelease(t, snapshot.NameGeneralization, map[string][]byte{"data.csv": []byte(text)})
		r.inParts(t, 2, classes, dead)
		askAll(t, r)
		if r.Load(nil) == nil {
			require.Len(t, r.Sizes(), 2*classes-len(r.Manifest.Parts[0].Dead))
		}
	})
}

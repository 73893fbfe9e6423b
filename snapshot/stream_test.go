package snapshot_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
)

// streamOf reads a file of a release, whose directory is dir, as one table.
func streamOf(dir string, m *snapshot.Manifest, file string) (string, error) {
	var out bytes.Buffer
	err := m.Stream(file, snapshot.NotPublished, func(path string) (io.ReadSeekCloser, error) {
		return os.Open(filepath.Join(dir, filepath.FromSlash(path)))
	}, &out)
	return out.String(), err
}

// TestStreamRefusesWhatDoesNotFit: no row of a file that is not the manifest's is written,
// and parts that do not fit together are no table.
func TestStreamRefusesWhatDoesNotFit(t *testing.T) {
	entry := func(text string) snapshot.FileEntry {
		return snapshot.FileEntry{Name: "data.csv", SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text))), Bytes: int64(len(text))}
	}
	const one, three = "a,class\n1,1\n", "a,class\n3,1\n"
	for _, x := range []struct {
		name, one, two, want string
		change               func(m *snapshot.Manifest)
	}{
		{name: "sound", one: one, two: "a,class\n2,1\n\"x,\n\"\"\",2\n",
			want: "part,a,class\npart-000001,1,1\npart-000002,2,1\npart-000002,\"x,\n\"\"\",2\n"},
		{name: "dead", one: "a,class\n1,1\n2,2\n", two: three, want: "part,a,class\npart-000001,2,2\npart-000002,3,1\n",
			change: func(m *snapshot.Manifest) { m.Parts[0].Dead = []uint32{1} }},
		{name: "no number", one: "a,class\n1,x\n", two: three, change: func(m *snapshot.Manifest) { m.Parts[0].Dead = []uint32{1} }},
		{name: "hash", one: one, two: three, change: func(m *snapshot.Manifest) { m.Parts[0].Files[0] = entry("a,class\n1,2\n") }},
		{name: "longer", one: one, two: three, change: func(m *snapshot.Manifest) { m.Parts[0].Files[0] = entry("a,class\n") }},
		{name: "columns", one: one, two: "b,class\n3,1\n"},
		{name: "cut off", one: one, two: "a,class\n3,1"},
		{name: "no header", one: one, two: ""},
		{name: "no file", one: one, two: three, change: func(m *snapshot.Manifest) { m.Parts[1].Files[0].Name = "st.csv" }},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := t.TempDir()
			m := &snapshot.Manifest{FormatVersion: snapshot.FormatVersion, Recoding: snapshot.NameGeneralization,
				Schema: []snapshot.SchemaEntry{{Name: "a", Role: equivclass.Quasi}}}
			for i, text := range []string{x.one, x.two} {
				part := fmt.Sprintf("part-%06d", i+1)
				require.NoError(t, os.Mkdir(filepath.Join(dir, part), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, part, "data.csv"), []byte(text), 0o600))
				m.Parts = append(m.Parts, snapshot.PartEntry{Part: part, Files: []snapshot.FileEntry{entry(text)}})
			}
			if x.change != nil {
				x.change(m)
			}
			got, err := streamOf(dir, m, "data.csv")
			if x.want == "" {
				require.ErrorIs(t, err, snapshot.ErrDamaged)
				return
			}
			require.NoError(t, err)
			require.Equal(t, x.want, got)
		})
	}
}

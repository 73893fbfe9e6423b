package publish_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// streamOf reads a file of a release, whose directory is dir, as one table.
func streamOf(dir string, m *snapshot.Manifest, file string) (string, error) {
	var out bytes.Buffer
	err := m.Stream(file, func(path string) (io.ReadSeekCloser, error) {
		return os.Open(filepath.Join(dir, filepath.FromSlash(path)))
	}, &out)
	return out.String(), err
}

// TestStreamShowsTheLivingRowsOfTheParts: whatever the recoding, after compactions and
// regroupings, the table has the living rows of all parts, in their order and to the byte,
// each behind the name of its part; and as many as the manifest says there are records.
func TestStreamShowsTheLivingRowsOfTheParts(t *testing.T) {
	releases := tier.Of(t, 6, 12, 23)
	dead := 0
	for _, c := range growingChains(1) {
		t.Run(c.name, func(t *testing.T) {
			p := publisherOf(t)
			for release := 1; release <= releases; release++ {
				out, err := p.Publish(publish.Of(c.next(t, release)), c.settings)
				require.NoError(t, err)
				if release%5 > 0 && release < releases {
					continue
				}
				m := &out.Manifest
				dir := filepath.Join(p.Dir, fmt.Sprintf("%06d", release))
				for i, name := range m.Names() {
					got, err := streamOf(dir, m, name)
					require.NoError(t, err)
					var want strings.Builder
					for at := range m.Parts {
						dead += len(m.Parts[at].Dead)
						want.WriteString(livingRows(t, dir, m, &m.Parts[at], name, at == 0))
					}
					require.Equal(t, want.String(), got, "release %d: %s", release, name)
					if i == 0 {
						require.Equal(t, m.Records+1, strings.Count(got, "\n"))
					}
				}
			}
		})
	}
	require.Positive(t, dead, "no class was ever regrouped")
}

// livingRows writes the rows of a part by a reader of CSV of its own.
func livingRows(t *testing.T, dir string, m *snapshot.Manifest, p *snapshot.PartEntry, name string, header bool) string {
	data, err := os.ReadFile(filepath.Join(dir, p.Part, name))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(t, err)
	number := slices.Index(rows[0], m.ClassColumn())
	var out strings.Builder
	for i, line := range strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")[:len(rows)] {
		line = strings.TrimSuffix(line, "\n") + "\n"
		switch {
		case i == 0 && header:
			out.WriteString("part," + line)
		case i > 0 && !slices.ContainsFunc(p.Dead, func(n uint32) bool { return number >= 0 && fmt.Sprint(n) == rows[i][number] }):
			out.WriteString(p.Part + "," + line)
		}
	}
	return out.String()
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
			m := &snapshot.Manifest{FormatVersion: snapshot.FormatVersion, Recoding: snapshot.NameGeneralization}
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

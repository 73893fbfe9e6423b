package publish_test

import (
	"bytes"
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
	err := m.Stream(file, snapshot.NotPublished, func(path string) (io.ReadSeekCloser, error) {
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

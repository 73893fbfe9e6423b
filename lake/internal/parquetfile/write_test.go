package parquetfile_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
	"anond/snapshot/snapshottest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	laketest.Clean()
	os.Exit(code)
}

// read is a Parquet file as texts, with its schema and metadata.
func read(t *testing.T, data []byte) (rows [][]string, f *parquet.File) {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, g := range f.RowGroups() {
		r := g.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				texts := make([]string, len(row))
				for i, v := range row {
					require.Equal(t, i, v.Column())
					texts[i] = v.String()
				}
				rows = append(rows, texts)
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, r.Close())
	}
	return rows, f
}

func write(t *testing.T, tab *source.Table, p *source.Part) []byte {
	var out bytes.Buffer
	_, err := parquetfile.Write(&out, tab, p)
	require.NoError(t, err)
	return out.Bytes()
}

func tables(t *testing.T, files snapshot.FS, dir string) []*source.Table {
	chain, err := source.Open(files, dir)
	require.NoError(t, err)
	r, err := chain.Release(0)
	require.NoError(t, err)
	out, err := r.Tables()
	require.NoError(t, err)
	return out
}

// TestFilesOfRealReleases: cells stand in the files as in the CSV, and equal releases give
// equal bytes, with any number of processors.
func TestFilesOfRealReleases(t *testing.T) {
	tier.NotShort(t, "it runs the program")
	for _, recoding := range laketest.Recodings {
		t.Run(recoding.String(), func(t *testing.T) {
			site := laketest.New(t, recoding)
			site.Publish(2)
			for _, tab := range tables(t, snapshot.OS(), site.Releases) {
				for i := range tab.Parts {
					p := &tab.Parts[i]
					data := write(t, tab, p)
					before := runtime.GOMAXPROCS(1)
					again := write(t, tab, p)
					runtime.GOMAXPROCS(before)
					assert.True(t, bytes.Equal(data, again), "%s of %s", p.Label, tab.Name)
					if len(p.Dead) > 0 {
						continue
					}
					rows, f := read(t, data)
					text, err := os.ReadFile(fmt.Sprintf("%s/%06d/%s/%s.csv", site.Releases, newest(t, site.Releases), p.Label, tab.Name))
					require.NoError(t, err)
					assert.Equal(t, csvRows(t, text, p.Label), plain(tab, rows))
					sum, ok := f.Lookup("anond.sha256")
					assert.True(t, ok)
					assert.Equal(t, p.File.SHA256, sum)
				}
			}
		})
	}
}

func newest(t *testing.T, dir string) uint32 {
	chain, err := source.Open(snapshot.OS(), dir)
	require.NoError(t, err)
	return chain.Newest()
}

// csvRows are the rows of a part, with its name in front.
func csvRows(t *testing.T, text []byte, part string) (out [][]string) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		out = append(out, append([]string{part}, row...))
	}
	return out
}

// plain leaves out the bounds.
func plain(tab *source.Table, rows [][]string) (out [][]string) {
	for _, row := range rows {
		var keep []string
		for i, c := range tab.Columns {
			if !strings.HasSuffix(c.Name, "_lower") && !strings.HasSuffix(c.Name, "_upper") {
				keep = append(keep, row[i])
			}
		}
		out = append(out, keep)
	}
	return out
}

// TestSchema: columns in the order of the file, types, field IDs, and names that no other
// program would choose.
func TestSchema(t *testing.T) {
	disk := snapshottest.New("/d/releases")
	name := `a,"b".c ü part`
	quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	laketest.Release{Number: 1, Quasi: name, Parts: map[string]string{
		"part-000001": quoted + ",s,class\n\"[1,2]\",x,1\n3,y,2\n"}}.Put(t, disk, "")
	tab := tables(t, disk, "/d/releases")[0]
	rows, f := read(t, write(t, tab, &tab.Parts[0]))
	assert.Equal(t, [][]string{{"part-000001", "[1,2]", "1", "2", "x", "1"}, {"part-000001", "3", "3", "3", "y", "2"}}, rows)
	var got []string
	for i, c := range f.Schema().Fields() {
		assert.Equal(t, i+1, c.ID())
		got = append(got, fmt.Sprint(c.Name(), " ", c.Type(), " ", c.Optional()))
	}
	assert.Equal(t, []string{"part STRING false", name + " STRING true", name + "_lower INT(64,true) true", name + "_upper INT(64,true) true",
		"s STRING true", "class INT(64,true) false"}, got)
}

// TestDeadClassesAreLeftOut: rows of classes that were regrouped are in a later part.
func TestDeadClassesAreLeftOut(t *testing.T) {
	disk := snapshottest.New("/d/releases")
	laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{"part-000001": "age,s,class\n1,x,1\n2,y,2\n3,z,3\n"},
		Dead: map[string][]uint32{"part-000001": {2}}}.Put(t, disk, "")
	tab := tables(t, disk, "/d/releases")[0]
	rows, _ := read(t, write(t, tab, &tab.Parts[0]))
	assert.Equal(t, [][]string{{"part-000001", "1", "1", "1", "x", "1"}, {"part-000001", "3", "3", "3", "z", "3"}}, rows)
}

// TestLargeParts: more rows than a row group has, and more different values than a
// dictionary has.
func TestLargeParts(t *testing.T) {
	tier.Heavy(t, "it writes 140,000 rows")
	const n = 140_000
	var text strings.Builder
	text.WriteString("age,s,class\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,value number %d,%d\n", i%90, i, 1+i/10)
	}
	disk := snapshottest.New("/d/releases")
	laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{"part-000001": text.String()}}.Put(t, disk, "")
	tab := tables(t, disk, "/d/releases")[0]
	rows, f := read(t, write(t, tab, &tab.Parts[0]))
	assert.Len(t, f.RowGroups(), 2)
	require.Len(t, rows, n)
	for i, row := range rows {
		if row[1] != fmt.Sprint(i%90) || row[4] != fmt.Sprint("value number ", i) || row[5] != fmt.Sprint(1+i/10) {
			t.Fatalf("row %d is %v", i, row)
		}
	}
}

package source_test

import (
	"encoding/csv"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
	"anond/lake/internal/source"
	"anond/snapshot"
	"anond/snapshot/snapshottest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	laketest.Clean()
	os.Exit(code)
}

// rowsOf are the rows of a table, each with its columns joined; columns of numbers are left
// out, since release cat numbers classes and buckets anew.
func rowsOf(t *testing.T, tab *source.Table) map[string]int {
	out := map[string]int{}
	for i := range tab.Parts {
		n, err := tab.Rows(&tab.Parts[i], func(values []source.Value) error {
			var texts []string
			for j, v := range values {
				if tab.Columns[j].Kind == source.Text {
					texts = append(texts, v.Text)
				}
			}
			out[strings.Join(texts, "\x00")]++
			return nil
		})
		require.NoError(t, err)
		require.Positive(t, n+int64(len(tab.Parts[i].Dead)))
	}
	return out
}

// TestRowsAreThoseOfTheRelease: of every recoding and release, the living rows of all parts
// are the rows that `anond release cat` writes.
func TestRowsAreThoseOfTheRelease(t *testing.T) {
	tier.NotShort(t, "it runs the program")
	dead := 0
	for _, recoding := range laketest.Recodings[:tier.Of(t, 0, len(laketest.Recodings), len(laketest.Recodings))] {
		t.Run(recoding.String(), func(t *testing.T) {
			site := laketest.New(t, recoding)
			site.Publish(4)
			chain, err := source.Open(snapshot.OS(), site.Releases)
			require.NoError(t, err)
			require.GreaterOrEqual(t, chain.Newest(), uint32(3))
			for _, n := range chain.Readable() {
				r, err := chain.Release(n)
				require.NoError(t, err)
				tables, err := r.Tables()
				require.NoError(t, err)
				for _, tab := range tables {
					for _, p := range tab.Parts {
						dead += len(p.Dead)
					}
					assert.Equal(t, catRows(t, site.Cat(n, tab.Name), tab), rowsOf(t, tab), "release %d, %s", n, tab.Name)
				}
			}
		})
	}
	assert.Positive(t, dead, "no class was ever regrouped")
}

// catRows reads what release cat wrote, without the columns of numbers.
func catRows(t *testing.T, text []byte, tab *source.Table) map[string]int {
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	field, out := 0, map[string]int{}
	var texts []int
	for _, c := range tab.Columns {
		if strings.HasSuffix(c.Name, "_lower") || strings.HasSuffix(c.Name, "_upper") {
			continue // bounds
		}
		if c.Kind == source.Text {
			texts = append(texts, field)
		}
		field++
	}
	require.Len(t, rows[0], field)
	for _, row := range rows[1:] {
		var keep []string
		for _, i := range texts {
			keep = append(keep, row[i])
		}
		out[strings.Join(keep, "\x00")]++
	}
	return out
}

func hand() laketest.Release {
	return laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{
		"part-000001": "age,s,class\n30,flu,1\n30,cold,1\n\"[40,44]\",flu,2\n\"[40,44]\",cold,2\n"}}
}

func tableOf(t *testing.T, disk *snapshottest.Disk) (*source.Table, error) {
	chain, err := source.Open(disk, "/d/releases")
	if err != nil {
		return nil, err
	}
	r, err := chain.Release(0)
	if err != nil {
		return nil, err
	}
	tables, err := r.Tables()
	if err != nil {
		return nil, err
	}
	require.Len(t, tables, 1)
	return tables[0], nil
}

// TestDamagedFilesAreRefused: whatever is wrong with a file, no rows count, and no error
// quotes a cell.
func TestDamagedFilesAreRefused(t *testing.T) {
	disk := snapshottest.New("/d/releases")
	hand().Put(t, disk, "")
	good := disk.Files()["d/releases/000001/part-000001/data.csv"]
	for name, text := range map[string]string{
		"another value":  strings.Replace(good, "flu", "gout", 1),
		"a row less":     strings.Replace(good, "30,cold,1\n", "", 1),
		"a row more":     good + "50,flu,3\n",
		"a field more":   strings.Replace(good, "30,cold,1", "30,cold,1,secret", 1),
		"no class":       strings.Replace(good, "cold,1", "cold,secret", 1),
		"no range":       strings.Replace(good, "[40,44]", "[44,40]", 1),
		"another header": strings.Replace(good, "age", "edge", 1),
		"open quote":     strings.Replace(good, "30,cold", `"30,cold`, 1),
		"nothing":        "",
	} {
		w, err := disk.Create("/d/releases/000001/part-000001/data.csv")
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		tab, err := tableOf(t, disk)
		if err == nil {
			_, err = tab.Rows(&tab.Parts[0], func([]source.Value) error { return nil })
		}
		require.ErrorIs(t, err, snapshot.ErrDamaged, name)
		for _, word := range []string{"flu", "cold", "gout", "secret", "44"} {
			assert.NotContains(t, err.Error(), word, name)
		}
	}
}

// TestUnionIsRefused: a union keeps its parts below shards, and two shards have parts of one name.
func TestUnionIsRefused(t *testing.T) {
	disk := snapshottest.New("/d/releases")
	hand().Put(t, disk, "")
	text := disk.Files()["d/releases/000001/manifest.json"]
	union := `"format_version":6,"union":{"of":1,"shards":[{"shard":0,"release":1,"sha256":"x"}]}`
	text = strings.Replace(text, `"format_version":6`, union, 1)
	text = strings.ReplaceAll(text, `"part":`, `"shard":0,"part":`)
	w, err := disk.Create("/d/releases/000001/manifest.json")
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	chain, err := source.Open(disk, "/d/releases")
	require.NoError(t, err)
	_, err = chain.Release(0)
	require.ErrorIs(t, err, source.ErrUnion)
}

// TestOnlyWhatIsPublished: without CURRENT there is no release; one that CURRENT does not
// name yet is not listed; one that does not follow the one before is refused.
func TestOnlyWhatIsPublished(t *testing.T) {
	disk := snapshottest.New("/d/releases")
	_, err := source.Open(disk, "/d/releases")
	require.ErrorIs(t, err, source.ErrNone)
	sha := hand().Put(t, disk, "")
	second := hand()
	second.Number = 2
	second.Parts = maps.Clone(second.Parts)
	second.Parts["part-000002"] = "age,s,class\n50,flu,1\n50,cold,1\n"
	second.Put(t, disk, sha)
	chain, err := source.Open(disk, "/d/releases")
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 2}, chain.Readable())
	hand().Put(t, disk, "") // CURRENT is 1 again
	chain, err = source.Open(disk, "/d/releases")
	require.NoError(t, err)
	assert.Equal(t, []uint32{1}, chain.Readable())
	_, err = chain.Release(2)
	require.ErrorIs(t, err, snapshot.ErrNoRelease)
	second.Put(t, disk, strings.Repeat("0", 64))
	chain, err = source.Open(disk, "/d/releases")
	require.NoError(t, err)
	_, err = chain.Release(2)
	require.ErrorIs(t, err, snapshot.ErrDamaged)
}

// FuzzRows holds the reader of parts, with dead classes, against a plain one: what it
// accepts has the hash of the manifest, and yields the rows that encoding/csv reads.
func FuzzRows(f *testing.F) {
	f.Add("30,flu,1\n\"[3,4]\",cold,2\n", uint32(1))
	f.Add("30,\"a\nb\",1\n", uint32(2))
	f.Add("x,y\n", uint32(1))
	f.Fuzz(func(t *testing.T, body string, dead uint32) {
		text := "age,s,class\n" + body
		disk := snapshottest.New("/d/releases")
		r := laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{"part-000001": text}}
		r.Dead = map[string][]uint32{"part-000001": {1 + dead%3}}
		r.Put(t, disk, "")
		tab, err := tableOf(t, disk)
		if err != nil {
			return // the manifest lists a class as dead that is not there
		}
		var got [][]string
		_, err = tab.Rows(&tab.Parts[0], func(v []source.Value) error {
			got = append(got, []string{v[1].Text, v[4].Text})
			return nil
		})
		if err != nil {
			return
		}
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		require.NoError(t, err)
		var want [][]string
		for _, row := range rows[1:] {
			if row[2] != string('1'+rune(dead%3)) && strings.TrimLeft(row[2], "0") != string('1'+rune(dead%3)) {
				want = append(want, row[:2])
			}
		}
		require.Equal(t, want, got)
	})
}

// TestNoParentOfAFile: names of files that lead elsewhere are refused.
func TestNoParentOfAFile(t *testing.T) {
	disk := snapshottest.New("/d/releases")
	hand().Put(t, disk, "")
	manifest := disk.Files()["d/releases/000001/manifest.json"]
	for _, name := range []string{"../data.csv", "x/../../data.csv", ".csv", "data.txt", ""} {
		w, err := disk.Create("/d/releases/000001/manifest.json")
		require.NoError(t, err)
		_, err = w.Write([]byte(strings.Replace(manifest, "data.csv", name, 1)))
		require.NoError(t, err)
		_, err = tableOf(t, disk)
		assert.ErrorIs(t, err, snapshot.ErrDamaged, name)
	}
}

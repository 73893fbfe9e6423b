package snapshot_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot"
)

// wholeOf reads a release as one table.
func wholeOf(dir string, m *snapshot.Manifest, v *incremental.View) (map[string]string, []snapshot.FileEntry, error) {
	bufs := map[string]*bytes.Buffer{}
	w := snapshot.NewWholeTable(m, v.Schema, func(path string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, fmt.Sprintf("%06d", m.Release), path))
	})
	entries, err := w.Write(func(name string) io.Writer {
		bufs[name] = &bytes.Buffer{}
		return bufs[name]
	})
	out := map[string]string{}
	for name, b := range bufs {
		out[name] = b.String()
	}
	return out, entries, err
}

// TestWholeTableIsTheRendering: whatever the recoding, after compactions and
// regroupings, the parts read as one table are to the byte what one rendering of
// all living classes gives; and so is the table that is written next to them.
func TestWholeTableIsTheRendering(t *testing.T) {
	tier.NotShort(t, "it renders many chains")
	releases := tier.Of(t, 1, 12, 23)
	for seed := range uint64(tier.Of(t, 1, 1, 3)) {
		for _, c := range growingChains(seed) {
			t.Run(fmt.Sprintf("%s/%d", c.name, seed), func(t *testing.T) {
				p := publisherOf(t)
				for release := 1; release <= releases; release++ {
					v := c.next(t, release)
					c.settings.SingleFile = release%5 == 0
					out, err := p.Publish(snapshot.Of(v), c.settings)
					require.NoError(t, err)
					whole := memory{}
					_, _, err = snapshot.Whole(snapshot.Of(v), c.settings, whole)
					require.NoError(t, err)
					m := out.Manifest
					require.Equal(t, c.settings.SingleFile, len(m.Files) > 0)
					m.Files = nil
					got, entries, err := wholeOf(p.Dir, &m, v)
					require.NoError(t, err)
					require.Len(t, got, len(whole))
					for name, text := range got {
						require.True(t, whole.text(name) == text, "release %d: %s", release, name)
					}
					if !c.settings.SingleFile {
						continue
					}
					require.Equal(t, out.Manifest.Files, entries)
					copied, _, err := wholeOf(p.Dir, &out.Manifest, v)
					require.NoError(t, err)
					require.Equal(t, got, copied)
				}
				verified, err := snapshot.Verify(p.FS, p.Dir, p.Ledger)
				require.NoError(t, err)
				require.Empty(t, verified.Findings)
			})
		}
	}
}

// TestSingleFileRetry: a release that has its name keeps or lacks the table over
// all parts as it did, whatever the setting says at the retry.
func TestSingleFileRetry(t *testing.T) {
	for _, first := range []bool{false, true} {
		p := publisherOf(t)
		s := settings(snapshot.Anatomy())
		stop := errors.New("stop")
		p.Hook = func(at snapshot.Step) error {
			if at == snapshot.StepRename {
				return stop
			}
			return nil
		}
		s.SingleFile = first
		_, err := p.Publish(snapshot.Of(hospitalView(t)), s)
		require.ErrorIs(t, err, stop)
		p.Hook, s.SingleFile = nil, !first
		out, err := p.Publish(snapshot.Of(hospitalView(t)), s)
		require.NoError(t, err)
		require.Equal(t, first, len(out.Manifest.Files) > 0)
		require.Equal(t, !first, s.SingleFile, "the caller's settings stay")
	}
}

// publishSingle is publishAll with the table over all parts next to them.
func publishSingle(t testing.TB, p *snapshot.Publisher, intents *[]incremental.Intent) error {
	s := settings(snapshot.Anatomy())
	s.SingleFile = true
	return publishBy(t, p, intents, views, s)
}

// TestSingleFileFaults: crashes after each step, a failure of each call and power
// cuts leave whole releases and end where an uninterrupted run does; and the syncs
// of the table matter.
func TestSingleFileFaults(t *testing.T) {
	tier.Heavy(t, "it tries every step and power cut")
	assert.Equal(t, 2*8, crashes(t, publishSingle))
	failures(t, publishSingle)
	require.NoError(t, powerCuts(t, "", publishSingle))
	r := &recorder{FS: newDisk("")}
	require.NoError(t, publishSingle(t, memPublisher(r), &[]incremental.Intent{}))
	tables := 0
	for _, line := range r.log {
		name, sync := strings.CutPrefix(line, "sync ")
		if sync && strings.HasSuffix(name, ".csv") && !strings.Contains(name, "part-") && !strings.Contains(name, "hierarchies") {
			tables++
			require.Error(t, powerCuts(t, name, publishSingle), "without sync of %s", name)
		}
	}
	assert.Equal(t, 4, tables)
}

// FuzzWholeTable: whatever the files of parts hold, reading them as one table ends
// in a table whose rows are as many as its entries say, or in an error.
func FuzzWholeTable(f *testing.F) {
	const cells = "age,postcode,sex,visit,weight,diagnosis,class\n"
	f.Add(uint8(0), cells+"\"[1,5]\",1010,F,2020-01-01,1.5,flu,1\n", "", 1, uint8(0))
	f.Add(uint8(0), cells+"3,1010,F,2020-01-01,1.5,flu,1\n3,1010,F,2020-01-01,1.5,flu,2\n", "", 2, uint8(1))
	f.Add(uint8(1), "age,postcode,sex,visit,weight,group\n3,1010,F,2020-01-01,1.5,1\n", "group,diagnosis,count\n1,flu,1\n", 1, uint8(0))
	f.Add(uint8(2), "age,ward,weight,postcode,sex,diagnosis,class\n3,*1,1.5,*,F,*1,1\n",
		"attribute,bucket,value,count\nward,1,a,1\ndiagnosis,1,flu,1\n", 1, uint8(0))
	const shared = "age,weight,born,postcode,ward,income,class,bucket\n"
	const row = "3,1.5,2020-01-01,1010,F,7,1,1\n"
	f.Add(uint8(3), shared+row+row, "bucket,diagnosis,count\n1,flu,1\n1,cold,1\n", 1, uint8(0))
	f.Add(uint8(4), shared+row+"4"+row[1:], "bucket,diagnosis,count\n1,flu,2\n", 1, uint8(0))
	f.Add(uint8(5), "age,weight,born,postcode,ward,income,diagnosis,bucket\n3,1.5,2020-01-01,1010,F,7,flu,1\n3,1.5,2020-01-01,1010,F,7,x,1\n",
		"", 1, uint8(0))
	f.Fuzz(func(t *testing.T, kind uint8, rows, values string, classes int, dead uint8) {
		if classes < 1 || classes > 8 {
			return
		}
		recoding := []string{snapshot.NameGeneralization, snapshot.NameAnatomy, snapshot.NameLGB, snapshot.NameBuckets, snapshot.NameAnatomy,
			snapshot.NamePermutation}[kind%6]
		names := [][]string{{"data.csv"}, {"qit.csv", "st.csv"}, {"lgb.csv", "buckets.csv"}, {"data.csv", "buckets.csv"}, {"data.csv",
			"buckets.csv"}, {"data.csv"}}[kind%6]
		attributes := hospital(t)
		if recoding == snapshot.NameLGB {
			attributes = clinic(t)
		}
		schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
		require.NoError(t, err)
		texts := map[string]string{names[0]: rows}
		if len(names) > 1 {
			texts[names[1]] = values
		}
		m := &snapshot.Manifest{FormatVersion: snapshot.FormatVersion, Recoding: recoding, Records: 100}
		if kind%6 > 2 {
			m.Policy, m.Buckets, dead = snapshot.Policy{K: 2, L: 2, Level: "L2"}, 2, 0
		}
		if kind%6 == 5 {
			m.Values = "drawn"
		}
		for part := range 2 {
			p := snapshot.PartEntry{Part: fmt.Sprintf("part-%06d", part+1), Classes: classes}
			for _, name := range names {
				sum := sha256.Sum256([]byte(texts[name]))
				p.Files = append(p.Files, snapshot.FileEntry{Name: name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(texts[name]))})
			}
			if m.Classes += classes; part == 0 {
				p.Replaces = []snapshot.ReplacedPart{{}} // so that runs are looked for
				for n := range uint32(classes) {
					if recoding != snapshot.NameLGB && dead>>n&1 == 1 {
						p.Dead = append(p.Dead, n+1)
					}
				}
				m.Classes -= len(p.Dead)
			}
			m.Parts = append(m.Parts, p)
		}
		bufs := map[string]*bytes.Buffer{}
		entries, err := snapshot.NewWholeTable(m, schema, func(name string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(texts[path.Base(name)])), nil
		}).Write(func(name string) io.Writer {
			bufs[name] = &bytes.Buffer{}
			return bufs[name]
		})
		if err != nil {
			return
		}
		for _, e := range entries {
			require.Equal(t, e.Bytes, int64(bufs[e.Name].Len()))
			require.GreaterOrEqual(t, bytes.Count(bufs[e.Name].Bytes(), []byte{'\n'}), e.Rows+1)
		}
	})
}

package incremental_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/render"
)

// published plays a stream at level L2 and returns the buckets of its releases, in which a
// class is its members, and every byte of every file.
func published(t *testing.T, recoding render.Recoding, rows []equivclass.Row) (views []*incremental.View, files map[string]string) {
	c := newChain(t, newSchema(t, false), bucketPolicy(4, 2), recoding, zoneFile)
	c.gate = gate.New(format.Policy{K: 4, L: 2, Republication: "append", MaxRegroups: new(int), Level: "L2"})
	for at, row := range rows {
		c.apply(source, int64(at), row)
		if at == 199 || at > 199 && at%60 == 0 {
			c.cut()
		}
	}
	files = map[string]string{}
	require.NoError(t, filepath.WalkDir(c.out.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(c.out.Dir, path)
		files[name] = string(content)
		return err
	}))
	for _, i := range c.m.Releases().Intents() {
		v, err := c.m.Releases().Change(i.Release)
		require.NoError(t, err)
		views = append(views, v)
	}
	return views, files
}

// TestFilesAreAFunctionOfWhatIsPublished: with the values permuted inside classes, so that
// dictionaries have them in another order, every file of every release has the same bytes.
// So the numbers of classes and buckets, the order of rows and the manifest tell nothing
// that the bags of the buckets do not tell.
func TestFilesAreAFunctionOfWhatIsPublished(t *testing.T) {
	for name, recoding := range map[string]func() render.Recoding{"buckets": render.Buckets, "anatomy": render.BucketAnatomy,
		"permutation": func() render.Recoding { return render.DrawnValues([32]byte{9}) }} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				w := world{rng: rand.New(rand.NewPCG(seed, 71)), values: 8}
				var rows []equivclass.Row
				for range 700 {
					rows = append(rows, w.row())
				}
				views, files := published(t, recoding(), rows)
				require.GreaterOrEqual(t, len(views), 3)
				moved := make([]equivclass.Row, len(rows))
				for i, row := range rows {
					moved[i] = slices.Clone(row)
				}
				for _, v := range views {
					for _, c := range v.Classes {
						for i, at := range w.rng.Perm(len(c.Members)) {
							moved[c.Members[i]][3] = rows[c.Members[at]][3]
						}
					}
				}
				require.NotEqual(t, rows, moved)
				_, same := published(t, recoding(), moved)
				require.Len(t, same, len(files))
				for name, content := range files {
					require.Equal(t, content, same[name], name)
				}
			}
		})
	}
}

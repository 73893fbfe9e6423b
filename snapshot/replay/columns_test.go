package replay

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
)

// drug is a second sensitive attribute, behind the others.
const drug = 4

func withDrugs(t *testing.T) func(o *incremental.Options) {
	return func(o *incremental.Options) {
		s, err := equivclass.NewSchema(append(o.Schema.Attributes()[:4:4],
			equivclass.Attribute{Name: "drug", Role: equivclass.Sensitive, Type: equivclass.Categorical}), equivclass.RefuseMissing)
		require.NoError(t, err)
		o.Schema, o.Policy.OnUpdate, o.Policy.MinPool = s, false, 100
	}
}

func (f *stream) several() *stream {
	for range 9 {
		f.feed(160, f.mixed)
		f.cut(state.Triggered)
	}
	return f
}

// TestOneColumnIsPermuted: with two sensitive attributes all decisions and bytes stay where the values of one are permuted inside
// classes, but those of pair tables.
func TestOneColumnIsPermuted(t *testing.T) {
	f := newStream(t, withDrugs(t)).several()
	r := f.read()
	r.Renderer = func(v *incremental.View) (map[string]string, error) {
		files, err := rendered(v)
		files[tablesName] = pairs(v)
		return files, err
	}
	out, err := r.Run(4, nil)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
	require.Equal(t, 4, out.Worlds)
	require.Greater(t, out.Releases, 2)
}

// pairs is a table of what two attributes have in common, of everybody.
func pairs(v *incremental.View) string {
	counts := map[string]int{}
	for _, c := range v.Classes {
		for _, m := range c.Members {
			counts[v.Dictionaries[illness].Text(v.SA[0].At(int(m)))+v.Dictionaries[drug].Text(v.SA[1].At(int(m)))]++
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(counts))))
}

// TestPlantedTuples: a file that shows which values go together in a bucket, and a Merge that looks at tuples, which
// worlds of whole tuples do not find.
func TestPlantedTuples(t *testing.T) {
	f := newStream(t, withDrugs(t)).several()
	r := f.read()
	r.Renderer = func(v *incremental.View) (map[string]string, error) {
		return map[string]string{"buckets.csv": pairs(v)}, nil
	}
	out, err := r.Run(4, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference)
	require.NotZero(t, out.Difference.World)

	f = newStream(t, withDrugs(t))
	f.open = func(s state.Store, o incremental.Options) (engine, error) {
		m, err := openMachine(s, o)
		return &planted{engine: m, by: func(by state.Occasion) state.Occasion { return by }, row: func(row equivclass.Row) equivclass.Row {
			out := append(equivclass.Row{}, row...)
			out[drug] = fmt.Append(nil, string(row[drug]), string(row[illness]))
			return out
		}}, err
	}
	f.start()
	r = f.several().read()
	out, err = r.Run(4, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "Merge sees tuples")
	require.NotZero(t, out.Difference.World, "the records as they are go the same way")
}

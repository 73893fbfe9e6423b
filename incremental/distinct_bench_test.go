package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
)

// BenchmarkDistinctValues: the first load of records that have many different
// sensitive values, up to one of its own for every record, through the machine:
// taking them in, forming classes, release 1, and a second release of a tenth
// more. The cost of a record must not grow with the number of different values.
func BenchmarkDistinctValues(b *testing.B) {
	for _, size := range []struct{ records, values int }{
		{1e4, 20}, {1e4, 1e4}, {1e5, 20}, {1e5, 1e5}, {1e6, 20}, {1e6, 1e5}, {1e6, 1e6},
	} {
		b.Run(fmt.Sprintf("records=%d/values=%d", size.records, size.values), func(b *testing.B) {
			rows := distinctRows(b, size.records+size.records/10, size.values)
			for b.Loop() {
				m := openDistinct(b)
				applyRows(b, m, rows[:size.records])
				cutAll(b, m, 1)
				applyRows(b, m, rows[size.records:])
				cutAll(b, m, 2)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/record")
		})
	}
}

// distinctRows draws rows of five quasi-identifiers and a value out of so many;
// with as many values as rows no two rows share one.
func distinctRows(t testing.TB, n, values int) []equivclass.Row {
	rng := rand.New(rand.NewPCG(3, 9))
	order := rng.Perm(max(n, values))
	rows := make([]equivclass.Row, n)
	for i := range rows {
		row := make(equivclass.Row, 0, 6)
		for j := range 5 {
			row = append(row, fmt.Append(nil, min(rng.IntN(80), rng.IntN(80))+j))
		}
		v := rng.IntN(values)
		if values*11/10 >= n {
			v = order[i]
		}
		rows[i] = append(row, fmt.Appendf(nil, "value-%07d", v))
	}
	return rows
}

func openDistinct(t testing.TB) *incremental.Machine {
	var as []equivclass.Attribute
	for j := range 5 {
		as = append(as, equivclass.Attribute{Name: fmt.Sprint("q", j), Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	as = append(as, equivclass.Attribute{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	s, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	p := policy(10, 5)
	p.Republication, p.Initial, p.Local = state.Regroup, extract.Extract{Workers: 2}, extract.Extract{Workers: 2}
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: s, Policy: p, Seeded: true})
	require.NoError(t, err)
	return m
}

func applyRows(t testing.TB, m *incremental.Machine, rows []equivclass.Row) {
	next, _ := m.Intake().Next(source)
	for i, row := range rows {
		if _, err := m.Apply(source, next+int64(i), row); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, m.Commit())
}

// cutAll publishes everything that can be.
func cutAll(t testing.TB, m *incremental.Machine, release uint32) {
	intent, err := m.Flush(int64(release), [32]byte{})
	require.NoError(t, err)
	require.NotNil(t, intent)
	require.NoError(t, m.Published(release, [32]byte{1}))
	_, err = m.Releases().View(release)
	require.NoError(t, err)
}

package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
)

// growingSchema has a dimension of every kind.
func growingSchema(t testing.TB) *equivclass.Schema {
	t.Helper()
	tree, err := equivclass.ParseHierarchy("region.csv", strings.NewReader("a1;a;*\na2;a;*\nb1;b;*\nb2;b;*\nb3;b;*\n"))
	require.NoError(t, err)
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "income", Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 4},
		{Name: "single", Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 4},
		{Name: "town", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "region", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: tree},
		{Name: "born", Role: equivclass.Quasi, Type: equivclass.Date},
		{Name: "v", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// growingRow draws a record of a stream whose domain grows: "single" has one value at
// first.
func growingRow(rng *rand.Rand, release int) equivclass.Row {
	single := "3.7"
	if release > 2 {
		single = fmt.Sprintf("%.3f", rng.Float64()*float64(release*release))
	}
	return equivclass.Row{
		fmt.Append(nil, rng.IntN(20+90*release)-40*release),
		fmt.Appendf(nil, "%.2f", rng.NormFloat64()*float64(int(1)<<(3*release))),
		[]byte(single),
		fmt.Append(nil, "t", rng.IntN(3+4*release)),
		[]byte([]string{"a1", "a2", "b1", "b2", "b3"}[rng.IntN(5)]),
		fmt.Appendf(nil, "19%02d-%02d-%02d", rng.IntN(100), 1+rng.IntN(12), 1+rng.IntN(28)),
		{'p' + byte(rng.IntN(3))},
	}
}

// TestPositionsAreExactAndSurviveARestart: while releases come, classes die and domains
// grow, records lie at the class that a look at every class finds, and a machine that opens
// the state finds the same, with any number of workers. Both of two machines that live
// through it are asked, one of them after every release.
func TestPositionsAreExactAndSurviveARestart(t *testing.T) {
	deaths := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := policy(4, 2)
		p.Republication, p.MaxRegroups, p.MaxHold = state.Regroup, -1, int64(seed%3)
		p.Initial, p.Local = extract.Extract{}, extract.Extract{}
		s, store := growingSchema(t), memstore.New()
		open := func(workers int) *incremental.Machine {
			p.Workers = workers
			m, err := incremental.Open(store, incremental.Options{Schema: s, Policy: p, Seeded: true})
			require.NoError(t, err)
			return m
		}
		m, n := open(1+int(seed%3)), state.RecordID(0)
		for release := range 7 {
			for range 150 {
				_, err := m.Apply(source, int64(n), growingRow(rng, release))
				require.NoError(t, err)
				n++
			}
			i, err := m.Cut(1, [32]byte{})
			require.NoError(t, err)
			if i != nil {
				require.NoError(t, m.Published(i.Release, [32]byte{1}))
			}
			for range 40 { // behind the cut: outside its domain, some of them
				_, err := m.Apply(source, int64(n), growingRow(rng, release+1))
				require.NoError(t, err)
				n++
			}
			require.NoError(t, m.Commit())
			if seed%2 == 1 && release%3 != 2 {
				continue // asked about several releases at once
			}
			requireExact(t, m, open(3), n)
		}
		deaths += m.Dead()
	}
	require.Greater(t, deaths, 20)
}

func requireExact(t *testing.T, m, reopened *incremental.Machine, records state.RecordID) {
	t.Helper()
	all := make([]state.RecordID, records)
	for i := range all {
		all[i] = state.RecordID(i)
	}
	at := m.PlacesOf(all)
	require.Equal(t, at, reopened.PlacesOf(all))
	scan := m.Scan()
	for i := 0; i < len(all); i += 5 {
		r := all[i]
		least, holds := scan.Nearest(r)
		require.InDelta(t, least, scan.Distance(r, at[r]), 1e-5)
		if holds != ^state.ClassID(0) {
			require.Equal(t, holds, at[r], "the smallest number of those that hold it")
		}
	}
}

// TestLocalUpdatesOnAllCores: local updates in many regions plan the same classes with any
// number of workers.
func TestLocalUpdatesOnAllCores(t *testing.T) {
	c := newCensus(t)
	store := memstore.New()
	p := policy(4, 2)
	p.Initial, p.Local = medians{}, extract.Extract{Workers: 2}
	open := func(workers int) *incremental.Machine {
		p.Workers = workers
		m, err := incremental.Open(store, incremental.Options{Schema: c.schema, Policy: p, Seeded: true})
		require.NoError(t, err)
		return m
	}
	m := open(1)
	for i := range 8000 {
		if i == 6000 {
			intent, err := m.Cut(1, [32]byte{})
			require.NoError(t, err)
			require.NoError(t, m.Published(intent.Release, [32]byte{1}))
		}
		_, err := m.Apply(source, int64(i), c.row())
		require.NoError(t, err)
	}
	require.NoError(t, m.Commit())
	plans := m.LocalPlans()
	require.Greater(t, len(plans), 300)
	require.Equal(t, plans, m.LocalPlans(), "planning changes nothing")
	require.Equal(t, plans, open(2).LocalPlans())
	require.Equal(t, plans, open(5).LocalPlans())
}

package boltstore_test

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/memstore"
	"anond/incremental/retire"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/incremental/storetest"
)

// TestRemoveIsThatOfMemory: of the same stream the file has after each removal what a store in memory has, it has no fault, and its
// size does not grow with those who have left; also where people settle, whose open histories stay.
func TestRemoveIsThatOfMemory(t *testing.T) {
	tier.NotShort(t, "it writes thousands of records")
	for name, rule := range map[string]settle.Rule{"at once": {}, "settled": {Records: 150}} {
		t.Run(name, func(t *testing.T) { removes(t, rule) })
	}
}

func removes(t *testing.T, rule settle.Rule) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "person", Role: equivclass.Subject},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	window, err := retire.Parse("4")
	require.NoError(t, err)
	o := incremental.Options{Schema: schema, Seed: [32]byte{4}, Policy: state.Policy{Requirement: equivclass.Requirement{K: 4, L: 2},
		Level: state.L2, Republication: state.Append, Threshold: 3, HoldInCuts: true, Neighbours: 8, Similar: 3, Window: window,
		Settle: rule}}
	path := filepath.Join(t.TempDir(), "anond.db")
	bolt, mem := openAt(t, path, fast), memstore.New()
	var machines [2]*incremental.Machine
	for i, store := range []state.Store{bolt, mem} {
		machines[i], err = incremental.Open(store, o)
		require.NoError(t, err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	removals, sizes := 0, []int64{}
	for day := range 30 {
		rows := make([]equivclass.Row, 200)
		for i := range rows {
			rows[i] = equivclass.Row{[]byte(strconv.Itoa(20 + rng.IntN(60))), []byte("w" + strconv.Itoa(day) + strconv.Itoa(rng.IntN(3))),
				[]byte("i" + strconv.Itoa(rng.IntN(6))), []byte(strconv.Itoa(1 + rng.IntN(50*day+200)))}
		}
		for i, m := range machines {
			offset, _ := m.Intake().Next(part)
			for j, row := range rows {
				require.NoError(t, m.Stamp(part, 0))
				_, err := m.Apply(part, offset+int64(j), row)
				require.NoError(t, err)
			}
			require.NoError(t, m.Commit())
			if r := m.Removal(); r != nil {
				removals++
				if i == 0 {
					require.NoError(t, bolt.Remove(r))
				} else {
					require.NoError(t, mem.Remove(r))
				}
				m, err = m.Reopen(o)
				require.NoError(t, err)
				require.Empty(t, m.CheckInvariants())
				machines[i] = m
			}
			intent, err := m.Cut(int64(day), [32]byte{})
			require.NoError(t, err)
			if intent != nil {
				require.NoError(t, m.Published(intent.Release, [32]byte{1}))
			}
		}
		a, err := storetest.Read(bolt)
		require.NoError(t, err)
		b, err := storetest.Read(mem)
		require.NoError(t, err)
		require.Equal(t, b, a)
		require.Equal(t, rule.On(), len(a.Settling) > 0)
		status := machines[0].Status()
		require.Equal(t, status.Sent, status.Accounted())
		used, _ := bolt.Bytes()
		sizes = append(sizes, used)
	}
	require.Greater(t, removals, 10)
	require.True(t, bolt.Stale())
	require.LessOrEqual(t, sizes[29], sizes[14]+64<<10, "%v", sizes)
	require.NoError(t, bolt.Close())
	faults, err := boltstore.Check(path, boltstore.Options{})
	require.NoError(t, err)
	require.Empty(t, faults)
}

var part = state.Partition{Source: "kafka:t"}

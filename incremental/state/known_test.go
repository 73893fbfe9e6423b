package state

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func personOf(r *rand.Rand) (d Person) {
	binary.BigEndian.PutUint64(d[:], r.Uint64())
	binary.BigEndian.PutUint64(d[8:], r.Uint64())
	d[15] = 0
	return d
}

// TestPeopleAreThoseOfAMap: whatever is added in whatever order, also digests that begin alike.
func TestPeopleAreThoseOfAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	want, table := map[Person]Why{}, &People{}
	var all []Person
	for range 30_000 {
		d := personOf(r)
		if len(all) > 0 {
			switch near := all[r.IntN(len(all))]; r.IntN(5) {
			case 0:
				d = near
			case 1: // it begins as another one does, and is in the same block
				d = near
				d[8+r.IntN(7)] ^= 1
			}
		}
		why := Why(1 + r.IntN(3))
		fresh := why&^want[d] != 0
		if want[d] == 0 {
			all = append(all, d)
		}
		want[d] |= why
		require.Equal(t, fresh, table.Add(Know(d, why)))
	}
	require.Equal(t, len(want), table.Len())
	counts := map[Why]int{}
	for d, why := range want {
		require.Equal(t, why, table.Why(d))
		for _, one := range []Why{Forgotten, Barred} {
			if why&one != 0 {
				counts[one]++
			}
		}
		d[8+r.IntN(7)] ^= 2
		require.Equal(t, want[d], table.Why(d))
	}
	for why, n := range counts {
		assert.Equal(t, n, table.Count(why))
		table.All(why, func(d Person) {
			require.NotZero(t, want[d]&why)
			n--
		})
		assert.Zero(t, n)
	}
	var list []Known
	for d, why := range want { // everybody in pieces
		for _, one := range []Why{Forgotten, Barred} {
			if why&one != 0 {
				list = append(list, Know(d, one))
			}
		}
	}
	read := NewPeople(list)
	require.Equal(t, [2]any{table.Len(), table.counts}, [2]any{read.Len(), read.counts})
	for d, why := range want {
		require.Equal(t, why, read.Why(d))
	}
	for range 20_000 {
		read.Add(Know(personOf(r), Barred))
	}
	for d, why := range want {
		require.Equal(t, why, read.Why(d))
	}
	for _, b := range table.blocks {
		require.Less(t, len(b), 3*mostKnown)
	}
}

// TestPeopleTakeTwentyBytes: what is held for a person, with the room to grow.
func TestPeopleTakeTwentyBytes(t *testing.T) {
	const people = 200_000
	table := &People{}
	r := rand.New(rand.NewPCG(3, 4))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range people {
		table.Add(Know(personOf(r), Barred))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / people
	t.Logf("%.2f bytes a person", each)
	require.Less(t, each, 20.0)
	runtime.KeepAlive(table)
}

func BenchmarkPeople(b *testing.B) {
	const people = 1_000_000
	r := rand.New(rand.NewPCG(5, 6))
	table, all := &People{}, make([]Person, people)
	secrets := NewSecrets([32]byte{1}, nil)
	for i := range all {
		all[i] = personOf(r)
		table.Add(Know(all[i], Barred))
	}
	b.Run("known", func(b *testing.B) {
		for i := range b.N {
			table.Why(all[i*7919%people])
		}
	})
	b.Run("unknown", func(b *testing.B) {
		for range b.N {
			table.Why(personOf(r))
		}
	})
	b.Run("digest", func(b *testing.B) {
		for i := range b.N {
			secrets.Person(uint64(i))
		}
	})
	var list []Known
	for _, d := range all {
		list = append(list, Know(d, Barred))
	}
	b.Run("loaded", func(b *testing.B) {
		for range b.N {
			NewPeople(list)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/people, "ns/person")
	})
	b.Run("added", func(b *testing.B) {
		for range b.N {
			table.Add(Know(personOf(r), Barred))
		}
	})
}

package pools

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental/state"
)

// TestBagsOfFewAndOfMany: people are counted alike whether they are more than the values or fewer.
func TestBagsOfFewAndOfMany(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "a", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "b", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	c, rng := state.NewColumns(schema), rand.New(rand.NewPCG(1, 1))
	for i := range 300 {
		why, _ := c.Append(equivclass.Row{[]byte("30"), fmt.Append(nil, "v", rng.IntN(40)), fmt.Append(nil, "w", i%7)})
		require.Equal(t, equivclass.Accepted, why)
	}
	m := numbered(&c, &state.Policy{Promises: map[int]*promise.Promise{1: promise.Frequency(2), 2: promise.Frequency(2)}})
	for range 50 {
		var all [][]state.RecordID
		union := map[uint32]uint32{}
		for at := 0; at < 300; { // a division of all into few and many
			n := min(300-at, 1+rng.IntN(100))
			part := make([]state.RecordID, n)
			for i := range part {
				part[i] = state.RecordID(at + i)
			}
			all, at = append(all, part), at+n
		}
		whole := []state.RecordID{}
		for _, part := range all {
			whole = append(whole, part...)
			for _, x := range m.bagOf(part) {
				union[x.Value] += x.N
			}
		}
		want := m.bagOf(whole)
		require.Len(t, union, len(want))
		for _, x := range want {
			require.Equal(t, x.N, union[x.Value])
		}
		require.IsIncreasing(t, valuesOf(want))
		require.IsIncreasing(t, valuesOf(m.bagOf(whole[:5])))
	}
}

func valuesOf(b merge.Bag) (out []int) {
	for _, x := range b {
		out = append(out, int(x.Value))
	}
	return out
}

package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/incremental"
	"anond/incremental/memstore"
)

// world generates a stream of records for the property tests.
type world struct {
	rng      *rand.Rand
	values   int
	subjects bool
}

func newSchema(t testing.TB, subjects bool) *equivclass.Schema {
	t.Helper()
	h, err := equivclass.ParseHierarchy("zone", strings.NewReader("a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\n"))
	require.NoError(t, err)
	attributes := []equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "zone", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: h},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}
	if subjects {
		attributes = append(attributes, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
	}
	s, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

func (w world) row() equivclass.Row {
	age := 20 + w.rng.IntN(60)
	v := min(w.rng.IntN(w.values), w.rng.IntN(w.values)) // skewed
	if w.rng.IntN(3) == 0 {
		v = age / 10 % w.values // correlated
	}
	r := equivclass.Row{[]byte(strconv.Itoa(age)), {byte('a' + w.rng.IntN(5))}, []byte("w" + strconv.Itoa(w.rng.IntN(4))),
		[]byte("i" + strconv.Itoa(v))}
	if w.subjects {
		r = append(r, []byte(fmt.Sprint("p", w.rng.IntN(300))))
	}
	return r
}

func policy(k, l int) state.Policy {
	return state.Policy{Requirement: equivclass.Requirement{K: k, L: l}, Republication: state.Append,
		Threshold: k - 1, MaxHold: 4, HoldInCuts: true, MaxRegroups: 2, Neighbours: 32, Similar: 8,
		Initial: cuts.Median{}, Local: cuts.Median{}}
}

var source = state.Partition{Source: "test"}

func TestMachineKeepsItsInvariants(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := world{rng: rand.New(rand.NewPCG(seed, 1)), values: 5 + int(seed%4), subjects: seed%2 == 0}
			p := policy(4, 2)
			if seed%3 != 0 {
				p.Republication = state.Regroup
			}
			m, err := incremental.Open(memstore.New(), incremental.Options{Schema: newSchema(t, w.subjects), Policy: p, Seeded: true})
			require.NoError(t, err)
			offset := int64(0)
			for batch := range 12 {
				n := 40
				if batch == 0 {
					n = 200
				}
				for range n {
					out, err := m.Apply(source, offset, w.row())
					require.NoError(t, err)
					require.Equal(t, incremental.Outcome{}, out)
					offset++
				}
				intent, err := m.Cut(int64(batch), [32]byte{})
				require.NoError(t, err)
				require.Empty(t, m.CheckInvariants())
				if intent != nil {
					require.NoError(t, m.Published(intent.Release, [32]byte{1}))
				}
			}
			t.Logf("%+v", m.Status())
		})
	}
}

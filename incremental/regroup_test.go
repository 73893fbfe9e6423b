package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
)

// line is a machine over one number and one sensitive value: the neighbourhood
// in which regrouping must gain.
type line struct {
	t      *testing.T
	m      *incremental.Machine
	offset int64
}

func newLine(t *testing.T, maxRegroups int) *line {
	t.Helper()
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "v", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	p := policy(4, 2)
	p.Republication, p.MaxRegroups, p.MaxHold = state.Regroup, maxRegroups, 8
	p.Initial, p.Local = extract.Extract{}, extract.Extract{}
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: s, Policy: p, Seeded: true})
	require.NoError(t, err)
	return &line{t: t, m: m}
}

// put adds the values a and b at each of the points.
func (l *line) put(points ...int) {
	for _, x := range points {
		for _, v := range []string{"a", "b"} {
			out, err := l.m.Apply(source, l.offset, equivclass.Row{[]byte(strconv.Itoa(x)), []byte(v)})
			require.NoError(l.t, err)
			require.Equal(l.t, incremental.Outcome{}, out)
			l.offset++
		}
	}
}

// release cuts, publishes and returns the classes as x ranges, by their records.
func (l *line) release() map[string]int {
	i, err := l.m.Cut(0, [32]byte{})
	require.NoError(l.t, err)
	require.NotNil(l.t, i, "nothing to publish")
	require.NoError(l.t, l.m.Published(i.Release, [32]byte{}))
	require.Empty(l.t, l.m.CheckInvariants())
	return l.classes()
}

func (l *line) classes() map[string]int {
	v, err := l.m.Releases().View(l.m.Releases().Latest().Release)
	require.NoError(l.t, err)
	out := map[string]int{}
	for _, c := range v.Classes {
		lo, hi := 1e9, -1e9
		for _, r := range c.Members {
			x := v.Dictionaries[v.Schema.Quasi()[0]].Number(v.QI[0].At(int(r)))
			lo, hi = min(lo, x), max(hi, x)
		}
		out[fmt.Sprintf("%g-%g", lo, hi)] = len(c.Members)
	}
	return out
}

// Four people at the ends of two wide gaps share classes that span them. Flat
// sets that arrive at the ends let the classes be cut anew, each at one end.
func TestScriptedNeighbourhoodIsRegrouped(t *testing.T) {
	l := newLine(t, 2)
	l.put(0, 40, 100, 140)
	require.Equal(t, map[string]int{"0-40": 4, "100-140": 4}, l.release())
	l.put(0, 40, 100, 140)
	require.Equal(t, map[string]int{"0-0": 4, "40-40": 4, "100-100": 4, "140-140": 4}, l.release())
}

// Rule E (equality patterns): with no regrouping left the same arrivals leave the classes as they are.
func TestExhaustedClassesStayClosed(t *testing.T) {
	l := newLine(t, 0)
	l.put(0, 40, 100, 140)
	before := l.release()
	l.put(0, 40, 100, 140)
	for range 12 { // beyond max_hold: the newcomers are published as they must be
		i, err := l.m.Cut(0, [32]byte{})
		require.NoError(t, err)
		if i != nil {
			require.NoError(t, l.m.Published(i.Release, [32]byte{}))
		}
	}
	after := l.classes()
	require.Zero(t, l.m.Status().Pending.Total())
	for box := range before {
		require.Contains(t, after, box)
	}
	require.Empty(t, l.m.CheckInvariants())
}

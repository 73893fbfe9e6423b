package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/snapshot/audit/audittest"
	"anond/snapshot/render"
)

// plane is a schema of d whole numbers and a sensitive value.
func plane(t testing.TB, d int) *equivclass.Schema {
	t.Helper()
	var as []equivclass.Attribute
	for j := range d {
		as = append(as, equivclass.Attribute{Name: fmt.Sprintf("x%d", j), Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	as = append(as, equivclass.Attribute{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	s, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// tiny is a stream small enough that all its worlds can be counted.
type tiny struct {
	schema *equivclass.Schema
	policy state.Policy
	at     [][]int // quasi-identifiers by record
	cuts   []int   // numbers of records after which a release is cut
}

func newTiny(t testing.TB, rng *rand.Rand, n, d int, cuts []int, p state.Policy) tiny {
	w := tiny{schema: plane(t, d), policy: p, cuts: cuts}
	for range n {
		x := make([]int, d)
		for j := range x {
			x[j] = rng.IntN(9)
		}
		w.at = append(w.at, x)
	}
	return w
}

// row is record i if it has value v.
func (w *tiny) row(i, v int) equivclass.Row {
	var row equivclass.Row
	for _, x := range w.at[i] {
		row = append(row, fmt.Append(nil, x))
	}
	return append(row, []byte{'a' + byte(v)})
}

// run plays one world; after each cut, see is called with what it returned.
func (w *tiny) run(t testing.TB, world []int, cut func(*incremental.Machine) (*state.Intent, error),
	see func(*incremental.Machine, *state.Intent, error)) *incremental.Machine {
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: w.schema, Policy: w.policy, Seeded: true})
	require.NoError(t, err)
	next := 0
	for i, v := range world {
		if _, err := m.Apply(source, int64(i), w.row(i, v)); err != nil {
			require.NoError(t, err)
		}
		if next < len(w.cuts) && w.cuts[next] == i+1 {
			next++
			intent, err := cut(m)
			if intent != nil && m.Published(intent.Release, [32]byte{1}) != nil {
				require.Fail(t, "not published")
			}
			see(m, intent, err)
		}
	}
	return m
}

func cutNow(m *incremental.Machine) (*state.Intent, error) { return m.Cut(1, [32]byte{}) }

// chainOf is what the adversary of levels L0 and L1 knows: members and bags.
func chainOf(t testing.TB, m *incremental.Machine, world []int, values int) audittest.Chain {
	c := audittest.Chain{Records: len(world), Values: values}
	for _, i := range m.Releases().Intents() {
		v, err := m.Releases().View(i.Release)
		require.NoError(t, err)
		var r audittest.Release
		for _, class := range v.Classes {
			var cc audittest.Class
			for _, member := range class.Members {
				cc.Members, cc.Bag = append(cc.Members, int(member)), append(cc.Bag, world[member])
			}
			r.Classes = append(r.Classes, cc)
		}
		c.Releases = append(c.Releases, r)
	}
	return c
}

// TestExactPosteriorsOfSmallStreams counts all worlds that fit all releases of
// tiny streams (levels L0 and L1): nobody's value has a posterior above 1/l; in a
// frozen class it is the value's share of the bag, in a pure one 1/|S|, exactly.
func TestExactPosteriorsOfSmallStreams(t *testing.T) {
	regrouped, several := 0, 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 11))
		l := 2 + rng.IntN(2)
		p := policy(l+rng.IntN(3), l)
		p.MaxHold, p.MaxRegroups = int64(rng.IntN(3)), []int{1, 2, -1}[rng.IntN(3)]
		p.Initial, p.Local = extract.Extract{}, extract.Extract{}
		if seed%4 != 0 {
			p.Republication = state.Regroup
			if seed%4 != 1 { // flat classes are likely, and so is their growth
				l = 2
				p.Requirement = equivclass.Requirement{K: 4, L: 2}
			}
		}
		if seed%5 == 0 { // a reference that release 1 makes
			p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: 0.15 + 0.3*rng.Float64(), Ground: equivclass.EqualGround{}}}
		}
		n, values := 10+rng.IntN(3), l+rng.IntN(2)
		first := p.Requirement.K + rng.IntN(3)
		w := newTiny(t, rng, n, 1+rng.IntN(2), []int{first, (first + n) / 2, n - 1, n}, p)
		world := make([]int, n)
		for i := range world {
			world[i] = rng.IntN(values)
		}
		refused := false
		m := w.run(t, world, cutNow, func(_ *incremental.Machine, _ *state.Intent, err error) {
			refused = refused || infeasible(err)
			if err != nil && !infeasible(err) {
				require.ErrorIs(t, err, state.ErrUnpublished)
			}
		})
		if len(m.Releases().Intents()) == 0 {
			continue
		}
		regrouped += checkExactly(t, seed, m, world, values, l)
		if len(m.Releases().Intents()) > 1 {
			several++
		}
	}
	t.Logf("%d streams of several releases, %d records regrouped", several, regrouped)
	assert.Greater(t, several, 150)
	assert.Greater(t, regrouped, 150, "the streams do not reach regrouping")
}

// checkExactly compares every posterior with what rules A (frozen classes) and P (pure
// classes) say it is, and returns the number of records that were regrouped.
func checkExactly(t *testing.T, seed uint64, m *incremental.Machine, world []int, values, l int) (regrouped int) {
	c := chainOf(t, m, world, values)
	post, err := audittest.Posteriors(c)
	require.NoError(t, err)
	require.LessOrEqual(t, post.Max(), 1/float64(l)+1e-12, "seed %d", seed)
	v, err := m.Releases().View(m.Releases().Latest().Release)
	require.NoError(t, err)
	for _, class := range v.Classes {
		count := make([]int, values)
		for _, r := range class.Members {
			count[world[r]]++
		}
		for _, r := range class.Members {
			for value, n := range count {
				want := float64(n) / float64(len(class.Members)) // flat, where the class is pure: 1/|S|
				require.InDelta(t, want, post.P(int(r), value), 1e-12, "seed %d record %d", seed, r)
				if class.Regime == state.Pure && n > 0 {
					signature := 0
					for _, n := range count {
						if n > 0 {
							signature++
						}
					}
					require.InDelta(t, 1/float64(signature), want, 1e-12)
				}
			}
		}
	}
	for _, n := range m.Releases().Regroups(m.Releases().Latest().Release) {
		if n > 0 {
			regrouped++
		}
	}
	return regrouped
}

// TestExactPosteriorsOfPublishedFiles does the same from the files of a chain
// alone, as an outsider would: manifests, tables and the members export.
func TestExactPosteriorsOfPublishedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	p := policy(4, 2)
	p.Republication, p.MaxHold = state.Regroup, 1
	for _, recoding := range []render.Recoding{render.Generalization(), render.Anatomy()} {
		w := newTiny(t, rng, 12, 2, nil, p)
		c := newChain(t, w.schema, p, recoding)
		for i := range w.at {
			c.apply(source, int64(i), w.row(i, i%2))
			if i >= 3 && i%2 == 1 {
				c.cut()
			}
		}
		c.certify()
		o := c.exports(c.m, c.store)
		loaded, err := audittest.Load(o.Releases, o.Members)
		require.NoError(t, err)
		require.Greater(t, len(loaded.Releases), 1)
		post, err := audittest.Posteriors(loaded)
		require.NoError(t, err)
		require.LessOrEqual(t, post.Max(), 0.5)
	}
}

// transcript writes down everything that the adversary of level L2 sees after a
// cut: whether it was refused or skipped, what is published in which class with
// which bag, and what is pending and why, in counts.
func transcript(b *strings.Builder, m *incremental.Machine, world []int, intent *state.Intent, err error) {
	fmt.Fprintf(b, "|%v %v %+v", err != nil, intent != nil, m.Status().Pending)
	if intent == nil {
		return
	}
	v, _ := m.Releases().View(intent.Release)
	var lines []string
	for _, c := range v.Classes {
		bag := make([]int, len(c.Members))
		for i, r := range c.Members {
			bag[i] = world[r]
		}
		slices.Sort(bag)
		lines = append(lines, fmt.Sprint(c.Regime, c.Born, c.Members, bag))
	}
	slices.Sort(lines)
	for _, c := range v.References[v.Schema.SensitiveIndex()].Counts {
		lines = append(lines, fmt.Sprint(v.Dictionaries[v.Schema.SensitiveIndex()].Text(c.Code), c.N))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ";"))
}

package incremental_test

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/internal/fault"
	"anond/snapshot/render"
)

// closePolicy asks for t-closeness under the equal distance, and nothing that
// waits for a better class.
func closePolicy(k, l int, t float64) state.Policy {
	p := policy(k, l)
	p.MaxHold = 0
	p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: t, Ground: equivclass.EqualGround{}}}
	return p
}

// feed applies one record for each character, all at one place unless at says otherwise.
func feed(c *chain, from int, values string, at func(i int) int) {
	for i, v := range []byte(values) {
		x := 0
		if at != nil {
			x = at(i)
		}
		c.apply(source, int64(from+i), equivclass.Row{[]byte{'0' + byte(x)}, {v}})
	}
}

// shares returns the reference of the sensitive attribute by value.
func shares(v *incremental.View) map[string]int {
	out := map[string]int{}
	for _, c := range v.References[v.Schema.SensitiveIndex()].Counts {
		out[v.Dictionaries[v.Schema.SensitiveIndex()].Text(c.Code)] = c.N
	}
	return out
}

// bags returns the values of each class.
func bags(v *incremental.View) (out []map[string]int) {
	for _, c := range v.Classes {
		bag := map[string]int{}
		for _, r := range c.Members {
			bag[v.Dictionaries[v.Schema.SensitiveIndex()].Text(v.SA[0].At(int(r)))]++
		}
		out = append(out, bag)
	}
	return out
}

// TestReferenceIsFixedByReleaseOne: what release 1 publishes is the reference,
// stored with its intent; a restart has it before anything is published, and a later
// class must be close to it.
func TestReferenceIsFixedByReleaseOne(t *testing.T) {
	p := closePolicy(4, 2, 0.1)
	p.Initial, p.Local = byPlace{}, byPlace{}
	c := newChain(t, plane(t, 1), p, render.Generalization())
	feed(c, 0, "aabbaabb", nil)
	intent, err := c.m.Cut(1, [32]byte{})
	require.NoError(t, err)
	require.NotNil(t, intent)
	c.crash()
	want := map[string]int{"a": 4, "b": 4}
	require.Equal(t, want, shares(c.m.Releases().All()))

	feed(c, 8, "aacc", func(int) int { return 1 }) // a new value: share 0 in the reference
	require.Nil(t, c.cut(), "k and l would do, but it is at 1/2 from the reference")
	feed(c, 12, "abab", func(int) int { return 2 })
	require.NotNil(t, c.cut())
	require.Equal(t, want, shares(c.m.Releases().All()))
	latest, err := c.m.Releases().View(2)
	require.NoError(t, err)
	assertClose(t, latest, 0.1)
	c.certify()
}

func assertClose(t *testing.T, v *incremental.View, limit float64) {
	t.Helper()
	reference, total := shares(v), 0.0
	for _, n := range reference {
		total += float64(n)
	}
	for _, bag := range bags(v) {
		size, distance := 0.0, 0.0
		for _, n := range bag {
			size += float64(n)
		}
		values := map[string]bool{}
		for x := range bag {
			values[x] = true
		}
		for x := range reference {
			values[x] = true
		}
		for x := range values {
			distance += math.Abs(float64(bag[x])/size-float64(reference[x])/total) / 2
		}
		assert.LessOrEqual(t, distance, limit+1e-9)
	}
}

// byPlace puts the records at each place into a class; the rest of them wait.
type byPlace struct{}

func (byPlace) Name() string { return "by place" }

func (byPlace) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	at := map[float32][]int32{}
	var order []float32
	for i := range int32(p.Len()) {
		x := p.At(i)[0]
		if at[x] == nil {
			order = append(order, x)
		}
		at[x] = append(at[x], i)
	}
	for _, x := range order {
		if want.Holds(p.Bag(at[x])) {
			groups = append(groups, at[x])
		} else {
			rest = append(rest, at[x]...)
		}
	}
	return groups, rest
}

// TestReferenceNeverTellsWhoWaits: if the bag of the whole first load were the
// reference, its difference from release 1 would show the values of those who wait.
// Here one person waits, and the value would be certain, although 1/l = 1/2 is
// promised. The reference that is made is the bag of what is published, so the
// difference is empty.
func TestReferenceNeverTellsWhoWaits(t *testing.T) {
	p := closePolicy(4, 2, 0.3)
	p.Initial, p.Local = byPlace{}, byPlace{}
	c := newChain(t, plane(t, 1), p, render.Generalization())
	feed(c, 0, "aabbabbac", func(i int) int { return i / 4 })
	require.NotNil(t, c.cut())
	v, err := c.m.Releases().View(1)
	require.NoError(t, err)
	require.Equal(t, 1, v.Intent.Pending.Waiting)

	published := map[string]int{}
	for _, bag := range bags(v) {
		for x, n := range bag {
			published[x] += n
		}
	}
	load := map[string]int{"a": 4, "b": 4, "c": 1}
	assert.Equal(t, []string{"c"}, difference(load, published), "the load's bag tells exactly who waits")
	assert.Empty(t, difference(shares(v), published))
	c.certify()
}

func difference(a, b map[string]int) (out []string) {
	for x, n := range a {
		if n != b[x] {
			out = append(out, x)
		}
	}
	return out
}

// TestReferenceIsAFixpoint: a class that is close to the load but not to what
// would be published waits; what is left is close to itself.
func TestReferenceIsAFixpoint(t *testing.T) {
	p := closePolicy(2, 2, 0.45)
	p.Initial, p.Local = byPlace{}, byPlace{}
	c := newChain(t, plane(t, 1), p, render.Generalization())
	// cc is no class. Of the load, cf is at 3/8; of abef and cf together, at 1/2.
	feed(c, 0, "abefcfcc", func(i int) int { return max(0, i/2-1) })
	require.NotNil(t, c.cut())
	v, err := c.m.Releases().View(1)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 1, "b": 1, "e": 1, "f": 1}, shares(v))
	assertClose(t, v, 0.45)
	c.certify()
}

// TestReferenceWithoutAnyClass: a first load of which no class is close to the others
// is refused with a hint at what would help (rule I, infeasible).
func TestReferenceWithoutAnyClass(t *testing.T) {
	p := closePolicy(2, 2, 0.7)
	p.Initial, p.Local = byPlace{}, byPlace{}
	c := newChain(t, plane(t, 1), p, render.Generalization())
	// Six classes of a value of its own and a common one; most of the common ones
	// wait, so the classes are at 0.68 from the load, but at 0.75 from each other.
	common := strings.Repeat("a", 20) + strings.Repeat("b", 20) + strings.Repeat("c", 20)
	feed(c, 0, "adbecfagbhci"+common, func(i int) int {
		if i < 12 {
			return i / 2
		}
		return 6 + (i-12)/20
	})
	_, err := c.m.Cut(1, [32]byte{})
	var e *plan.InfeasibleError
	require.ErrorAs(t, err, &e)
	t.Log(e, fault.Hint(e))
	assert.Contains(t, e.Error(), "t-close(0.7,equal)")
}

// TestDeclaredReference holds from the first record on, whatever comes.
func TestDeclaredReference(t *testing.T) {
	p := closePolicy(4, 2, 0.2)
	p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: 0.2, Ground: equivclass.EqualGround{}, Declared: true}}
	s := plane(t, 1)
	p.References = map[int][]equivclass.ValueCount{s.SensitiveIndex(): {{Value: "b", Count: 1}, {Value: "z", Count: 1}}}
	c := newChain(t, s, p, render.Generalization())
	feed(c, 0, "aabb", nil)
	_, err := c.m.Cut(1, [32]byte{})
	var e *plan.InfeasibleError
	require.ErrorAs(t, err, &e)
	assert.InDelta(t, 0.5, e.Distance, 1e-12)
	feed(c, 4, "zzbzbz", nil)
	c.m.Tick(1)
	require.NotNil(t, c.cut())
	require.Equal(t, map[string]int{"b": 1, "z": 1}, shares(c.m.Releases().All()))
	v, err := c.m.Releases().View(1)
	require.NoError(t, err)
	assertClose(t, v, 0.2)
	c.crash()
	require.Equal(t, map[string]int{"b": 1, "z": 1}, shares(c.m.Releases().All()))
	c.certify()
}

package incremental_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/equivclass/promise"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/plan"
	"anond/incremental/state"
)

// severalKeys are the settings of the hierarchies of a and b.
var severalKeys = map[string]int{"tree a": 2, "tree b": 3}

// twoTrees are people with attributes a and b, each with a hierarchy of these values.
func twoTrees(t testing.TB, a, b string) *equivclass.Schema {
	t.Helper()
	first, second := valueOf(t, a), valueOf(t, b)
	first.Name, second.Name = "a", "b"
	return schemaOf(t, first, second, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
}

// several is a machine with two attributes of which l = 2 is promised.
type several struct {
	t       *testing.T
	m       *incremental.Machine
	store   *memstore.Store
	options incremental.Options
	rows    int
}

func newSeveral(t *testing.T, a, b string) *several {
	p := policy(2, 2)
	p.Level, p.MaxHold, p.OnRefusal = state.L2, 0, state.QuarantineRefused
	s := &several{t: t, store: memstore.New(), options: incremental.Options{Policy: p, Hierarchies: severalKeys}}
	s.under(a, b)
	return s
}

// under opens the state under these hierarchies.
func (s *several) under(a, b string) {
	s.options.Schema = twoTrees(s.t, a, b)
	s.options.Settings = map[string][32]byte{"tree a": {byte(len(a))}, "tree b": {byte(len(b))}, "encoding": {}, "policy.level": {}}
	if s.m != nil {
		_ = s.m.Commit() // after an erasure the machine is done with, and the store has it all
	}
	m, err := incremental.Open(s.store, s.options)
	require.NoError(s.t, err)
	s.m = m
	m.Small(func(k merge.Key) merge.Draws { return merge.NewDraws([32]byte{}, k) }, func(merge.Bag, int) (int, bool) { return 2, true },
		merge.SubPoolClasses)
	require.NoError(s.t, m.Commit())
}

// row is a person with these values.
func (s *several) row(a, b string) equivclass.Row {
	x := positions[s.rows%len(positions)]
	return equivclass.Row{{'0' + byte(x[0])}, {'0' + byte(x[1])}, []byte(a), []byte(b), []byte(fmt.Sprint("person ", s.rows))}
}

func (s *several) apply(values ...string) {
	for _, v := range values {
		out, err := s.m.Apply(source, int64(s.rows), s.row(v[:1], v[1:]))
		require.NoError(s.t, err)
		require.Equal(s.t, equivclass.Accepted, out.Reason)
		s.rows++
	}
}

func (s *several) cut() *state.Intent {
	intent, err := s.m.Cut(1, [32]byte{})
	require.NoError(s.t, err)
	if intent != nil {
		require.NoError(s.t, s.m.Published(intent.Release, [32]byte{1}))
	}
	require.Empty(s.t, s.m.CheckInvariants())
	return intent
}

// tuples are those of the people of each bucket, as a sorted list.
func (s *several) tuples() map[state.BucketID][]string {
	v, err := s.m.Releases().View(s.m.Releases().Latest().Release)
	require.NoError(s.t, err)
	out := map[state.BucketID][]string{}
	for _, c := range v.Classes {
		for _, r := range c.Members {
			out[c.Bucket] = append(out[c.Bucket], v.Dictionaries[2].Text(v.Column(2).At(int(r)))+v.Dictionaries[3].Text(v.Column(3).At(int(r))))
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// TestABadValueOfAnyAttributeRefusesTheRecord: nothing of it is kept, and the attribute is named; of two bad values the first one's.
func TestABadValueOfAnyAttributeRefusesTheRecord(t *testing.T) {
	s := newSeveral(t, "pq", "xy")
	for _, c := range []struct{ a, b, attribute string }{{"p", "z", "b"}, {"z", "x", "a"}, {"z", "z", "a"}} {
		out, err := s.m.Apply(source, 0, s.row(c.a, c.b))
		require.NoError(t, err)
		assert.Equal(t, incremental.Outcome{Reason: equivclass.ReasonHierarchy, Attribute: c.attribute}, out)
		assert.False(t, s.m.Readmission().Possible(state.DeadLetter{Attribute: c.attribute}))
	}
	assert.Zero(t, s.m.Releases().All().Len())
}

// TestForgettingKeepsTuplesTogether: whoever is forgotten leaves the tuples of the bucket, and so every bag and every table of pairs.
func TestForgettingKeepsTuplesTogether(t *testing.T) {
	s := newSeveral(t, "pqr", "xyz")
	s.apply("rx", "qz", "rz", "pz", "qx", "py", "qy", "px")
	require.NotNil(t, s.cut())
	before := s.tuples()
	d, _ := s.m.Forgetting().DigestOf([]byte("person 2"))
	e, err := s.m.Forget([]state.Digest{d})
	require.NoError(t, err)
	require.Equal(t, 1, e.Published)
	require.NoError(t, s.store.ForgetInPlace(e))
	s.under("pqr", "xyz")
	assert.Equal(t, before, s.tuples())
	moved := 0
	all := s.m.Releases().All()
	for r, tuple := range []string{"rx", "qz", "rz", "pz", "qx", "py", "qy", "px"} {
		if all.Dictionaries[2].Text(all.Column(2).At(r))+all.Dictionaries[3].Text(all.Column(3).At(r)) != tuple {
			moved++
		}
	}
	assert.Positive(t, moved, "nothing says who of the bucket has which values")
}

// TestAPoolIsOfOneVersionOfEveryHierarchy: who waits when one of them grows is in no pool with those who come later.
func TestAPoolIsOfOneVersionOfEveryHierarchy(t *testing.T) {
	s := newSeveral(t, "pq", "xy")
	s.apply("px", "qy", "px", "qy")
	require.NotNil(t, s.cut())
	s.apply("px", "qy", "px")
	s.under("pqr", "xy")
	s.apply("qx", "ry", "px")
	s.under("pqr", "xyz")
	s.apply("qz", "ry", "px", "rx")
	for range 4 {
		s.cut()
	}
	v, err := s.m.Releases().View(s.m.Releases().Latest().Release)
	require.NoError(t, err)
	version := func(r state.RecordID) int {
		at, _ := slices.BinarySearch([]state.RecordID{4, 7, 10}, r+1)
		return at
	}
	first := map[state.BucketID]int{}
	for _, c := range v.Classes {
		for _, r := range c.Members {
			if was, known := first[c.Bucket]; known {
				assert.Equal(t, was, version(r), "bucket %d", c.Bucket)
			}
			first[c.Bucket] = version(r)
		}
	}
	assert.Len(t, s.m.Hierarchies(), 2)
	assert.Greater(t, s.m.Releases().Latest().Release, uint32(1))
}

// TestAQuarantineNamesTheAttributesThatFail: and says by how much, in counts, without a value; whoever keeps its promise is not named.
func TestAQuarantineNamesTheAttributesThatFail(t *testing.T) {
	for _, c := range []struct {
		people []string
		names  []string
		why    string
	}{
		{[]string{"px", "qx", "px", "qy"}, []string{"b"}, `3 of 4 people have the same value of "b", and 1/2 may`},
		{[]string{"px", "px", "px", "qx"}, []string{"a", "b"}, `3 of 4 people have the same value of "a", and 1/2 may; ` +
			`4 of 4 people have the same value of "b", and 1/2 may`},
		{[]string{"px", "qy", "px", "qy"}, nil, ""},
	} {
		s := newSeveral(t, "pq", "xy")
		s.apply(c.people...)
		d, err := s.m.Decide(state.Triggered)
		require.NoError(t, err)
		names, why := d.Failed()
		assert.Equal(t, c.names, names)
		assert.Equal(t, c.why, why)
	}
}

// TestARefusalNamesEveryAttribute: all that fail at once, with counts and caps, and no value.
func TestARefusalNamesEveryAttribute(t *testing.T) {
	s := newSeveral(t, "pq", "xy")
	s.options.Policy.OnRefusal = state.StopRefused
	s.options.Policy.Promises = map[int]*promise.Promise{3: {AtMost: map[string]promise.Ratio{"x": ratioOf("0.2")}}}
	s.under("pq", "xy")
	s.apply("px", "px", "px", "qy")
	_, err := s.m.Cut(1, [32]byte{})
	var refused *plan.InfeasibleError
	require.ErrorAs(t, err, &refused)
	require.Len(t, refused.Failed, 2)
	assert.Equal(t, `the first pool cannot keep what is promised: 3 of 4 people have the same value of "a", and 1/2 may; `+
		`3 of 4 people have the same value of "b", and 0.2 may`, err.Error())
	s.options.Policy.Promises[3] = &promise.Promise{Most: ratioOf("1")}
	s.options.Policy.Promises[2] = &promise.Promise{Most: ratioOf("0.75")}
	s.under("pq", "xy")
	require.NotNil(t, s.cut(), "the same pool keeps less")
}

// TestLevelL1HasOneAttribute: and neither has a dataset with further tests several.
func TestLevelL1HasOneAttribute(t *testing.T) {
	p := policy(2, 2)
	_, err := incremental.Open(memstore.New(), incremental.Options{Schema: twoOf(t), Policy: p})
	require.ErrorContains(t, err, "need level L2")
	p.Level = state.L2
	p.Requirement.Extra = []equivclass.Principle{equivclass.DistinctL{L: 2}}
	_, err = incremental.Open(memstore.New(), incremental.Options{Schema: twoOf(t), Policy: p})
	require.ErrorContains(t, err, "one sensitive attribute")
	require.False(t, strings.Contains(err.Error(), "level L2"))
}

package incremental_test

import (
	"anond/incremental/state"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
)

// byHistogram is a MinPool for small streams: another published histogram asks for more.
func byHistogram(_ *play, published merge.Bag) (int, bool) { return 10 - 2*len(published), true }

// possibleBelowHalf is one that ends a stream as merge.MinPool does: where the top share
// reaches one half.
func possibleBelowHalf(_ *play, published merge.Bag) (int, bool) {
	return 2, 2*published.Max() < published.Total()
}

// asksFor asks for so many records.
func asksFor(n int) func(*play, merge.Bag) (int, bool) {
	return func(*play, merge.Bag) (int, bool) { return n, true }
}

// quarantines lets a refused first pool be quarantined.
func quarantines(p *state.Policy) { p.OnRefusal = state.QuarantineRefused }

// batches feeds records in batches and cuts after each, with a restart in between.
func batches(ends ...int) func(*play) {
	return func(p *play) {
		for i, end := range ends {
			p.feed(end)
			p.cut()
			if i%2 == 0 {
				p.open()
			}
		}
	}
}

// lowered is a first pool that is refused and asked for less, and a second pool.
func lowered(p *play) {
	p.feed(6)
	if p.cut(); p.m.Releases().Latest() == nil {
		p.change(3, 2)
		p.feed(7)
		p.cut()
	}
	p.feed(p.n)
	p.cut()
}

// onUpdate cuts when the machine says so.
func onUpdate(p *play) {
	p.feed(4)
	p.cut()
	for p.at < p.n {
		p.feed(p.at + 1)
		if p.m.Trigger().UpdateDue() {
			p.cut()
		}
	}
}

// slowing is a stream that slows down, so that fewer and fewer stay behind: cut decides on the slots to which few came.
func slowing(cut func(*play)) func(*play) {
	return func(p *play) {
		p.feed(4)
		p.cut()
		p.feed(12)
		p.cut()
		for _, end := range []int{13, 14} {
			p.feed(end)
			cut(p)
		}
		p.flush()
	}
}

// slowingRow has places for the fourteen of them.
func slowingRow(r int) equivclass.Row {
	return equivclass.Row{{'0' + byte(r*5%9)}, {'0' + byte(r*7%9)}, nil}
}

// slowingKnown are the values of the first pool.
var slowingKnown = []int{0, 1, 1, 0}

func slowingPolicy(p *state.Policy) { quarantines(p); p.MaxHold = 4 }

// inSlot is what the machine does in a slot.
func inSlot(p *play) {
	would, err := p.m.Outlook(state.Asked)
	p.must(err)
	if p.cut() == nil && would.Newcomers > 0 && p.m.Status().Pending.Quarantined == 0 {
		p.reached["newcomers are missing"] = true
	}
}

// firstOldest is a first pool of which some classes do not fit sub-pools of equal size: it
// has the oldest records, whatever their classes are.
func firstOldest(p *play) {
	p.feed(p.n)
	if p.cut() == nil {
		return
	}
	if waiting := p.waiting(); len(waiting) != 2 || waiting[0] != 8 {
		require.Equal(p.t, []int32{8, 9}, waiting)
	}
}

// overGrowth is a stream with another value from record 5 on; the hierarchy grows by it there.
func overGrowth(p *play) {
	p.feed(5)
	p.cut()
	p.options.Schema, p.options.Settings = p.schemas[1], settingsOf(2)
	p.open()
	p.feed(p.n)
	p.cut()
	p.cut()
}

// withTree is a schema whose sensitive attribute has a hierarchy of these values.
func withTree(t testing.TB, values string) *equivclass.Schema {
	t.Helper()
	return schemaOf(t, valueOf(t, values))
}

// withPeopleOf is the same with subjects.
func withPeopleOf(t testing.TB, values string) *equivclass.Schema {
	t.Helper()
	return schemaOf(t, valueOf(t, values), equivclass.Attribute{Name: "person", Role: equivclass.Subject})
}

func valueOf(t testing.TB, values string) equivclass.Attribute {
	t.Helper()
	var lines strings.Builder
	for _, v := range values {
		lines.WriteString(string(v) + ";*\n")
	}
	h, err := equivclass.ParseHierarchy("value", strings.NewReader(lines.String()))
	require.NoError(t, err)
	return equivclass.Attribute{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical, Hierarchy: h}
}

// schemaOf is a schema of two numbers and more.
func schemaOf(t testing.TB, more ...equivclass.Attribute) *equivclass.Schema {
	t.Helper()
	s, err := equivclass.NewSchema(append([]equivclass.Attribute{
		{Name: "x0", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "x1", Role: equivclass.Quasi, Type: equivclass.Integer},
	}, more...), equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// withPeople is a schema with subjects.
func withPeople(t testing.TB) *equivclass.Schema {
	t.Helper()
	return schemaOf(t, equivclass.Attribute{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		equivclass.Attribute{Name: "person", Role: equivclass.Subject})
}

// someTwice gives records 1 and 5 the persons of records 0 and 2.
func someTwice(r int) equivclass.Row {
	x := positions[r]
	return equivclass.Row{{'0' + byte(x[0])}, {'0' + byte(x[1])}, nil, {"aacdeccghij"[r]}}
}

// smallStreams are ordered by what they cost.
func smallStreams(t testing.TB) []*course {
	return []*course{
		{name: "two pools", n: 8, d: 2, k: 2, l: 2, play: batches(4, 8), policy: quarantines,
			reaches: []string{"second release", "quarantined"}},
		{name: "the reference of the first pool", n: 8, d: 2, k: 4, l: 2, need: asksFor(4), play: batches(8),
			policy: func(p *state.Policy) {
				p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: 0.3, Ground: equivclass.EqualGround{}}}
			}, reaches: []string{"refused"}},
		{name: "the remainder waits", n: 9, d: 2, k: 2, l: 2, play: batches(5, 9), policy: quarantines,
			reaches: []string{"second release", "quarantined"}},
		{name: "three pools, one quarantined", n: 10, d: 2, k: 2, l: 2, play: batches(4, 6, 10), policy: quarantines,
			reaches: []string{"second release", "quarantined", "choice"}},
		{name: "sub-pools and what does not fit", n: 10, d: 2, k: 2, l: 2, subPool: 2, play: firstOldest, reaches: []string{"choice"}},
		{name: "classes are held for their loss", n: 10, d: 2, k: 2, l: 2, need: asksFor(2), play: batches(4, 6, 8, 10),
			policy: func(p *state.Policy) { p.MaxHold = 6 }, reaches: []string{"second release", "quarantined"}},
		{name: "newcomers must have come", n: 14, d: 2, k: 2, l: 2, need: asksFor(2), share: 1, play: slowing(inSlot), policy: slowingPolicy,
			rows: slowingRow, known: slowingKnown, reaches: []string{"second release", "newcomers are missing"}},
		{name: "trigger update", n: 9, d: 2, k: 2, l: 2, need: asksFor(2), play: onUpdate,
			policy: func(p *state.Policy) { p.OnUpdate = true }, reaches: []string{"second release", "quarantined"}},
		{name: "the end of the source", n: 9, d: 2, k: 2, l: 2, need: asksFor(2), policy: func(p *state.Policy) { p.MaxHold = 60 },
			play: func(p *play) {
				p.feed(4)
				p.cut()
				p.feed(9)
				p.flush()
				p.open()
				p.flush()
			}, reaches: []string{"second release"}},
		{name: "one pool", n: 6, d: 3, k: 2, l: 2, play: batches(6), reaches: []string{"choice", "refused"}},
		{name: "another test of bags", n: 6, d: 3, k: 2, l: 2, play: batches(6), reaches: []string{"refused"},
			policy: func(p *state.Policy) { p.Requirement.Extra = []equivclass.Principle{equivclass.DistinctL{L: 3}} }},
		{name: "two of a person", n: 8, d: 2, k: 2, l: 2, schema: withPeople(t), rows: someTwice, play: batches(3, 5, 6, 8), need: asksFor(2),
			reaches: []string{"refused"}},
		{name: "a record with an invalid value", n: 6, d: 4, k: 2, l: 2, schema: withTree(t, "cab"), play: batches(4, 6), need: asksFor(2),
			policy: quarantines, reaches: []string{"second release", "dead letter"}},
		{name: "a value that becomes valid", n: 9, d: 3, k: 2, l: 2,
			schemas: [2]*equivclass.Schema{withPeopleOf(t, "ab"), withPeopleOf(t, "cba")},
			rows:    person,
			valid:   []int{2, 2, 2, 2, 2, 3, 3, 3, 3}, play: overGrowth, policy: quarantines, need: asksFor(2),
			reaches: []string{"second release", "quarantined"}},
		{name: "min_pool", n: 7, d: 3, k: 2, l: 2, play: batches(5, 6, 7), policy: func(p *state.Policy) { p.MinPool = 6 },
			reaches: []string{"choice"}},
		{name: "max_pool", n: 10, d: 3, k: 2, l: 2, known: []int{0, 0, 1, 1, 2, 2}, need: asksFor(100), play: batches(6, 8, 10),
			policy: func(p *state.Policy) { quarantines(p); p.MaxPool = 4 }, reaches: []string{"second release", "quarantined"}},
		// from here on more than 10,000 plays
		{name: "two pools of three classes, the first known", n: 12, d: 3, k: 2, l: 2, play: batches(6, 12), known: []int{0, 0, 1, 2, 1, 2},
			reaches: []string{"choice", "second release"}},
		{name: "sub-pools of three classes, the first known", n: 12, d: 3, k: 2, l: 2, subPool: 3, play: batches(12), rows: inPairs,
			known: []int{0, 0, 1, 2, 1, 2}, apart: true, reaches: []string{"choice"}},
		{name: "MinPool from published values", n: 8, d: 3, k: 2, l: 2, need: byHistogram, play: batches(4, 6, 8),
			reaches: []string{"second release", "quarantined"}},
		{name: "two pools of three values", n: 8, d: 3, k: 2, l: 2, play: batches(4, 8), policy: quarantines,
			reaches: []string{"second release", "quarantined"}},
		{name: "sub-pools", n: 8, d: 3, k: 2, l: 2, subPool: 2, play: batches(8), reaches: []string{"choice"}},
		{name: "no pool is possible", n: 8, d: 3, k: 2, l: 2, need: possibleBelowHalf, play: batches(6, 8), reaches: []string{"second release"}},
		{name: "classes of three", n: 9, d: 3, k: 3, l: 3, play: batches(9), reaches: []string{"refused"}},
		{name: "a lower l for the same pool", n: 9, d: 3, k: 3, l: 3, play: lowered, reaches: []string{"refused", "second release"}},
		{name: "one pool of four classes", n: 8, d: 3, k: 2, l: 2, play: batches(8), reaches: []string{"choice", "refused"}},
	}
}

// cheap is how many of them run in the plain tier.
const cheap = 5

// TestEveryWorldOfSmallStreams: in every world of small streams, with every outcome of the
// draws, the posterior of each value of each published record is its share in the record's
// bucket, exactly (Theorem E), for priors that are uniform, skewed and those of Polya's
// urn. The plays go through the machine itself: dictionaries in order of arrival, Apply,
// Cut, Merge, restarts. The transcript is more than anybody sees who keeps all releases: who
// shares a class, which classes share a bucket, in the order of their internal numbers;
// bags; every word of the status and of a refusal; what was refused, quarantined and when;
// and after each record whether a cut is due. Draws with equal keys are the same draw.
//
// What of the machine could look at values, and why it is blind:
//
//   - Dictionary codes end in pools/translate.go. The order of all texts known so far is that of
//     their bytes; a value that only waiting people have changes numbers and no order, and
//     Merge numbers the values of its bags anew. byCode breaks this.
//   - Class numbers: births are sorted by their oldest members before they are numbered.
//     Numbered by bucket they moved the moments of trigger `update`, because the index of
//     published classes breaks ties by them (TestAdultClassesIgnoreValues).
//   - UpdateDue and CutDue: positions, arrivals, counts, what the next pool needs. At level
//     L2 the plans of local updates are not used.
//   - What the next pool needs (MinPool): published values and the size of the first pool.
//   - Admission: loss, ages, the rate of arrivals since release 1, which is public.
//   - Whether newcomers are missing: how many have come, ages, that rate, and what the next pool needs.
//   - passOver does nothing at level L2.
//   - Status and refusals: counts, and of a refused first pool the top share, which is a
//     function of the pool's bag.
//   - A first pool asked again, with less or after a restart, is the same records: the
//     oldest, as many as fit, whatever their classes. Its tests are functions of its bag.
//   - A pool's test, the reference of t-closeness that the first pool fixes, and the
//     verifier's test of buckets are functions of bags of whole pools or buckets.
//   - Dead letters: whether a value is valid is told by the refusal, which everybody sees. A
//     refused record leaves nothing in a dictionary. Quasi-identifiers are judged first, so
//     readmission does not depend on the value.
//   - Repeats of a subject: by subject alone.
//   - A hierarchy that grows: a pool is of one version (candidates), so the test of epochs,
//     which looks at values, always passes.
//   - max_records counts records. A reload gives the same columns, classes and need. A
//     decision that is thrown away leaves nothing, and no key of draws is used for two pools
//     that are both published.
//
// Time is not in the transcript: how long Merge takes depends on bags.
func TestEveryWorldOfSmallStreams(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	all := smallStreams(t)
	for _, s := range all[:tier.Of(t, 5, cheap, len(all))] {
		t.Run(s.name, func(t *testing.T) { s.requireExact(t) })
	}
}

func (s *course) requireExact(t *testing.T) {
	v := s.enumerate(t)
	t.Log(v)
	assert.Positive(t, v.published)
	for i := range priors {
		assert.Equal(t, v.published, v.exact[i], "prior %d", i)
	}
	for _, what := range s.reaches {
		assert.Positive(t, v.reached[what], what)
	}
}

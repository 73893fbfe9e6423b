package incremental_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/retire"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/fault"
)

// turn is a stream in which settings change for those who come later. People 0 to 3 are the first pool; of 4 a record is refused for a
// quasi-identifier, so that nobody looked at its value; 5 waits, or is refused for a value that is not valid yet. After the change others
// come from 6 on; 4 comes again with a sound record if a is the second value, and 5 if b is (where there is one) or always.
type turn struct {
	before, after *equivclass.Schema
	key           string // of what changes
	// change is what the machine does when settings change; nil: what it should.
	change func(m *incremental.Machine)
}

// row is the record of a person.
func (x *turn) row(c *tuples, p *play, person int) (row equivclass.Row) {
	v := p.world[person]
	texts := map[string]string{"x0": fmt.Sprint(positions[person][0]), "x1": fmt.Sprint(positions[person][1]), "x2": fmt.Sprint(person % 3),
		"a": fmt.Sprint(c.a(v)), "b": fmt.Sprint(c.b(v)), "person": fmt.Sprint("p", person)}
	for _, of := range p.options.Schema.Attributes() {
		row = append(row, []byte(texts[of.Name]))
	}
	return row
}

func (x *turn) send(c *tuples, p *play, person int, row equivclass.Row) {
	offset, _ := p.m.Intake().Next(source)
	arrived, before := p.m.Arrived(), p.m.Status()
	o, err := ingest.Place(p.m, p.options.Schema, source, &ingest.Record{Offset: offset}, decode.Outcome{}, row, p.m.SubjectOf(row), false)
	p.must(err)
	now := p.m.Status()
	p.note(person, o, now.Beyond)
	if p.m.Arrived() > arrived {
		p.taken = append(p.taken, int32(person))
	} else if now.Beyond > before.Beyond {
		p.reached["beyond"] = true
	}
	require.Equal(p.t, now.Sent, now.Accounted())
}

// settings are options with a version of the settings, which the machine takes in as those of people who come later, unless it is broken.
func (x *turn) settings(of *eras, o incremental.Options, schema *equivclass.Schema, version byte) incremental.Options {
	o.Schema, o.Settings = schema, map[string][32]byte{"policy.level": {}, x.key: {version}}
	if o = of.under(o, version > 1); x.change != nil {
		o.Later[x.key] = state.Blind
	}
	o.Lapse = true
	return o
}

func (x *turn) play(c *tuples, p *play) {
	of := &eras{}
	p.options = x.settings(of, p.options, x.before, 1)
	p.open()
	for person := range 4 {
		x.send(c, p, person, x.row(c, p, person))
	}
	require.NotNil(p.t, p.cut())
	far := x.row(c, p, 4)
	far[0] = []byte("far")
	x.send(c, p, 4, far)
	x.send(c, p, 5, x.row(c, p, 5))
	p.must(p.m.Commit())

	p.options = x.settings(of, p.options, x.after, 2)
	if p.open(); x.change != nil {
		x.change(p.m)
	}
	p.must(p.m.Commit())
	if x.change == nil {
		p.open()
		require.Zero(p.t, p.m.Status().Pending.Total(), "nobody of those who came before waits")
	}
	x.send(c, p, 6, x.row(c, p, 6))
	if c.a(p.world[4]) == 1 {
		x.send(c, p, 4, x.row(c, p, 4))
	}
	x.send(c, p, 7, x.row(c, p, 7))
	if c.values[1] == 1 || c.b(p.world[5]) == 1 {
		x.send(c, p, 5, x.row(c, p, 5))
	}
	for person := 8; person < p.n; person++ {
		x.send(c, p, person, x.row(c, p, person))
	}
	p.cut()
	if x.change == nil {
		p.open()
	}
	p.cut()
	if x.change == nil {
		require.Empty(p.t, p.m.CheckInvariants())
	}
}

// shown notes the bags that a release shows of a bucket.
func (x *turn) shown(p *play, b share) {
	v := p.m.Releases().All()
	for _, i := range v.Schema.Sensitive() {
		var bag []string
		for _, class := range b.classes {
			for _, r := range class {
				bag = append(bag, v.Dictionaries[i].Text(v.Column(i).At(int(r))))
			}
		}
		slices.Sort(bag)
		p.note(bag)
	}
}

// course has people with so many values of a and b: valid are how many 4 and 5 may have, newcomers how many come later, with any.
func (x *turn) course(a, b, newcomers int, valid ...int) *tuples {
	for range newcomers {
		valid = append(valid, a*b)
	}
	c := tuplesOf(course{n: 6 + newcomers, schema: x.before, policy: quarantines, need: asksFor(2),
		reaches: []string{"second release", "beyond"},
		known:   []int{0, 1, 0, 1}, valid: append([]int{0, 0, 0, 0}, valid...), shows: x.shown}, a, b)
	c.course.play = func(p *play) { x.play(c, p) }
	return c
}

// number is a whole number, and interval one that is sensitive and has so many intervals.
func number(name string) equivclass.Attribute {
	return equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Integer}
}

func interval(name string, n int, plausible *equivclass.Range) equivclass.Attribute {
	out := equivclass.Attribute{Name: name, Role: equivclass.Sensitive, Type: equivclass.Integer, Range: plausible}
	for i := range n {
		out.Buckets = append(out.Buckets, int64(i))
	}
	return out
}

// text is a sensitive text.
func text(name string) equivclass.Attribute {
	return equivclass.Attribute{Name: name, Role: equivclass.Sensitive, Type: equivclass.Categorical}
}

func peopleWith(t testing.TB, attributes ...equivclass.Attribute) *equivclass.Schema {
	t.Helper()
	attributes = append(attributes, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
	s, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// further is a schema with attributes behind those of another one.
func further(t testing.TB, s *equivclass.Schema, more ...equivclass.Attribute) *equivclass.Schema {
	t.Helper()
	out, err := equivclass.NewSchema(append(slices.Clone(s.Attributes()), more...), s.Missing())
	require.NoError(t, err)
	return out
}

// turns are changes of settings for those who come later, with the courses in which they happen.
func turns(t testing.TB, change func(*incremental.Machine)) map[string]*tuples {
	person := peopleWith(t, number("x0"), number("x1"), text("a"))
	widened := &turn{change: change, key: "schema.attributes[a].range",
		before: peopleWith(t, number("x0"), number("x1"), interval("a", 3, &equivclass.Range{Hi: 1})),
		after:  peopleWith(t, number("x0"), number("x1"), interval("a", 3, nil))}
	quasi := &turn{change: change, key: "schema.attributes", before: person, after: further(t, person, number("x2"))}
	sensitive := &turn{change: change, key: "schema.attributes", before: person, after: further(t, person, text("b"))}
	values, waits, come := tier.Of(t, 2, 2, 3), 1, 4
	if change != nil {
		values, waits, come = 2, 4, 3
	}
	out := map[string]*tuples{
		"a value becomes valid":          widened.course(3, 1, tier.Of(t, 2, 2, 4), 2, 3),
		"a quasi-identifier is added":    quasi.course(2, 1, 4, 2, 2),
		"a sensitive attribute is added": sensitive.course(values, 2, come, 1, waits),
	}
	if waits == 1 { // nobody comes again
		out["a sensitive attribute is added"].reaches = []string{"second release"}
	}
	return out
}

// TestNewcomers: in every world of streams in which settings change for those who come later, with every outcome of the draws, the
// posterior of each value of each published person is its share in the bucket, exactly: whoever came before, with a record or without, is
// in no pool with those who come after.
func TestNewcomers(t *testing.T) {
	t.Parallel()
	for name, c := range turns(t, nil) {
		t.Run(name, func(t *testing.T) { c.requireExact(t) })
	}
}

// TestBrokenNewcomers: the same enumeration finds people of whom all is known where those who can be encoded join newcomers while the
// others are set aside, where people get the attribute that is added while they wait, and where somebody who was refused before comes
// again as a newcomer.
func TestBrokenNewcomers(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, where string
		change      func(*incremental.Machine)
	}{
		{"those who can be encoded join newcomers", "a value becomes valid", (*incremental.Machine).CloseToSeen},
		{"those who wait lack an attribute of newcomers", "a sensitive attribute is added", (*incremental.Machine).CloseToSeen},
		{"those who wait get the attribute", "a sensitive attribute is added",
			func(m *incremental.Machine) {
				m.LapseAll()
				m.CloseToSeen()
				m.SecondStart()
			}},
		{"who was refused comes again", "a quasi-identifier is added", (*incremental.Machine).LapseAll},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := turns(t, x.change)[x.where].enumerate(t)
			t.Log(f)
			worst := new(big.Rat)
			for j := range f.worst {
				if f.worst[j][0].Cmp(worst) > 0 {
					worst = f.worst[j][0]
				}
			}
			assert.Less(t, slices.Min([]int{f.exact[0][0], f.exact[1][0]}), f.published)
			assert.Equal(t, big.NewRat(1, 1), worst)
		})
	}
}

// changing is a stream whose settings change for those who come later.
type changing struct {
	*poolFeed
	eras   eras
	people int
	column bool // records have another attribute
}

func newChanging(t *testing.T, change ...func(*state.Policy)) *changing {
	f := &changing{poolFeed: &poolFeed{t: t, store: memstore.New()}}
	p := bucketPolicy(4, 2)
	for _, change := range change {
		change(&p)
	}
	f.options = f.eras.under(incremental.Options{Schema: newSchema(t, true), Policy: p, Seed: [32]byte{1}, Seeded: true,
		Settings: map[string][32]byte{"policy.level": {}, "schema.attributes": {1}}}, false)
	f.open()
	return f
}

// row is the record of a person.
func (f *changing) row(n int) equivclass.Row {
	row := append(zoned(n, string(byte('a'+n%6))), []byte(strconv.Itoa(n)))
	if f.column {
		row = append(row, []byte(strconv.Itoa(n%7)))
	}
	return row
}

// come applies the records of so many people.
func (f *changing) come(n int) {
	f.t.Helper()
	for range n {
		require.NoError(f.t, f.m.Stamp(source, 0))
		f.apply([]equivclass.Row{f.row(f.people)})
		f.people++
	}
}

// send places one record as a host does.
func (f *changing) send(row equivclass.Row) {
	f.t.Helper()
	_, err := ingest.Place(f.m, f.options.Schema, source, &ingest.Record{Offset: f.offset}, decode.Outcome{}, row, f.m.SubjectOf(row), false)
	require.NoError(f.t, err)
	f.offset++
	require.NoError(f.t, f.m.Commit())
}

// widen adds a quasi-identifier.
func (f *changing) widen(lapse bool) error {
	f.t.Helper()
	next := f.options
	next.Schema, next.Lapse = further(f.t, next.Schema, number("rooms")), lapse
	next.Settings = map[string][32]byte{"policy.level": {}, "schema.attributes": {2}, "schema.attributes[rooms].role": {}}
	next = f.eras.under(next, true)
	m, err := incremental.Open(f.store, next)
	if err != nil {
		f.open()
		return err
	}
	require.NoError(f.t, m.Commit())
	f.options, f.column = next, true
	f.open()
	return nil
}

// TestSettingsOfNewcomersWaitForPools: settings for those who come later do not change before the first pool is decided, nor while those
// who wait are enough for a pool; a cut at the end of the source publishes these. Whoever is left lapses.
func TestSettingsOfNewcomersWaitForPools(t *testing.T) {
	f := newChanging(t)
	f.come(400)
	var before *incremental.SettingsError
	require.ErrorAs(t, f.widen(true), &before)
	require.False(t, before.Released, "the first pool is not decided")
	require.NotNil(t, f.cut())
	f.come(1003)
	err := f.widen(false)
	kind, hint := fault.Of(err)
	require.Equal(t, fault.Config, kind)
	require.Contains(t, hint, "anond run --once")
	require.Regexp(t, `\d+ people who wait, [1-9]\d+ of them enough for a pool`, err)

	flushed, err := f.m.Flush(2, [32]byte{})
	require.NoError(t, err)
	require.NoError(t, f.m.Published(flushed.Release, [32]byte{1}))
	left := f.m.Status().Pending.Waiting
	require.Positive(t, left)
	require.ErrorContains(t, f.widen(false), fmt.Sprint(left, " people who wait, 0 of them enough for a pool, and 0 whose windows are open"))
	require.NoError(t, f.widen(true))
	s := f.m.Status()
	require.Equal(t, left, s.Lapsed)
	require.Zero(t, s.Pending.Total())
	require.Equal(t, s.Sent, s.Accounted())

	f.come(1000)
	f.send(f.row(1)) // of somebody who was published, or lapsed
	intent := f.cut()
	require.NotNil(t, intent)
	v, err := f.m.Releases().Change(intent.Release)
	require.NoError(t, err)
	for _, c := range v.Classes {
		require.False(t, v.Lacks(5, int(c.Members[0])))
	}
	require.Len(t, v.Scale, 4, "what numbers of the new column are measured by is fixed with its first pool")
	f.open()
	require.Empty(t, f.m.CheckInvariants())
	require.Equal(t, v.Scale, f.m.Releases().All().Scale)
}

// TestWhoseMessagesBroughtNoRecord: a state knows them, also after a restart. They may come with a sound record while settings stay, and
// not after these have changed for those who come later.
func TestWhoseMessagesBroughtNoRecord(t *testing.T) {
	f := newChanging(t)
	far := func(n int) equivclass.Row {
		row := f.row(n)
		row[0] = []byte("far")
		return row
	}
	f.come(400)
	require.NotNil(t, f.cut())
	digests := f.m.Digests()
	f.send(far(1000))
	f.send(far(1001))
	f.send(far(1)) // of whom there is a record
	require.Equal(t, digests, f.m.Digests())
	f.open()
	f.send(f.row(1000))
	require.Equal(t, 401, f.m.Arrived(), "settings have not changed")
	require.NoError(t, f.widen(true))
	require.Equal(t, digests+3, f.m.Digests(), "1000, who has lapsed, and both who were seen")
	beyond := f.m.Status().Beyond
	f.send(f.row(1001))
	f.send(f.row(1000))
	require.Equal(t, beyond+2, f.m.Status().Beyond)
	require.Equal(t, 401, f.m.Arrived())
	f.send(far(2000))
	f.send(f.row(2000))
	require.Equal(t, 402, f.m.Arrived(), "who comes after the change")
	s := f.m.Status()
	require.Equal(t, s.Sent, s.Accounted())
}

// TestSeenPeopleAreBounded: state.max_records bounds them together with the records.
func TestSeenPeopleAreBounded(t *testing.T) {
	f := newChanging(t, func(p *state.Policy) { p.MaxRecords = 5 })
	f.come(2)
	for n := range 3 {
		row := f.row(1000 + n)
		row[0] = []byte("far")
		f.send(row)
	}
	row := f.row(2000)
	require.ErrorIs(t, f.m.See(f.m.SubjectOf(row)), incremental.ErrStateFull)
	require.NoError(t, f.m.See(f.m.SubjectOf(f.row(1000))), "who is known takes no more room")
}

// TestPeopleOfFewerColumnsLeave: people are forgotten, and leave with their parts, whose records have fewer columns than later ones.
func TestPeopleOfFewerColumnsLeave(t *testing.T) {
	window, err := retire.Parse("2")
	require.NoError(t, err)
	f := newChanging(t, func(p *state.Policy) { p.Window = window })
	f.come(400)
	require.NotNil(t, f.cut())
	f.come(3)
	require.NoError(t, f.widen(true))
	forget := func(people ...int) {
		t.Helper()
		var asked []state.Digest
		for _, n := range people {
			d, _ := f.m.Forgetting().DigestOf([]byte(strconv.Itoa(n)))
			asked = append(asked, d)
		}
		e, err := f.m.Forget(asked)
		require.NoError(t, err)
		f.store = f.store.Forget(e)
		f.open()
		require.Empty(t, f.m.CheckInvariants())
	}
	forget(7, 401) // one who is published, and one who has lapsed, before anybody has the new column
	f.come(1000)
	require.NotNil(t, f.cut())
	forget(8, 402, 1000)
	for range 2 {
		f.come(1000)
		require.NotNil(t, f.cut())
	}
	require.NoError(t, f.store.Remove(f.m.Removal()))
	f.open()
	require.Empty(t, f.m.CheckInvariants())
	require.Less(t, f.m.Arrived(), 3403)
	s := f.m.Status()
	require.Equal(t, s.Sent, s.Accounted())
	f.send(f.row(9)) // who has left
	require.Equal(t, s.Beyond+1, f.m.Status().Beyond)
	f.come(1000)
	require.NotNil(t, f.cut())
}

// TestPeopleWhoComeLaterSettle: where people settle from a change on, whose windows are open lapse at the next one, and those who came
// before the first change are of no stratum.
func TestPeopleWhoComeLaterSettle(t *testing.T) {
	f := newChanging(t)
	f.come(400)
	require.NotNil(t, f.cut())
	turn := func(rule settle.Rule, version byte) error {
		next := f.options
		next.Policy.Settle, next.Lapse = rule, version < 9
		next.Settings = map[string][32]byte{"policy.level": {}, "schema.attributes": {1}, "subject.settle": {version}}
		next = f.eras.under(next, true)
		m, err := incremental.Open(f.store, next)
		if err == nil {
			require.NoError(t, m.Commit())
			f.options = next
		}
		f.open()
		return err
	}
	require.NoError(t, turn(settle.Rule{Records: 50, Max: 2}, 2))
	for range 40 { // everybody comes twice
		f.come(20)
		f.people -= 20
		f.come(20)
	}
	intent := f.cut()
	require.NotNil(t, intent)
	open := f.m.Status().Pending.Settling
	require.Positive(t, open)
	require.ErrorContains(t, turn(settle.Rule{Records: 60, Max: 2}, 9), "whose windows are open")
	require.ErrorContains(t, turn(settle.Rule{Records: 50}, 3), "histories may only become longer")
	before := f.m.Status()
	require.NoError(t, turn(settle.Rule{Records: 90, Max: 3}, 4))
	s := f.m.Status()
	require.Zero(t, s.Pending.Total())
	require.Equal(t, before.Beyond+before.Pending.Total(), s.Beyond)
	require.Equal(t, s.Sent, s.Accounted())
	v := f.m.Releases().All()
	require.Empty(t, v.StratumOf(399))
	require.NotEmpty(t, v.StratumOf(state.RecordID(v.Len()-1)))
	f.come(1500)
	require.NotNil(t, f.cut())
	f.open()
	require.Empty(t, f.m.CheckInvariants())
}

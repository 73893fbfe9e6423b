package incremental_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/decode"
)

// turn is a stream in which settings change for those who come later. People 0 to 3 are the first pool; of 4 a record is refused for a
// quasi-identifier, so that nobody looked at its value; 5 waits, or is refused for a value that is not valid yet. After the change others
// come from 6 on; 4 comes again with a sound record if a is the second value, and 5 if b is (where there is one) or always.
type turn struct {
	before, after *equivclass.Schema
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

func (x *turn) play(c *tuples, p *play) {
	for person := range 4 {
		x.send(c, p, person, x.row(c, p, person))
	}
	require.NotNil(p.t, p.cut())
	far := x.row(c, p, 4)
	far[0] = []byte("far")
	x.send(c, p, 4, far)
	x.send(c, p, 5, x.row(c, p, 5))
	p.must(p.m.Commit())

	before := p.options
	p.options.Schema = x.after
	p.open()
	if x.change == nil {
		p.must(p.m.Newcomers(before))
	} else {
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
	c := tuplesOf(course{n: 6 + newcomers, schema: x.before, policy: quarantines, need: asksFor(2), reaches: []string{"second release", "beyond"},
		known: []int{0, 1, 0, 1}, valid: append([]int{0, 0, 0, 0}, valid...), shows: x.shown}, a, b)
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
	s, err := equivclass.NewSchema(append(attributes, equivclass.Attribute{Name: "person", Role: equivclass.Subject}), equivclass.RefuseMissing)
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
	widened := &turn{change: change, before: peopleWith(t, number("x0"), number("x1"), interval("a", 3, &equivclass.Range{Hi: 1})),
		after: peopleWith(t, number("x0"), number("x1"), interval("a", 3, nil))}
	quasi := &turn{change: change, before: person, after: further(t, person, number("x2"))}
	sensitive := &turn{change: change, before: person, after: further(t, person, text("b"))}
	return map[string]*tuples{
		"a value becomes valid":          widened.course(3, 1, tier.Of(t, 2, 2, 4), 2, 3),
		"a quasi-identifier is added":    quasi.course(2, 1, 4, 2, 2),
		"a sensitive attribute is added": sensitive.course(2, 2, tier.Of(t, 3, 3, 4), 1, 4),
	}
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

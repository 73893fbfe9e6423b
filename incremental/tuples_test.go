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
	"anond/equivclass/promise"
	"anond/incremental"
	"anond/incremental/state"
)

// Streams of people with two sensitive attributes, a and b: Theorem T through the machine itself. A value of a course
// is a tuple, v = a + values of a x b.

// side is a view of the tuple: an attribute, or the whole of it.
type side struct {
	name   string
	values int
	of     func(v int) int
}

// tuples is a course of which every view of the tuple is looked at.
type tuples struct {
	course
	values     [2]int
	sides      []side // whose posteriors have to be the shares of the buckets; nil: both attributes
	suppresses bool   // the tuples of a bucket are published unless they would make b certain for who knows a
}

func (x *tuples) a(v int) int { return v % x.values[0] }
func (x *tuples) b(v int) int { return v / x.values[0] }

// tuplesOf are records of so many people with attributes of so many values.
func tuplesOf(s course, values ...int) *tuples {
	x := &tuples{course: s, values: [2]int{values[0], values[1]}}
	x.d = values[0] * values[1]
	if x.k == 0 {
		x.k, x.l = 2, 2
	}
	if x.fill == nil {
		x.fill = func(p *play, v int) equivclass.Row {
			return equivclass.Row{{p.name(x.a(v))}, {'a' + byte(x.b(v))}}
		}
	}
	if x.shows == nil {
		x.shows = func(p *play, b share) { p.note(p.bagOf(b.members, x.sideA()), p.bagOf(b.members, x.sideB())) }
	}
	x.sides = []side{x.sideA(), x.sideB()}
	return x
}

func (x *tuples) sideA() side { return side{"a", x.values[0], x.a} }
func (x *tuples) sideB() side { return side{"b", x.values[1], x.b} }
func (x *tuples) pair() side  { return side{"tuple", x.d, func(v int) int { return v }} }

// bagOf counts the values of a view.
func (p *play) bagOf(records []int32, s side) []uint32 {
	out := make([]uint32, s.values)
	for _, r := range records {
		out[s.of(p.world[r])]++
	}
	return out
}

// twoOf is a schema with two sensitive attributes.
func twoOf(t testing.TB, attributes ...equivclass.Attribute) *equivclass.Schema {
	t.Helper()
	as := []equivclass.Attribute{{Name: "x0", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "x1", Role: equivclass.Quasi, Type: equivclass.Integer}}
	for _, name := range []string{"a", "b"} {
		as = append(as, equivclass.Attribute{Name: name, Role: equivclass.Sensitive, Type: equivclass.Categorical})
	}
	if attributes != nil {
		as = append(as[:2], attributes...)
	}
	s, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// tuplePriors are weights of worlds that are the same for all orders of the tuples: uniform; both attributes drawn alone, some
// values more often; b follows from a in six of seven cases; Polya's urn.
func (x *tuples) priors() []func(world []int) uint64 {
	of := func(weight func(a, b int) uint64) func([]int) uint64 {
		return func(world []int) uint64 {
			w := uint64(1)
			for _, v := range world {
				w *= weight(x.a(v), x.b(v))
			}
			return w
		}
	}
	return []func([]int) uint64{
		of(func(int, int) uint64 { return 1 }),
		of(func(a, b int) uint64 { return []uint64{5, 2, 1, 1}[a] * []uint64{2, 1, 1}[b] }),
		of(func(a, b int) uint64 {
			switch {
			case a == 2:
				return 7
			case a%x.values[1] == b:
				return 12
			}
			return 2
		}),
		func(world []int) uint64 {
			w, seen := uint64(1), [9]uint64{2, 1, 1, 1, 1, 1, 1, 1, 1}
			for _, v := range world {
				w *= seen[v]
				seen[v]++
			}
			return w
		},
	}
}

// dossier is what is known of the tuples after one transcript: the weight of all worlds that give it, and for each record and view the
// weight of those where the record has a value.
type dossier struct {
	all     []uint64
	record  [][][]uint64 // by prior, view; by record and value
	buckets []share
	counts  [][][]uint32 // by bucket, view and value
}

// found says how posteriors compare with the shares of the buckets, by view.
type found struct {
	runs, published, choice int
	exact                   [][]int      // by view and prior
	worst                   [][]*big.Rat // likewise
	given                   []*big.Rat   // of b for who has a, by prior, where no tuples are published
	reached                 map[string]int
}

func (f *found) String() string {
	return fmt.Sprintf("%d runs, %v of %d exact (view; uniform, product, correlated, polya), highest posteriors %v, of b given a %v, "+
		"transcripts with a choice %d, %v", f.runs, f.exact, f.published, f.worst, f.given, f.choice, f.reached)
}

// enumerate plays all worlds of a stream with all outcomes of its draws.
func (x *tuples) enumerate(t testing.TB) *found {
	if x.schema == nil {
		x.schema = twoOf(t)
	}
	priors, known := x.priors(), map[string]*dossier{}
	out := &found{exact: make([][]int, len(x.sides)), worst: make([][]*big.Rat, len(x.sides)), reached: map[string]int{}}
	for i := range x.sides {
		out.exact[i] = make([]int, len(priors))
		for range priors {
			out.worst[i] = append(out.worst[i], new(big.Rat))
		}
	}
	for range priors {
		out.given = append(out.given, new(big.Rat))
	}
	x.eachWorld(func(world []int) {
		weights := make([]uint64, len(priors))
		for i, weight := range priors {
			weights[i] = weight(world)
		}
		eachDraw(func(draws *script) {
			p := x.start(t, world, draws)
			x.play(p)
			out.runs++
			x.learn(p, known, weights, out)
		})
	})
	for _, d := range known {
		x.judge(d, out)
		x.judgeGiven(d, out)
	}
	return out
}

func (x *tuples) learn(p *play, known map[string]*dossier, weights []uint64, out *found) {
	d := known[string(p.seen)]
	if d == nil {
		d = &dossier{all: make([]uint64, len(weights)), record: make([][][]uint64, len(weights))}
		for i := range weights {
			d.record[i] = make([][]uint64, len(x.sides))
			for j, s := range x.sides {
				d.record[i][j] = make([]uint64, x.n*s.values)
			}
		}
		if i := p.m.Releases().Latest(); i != nil {
			v, err := p.m.Releases().View(i.Release)
			p.must(err)
			d.buckets = p.buckets(v)
		}
		choice := 0
		for _, b := range d.buckets {
			var counts [][]uint32
			for _, s := range x.sides {
				counts = append(counts, p.bagOf(b.members, s))
			}
			d.counts = append(d.counts, counts)
			if len(b.classes) > 1 && len(d.buckets) > 1 {
				choice = 1
			}
		}
		for what := range p.reached {
			out.reached[what]++
		}
		out.choice += choice
		known[string(p.seen)] = d
	}
	for i, weight := range weights {
		w := weight * p.draws.probability()
		d.all[i] += w
		for j, s := range x.sides {
			for r, v := range p.world {
				d.record[i][j][r*s.values+s.of(v)] += w
			}
		}
	}
}

// judge compares in rationals.
func (x *tuples) judge(d *dossier, out *found) {
	for i, b := range d.buckets {
		for _, r := range b.members {
			if x.knows(int(r)) >= 0 {
				continue
			}
			out.published++
			for j, s := range x.sides {
				left, size := slices.Clone(d.counts[i][j]), len(b.members)
				for _, o := range b.members {
					if v := x.knows(int(o)); v >= 0 {
						left[s.of(v)]--
						size--
					}
				}
				for p := range d.all {
					exact := true
					for v, n := range left {
						posterior := rational(d.record[p][j][int(r)*s.values+v], d.all[p])
						exact = exact && posterior.Cmp(big.NewRat(int64(n), int64(size))) == 0
						if size == len(b.members) && posterior.Cmp(out.worst[j][p]) > 0 {
							out.worst[j][p] = posterior
						}
					}
					if exact {
						out.exact[j][p]++
					}
				}
			}
		}
	}
}

// judgeGiven looks for the highest posterior of b for somebody whose a is known, in buckets that withhold their tuples.
func (x *tuples) judgeGiven(d *dossier, out *found) {
	if len(x.sides) < 3 {
		return
	}
	for _, b := range d.buckets {
		if x.tells(b, d) {
			continue
		}
		for _, r := range b.members {
			if x.knows(int(r)) >= 0 {
				continue
			}
			for v := range x.d {
				for p := range d.all {
					own := d.record[p][0][int(r)*x.values[0]+x.a(v)]
					if own == 0 {
						continue
					}
					if posterior := rational(d.record[p][2][int(r)*x.d+v], own); posterior.Cmp(out.given[p]) > 0 {
						out.given[p] = posterior
					}
				}
			}
		}
	}
}

// tells reports whether the tuples of a bucket are published by the rule of the course.
func (x *tuples) tells(b share, d *dossier) bool {
	return x.suppresses && !x.certain(d.counts[slices.IndexFunc(d.buckets, func(o share) bool { return o.id == b.id })][2])
}

// certain reports whether who knows a of somebody in a bucket knows b.
func (x *tuples) certain(counts []uint32) bool {
	for a := range x.values[0] {
		has := 0
		for v, n := range counts {
			if n > 0 && x.a(v) == a {
				has++
			}
		}
		if has == 1 {
			return true
		}
	}
	return false
}

// requireExact: the posterior of each value of each view is its share.
func (x *tuples) requireExact(t *testing.T) *found {
	f := x.enumerate(t)
	t.Log(f)
	assert.Positive(t, f.published)
	for j, s := range x.sides {
		for p := range x.priors() {
			assert.Equal(t, f.published, f.exact[j][p], "%s, prior %d", s.name, p)
		}
	}
	for _, what := range x.reaches {
		assert.Positive(t, f.reached[what], what)
	}
	return f
}

// promised gives attributes a and b of a policy promises of their own.
func promised(of ...*promise.Promise) func(*state.Policy) {
	return func(p *state.Policy) {
		p.OnRefusal, p.Promises = state.QuarantineRefused, map[int]*promise.Promise{}
		for i, one := range of {
			if one != nil {
				p.Promises[2+i] = one
			}
		}
	}
}

func ratioOf(text string) promise.Ratio {
	r, err := promise.Parse(text)
	if err != nil {
		panic(err)
	}
	return r
}

// gained is a promise of odds against the pool's own, and an upper end.
func gained(gain, most string) *promise.Promise {
	return &promise.Promise{Gain: ratioOf(gain), Most: ratioOf(most)}
}

func once(p *play) {
	p.feed(p.n)
	p.cut()
}

// abbcTuples are the tuples of a first pool that the adversary knows, where there are 3 x 2 of them.
var abbcTuples = []int{0, 4, 2, 4}

// stream is a known first pool of four people, and two more pools.
func stream(p *play) {
	p.feed(4)
	p.cut()
	p.feed(6)
	p.cut()
	p.open()
	p.feed(8)
	p.cut()
}

// later is a stream of which the first pool is known, so that the worlds of the others alone have to be counted.
func later(c course) course {
	c.n, c.known = 8, abbcTuples
	if c.need == nil {
		c.need = asksFor(2)
	}
	if c.play == nil {
		c.play = stream
	}
	return c
}

// tupleStreams are those for which Theorem T says that the posterior is the share. The names are those of the proof's cases.
func tupleStreams(t testing.TB) []*tuples {
	both := func(x *tuples) *tuples { // tuples of each bucket are published
		x.sides = append(x.sides, x.pair())
		x.shows = func(p *play, b share) { p.note(p.bagOf(b.members, x.pair())) }
		return x
	}
	missing := tuplesOf(later(course{name: "a missing value of a is open",
		policy: promised(&promise.Promise{L: 2, Open: true}, promise.Frequency(2)), need: asksFor(4), play: batches(4, 8),
		reaches: []string{"second release"},
		schema: twoOf(t,
			equivclass.Attribute{Name: "a", Role: equivclass.Sensitive, Type: equivclass.Categorical, Missing: equivclass.OpenMissing},
			equivclass.Attribute{Name: "b", Role: equivclass.Sensitive, Type: equivclass.Categorical})}), 3, 2)
	missing.known = []int{0, 4, 2, 5}
	missing.fill = func(_ *play, v int) equivclass.Row {
		row := equivclass.Row{{'a' + byte(missing.a(v))}, {'a' + byte(missing.b(v))}}
		if missing.a(v) == 2 {
			row[0] = nil
		}
		return row
	}
	again := tuplesOf(course{name: "a refused first pool is asked for less of b", n: 6, play: asksLess}, 3, 2)
	again.policy = func(p *state.Policy) {
		promised(promise.Frequency(2), promise.Frequency(2))(p)
		p.OnRefusal = state.StopRefused
	}
	again.n, again.reaches = 4, []string{"refused", "asked for less"}
	return []*tuples{
		tuplesOf(later(course{name: "bags of both in a stream", policy: promised(nil, nil),
			reaches: []string{"second release", "quarantined"}}), 3, 2),
		both(tuplesOf(later(course{name: "tuples of each bucket", policy: promised(nil, nil), reaches: []string{"second release"}}), 3, 2)),
		tuplesOf(later(course{name: "a table of tuples for each pool", policy: promised(nil, nil), reaches: []string{"second release"},
			play: tabled}), 3, 2),
		tuplesOf(later(course{name: "odds against each pool's own, and an upper end",
			policy: promised(promise.Frequency(2), gained("2", "0.75")), need: asksFor(4), play: batches(4, 8),
			reaches: []string{"second release"}}), 3, 2),
		tuplesOf(later(course{name: "odds against a declared reference", policy: promised(promise.Frequency(2),
			&promise.Promise{Gain: ratioOf("3"), Reference: map[string]int64{"a": 1, "b": 1}}), need: asksFor(4), play: batches(4, 8),
			reaches: []string{"second release"}}), 3, 2),
		missing, again, numbers(t),
		tuplesOf(later(course{name: "a stop in Merge", policy: promised(nil, nil), play: func(p *play) {
			p.feed(4)
			p.cut()
			p.feed(6)
			p.stopsInMerge()
			p.feed(8)
			p.cut()
			p.cut()
		}, reaches: []string{"stopped in Merge", "second release"}}), 3, 2),
		tuplesOf(course{name: "one pool", n: 6, play: once, policy: promised(nil, nil)}, 3, 2),
		tuplesOf(course{name: "two sub-pools", n: 8, play: once, policy: promised(nil, nil), subPool: 2}, 2, 2),
	}
}

// tabled publishes how often each tuple occurs in each pool that is published.
func tabled(p *play) {
	before := 0
	for _, end := range []int{4, 6, 8} {
		p.feed(end)
		if p.cut() != nil {
			table := make([]uint32, p.d)
			for _, v := range p.world[before:end] {
				table[v]++
			}
			p.note("table", table)
		}
		before = end
	}
}

// asksLess opens a refused first pool again, with nothing promised of b.
func asksLess(p *play) {
	p.feed(p.n)
	if p.cut(); p.m.Releases().Latest() != nil {
		return
	}
	p.options.Policy.Promises = map[int]*promise.Promise{2: promise.Frequency(2), 3: {Most: ratioOf("1")}}
	p.open()
	if p.cut() != nil {
		p.reached["asked for less"] = true
	}
}

// numbers are exact ones, of which Merge sees the intervals 0, 1, and 2 to 3.
func numbers(t testing.TB) *tuples {
	x := tuplesOf(course{name: "exact numbers under intervals", n: 6, play: once, schema: twoOf(t, equivclass.Attribute{Name: "a",
		Role: equivclass.Sensitive, Type: equivclass.Integer, Buckets: []int64{0, 1, 2}, Exact: true})}, 4, 1)
	x.fill = func(_ *play, v int) equivclass.Row { return equivclass.Row{{'0' + byte(v)}} }
	return x
}

// cheapTuples is how many of them run in the plain tier.
const cheapTuples = 9

// TestEveryWorldOfTuples: in every world of small streams of people with two attributes, with every outcome of the draws, the
// posterior of each value of each attribute of each published person is its share in the bucket, exactly (Theorem T), whatever the
// attributes have to do with each other. The plays go through the machine itself, as in TestEveryWorldOfSmallStreams.
func TestEveryWorldOfTuples(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	all := tupleStreams(t)
	for _, x := range all[:tier.Of(t, 0, cheapTuples, len(all))] {
		t.Run(x.name, func(t *testing.T) { x.requireExact(t) })
	}
}

// unshown publishes a without b.
func unshown(x *tuples) *tuples {
	x.shows = func(p *play, b share) { p.note(p.bagOf(b.members, x.sideA())) }
	return x
}

// nothingOfB promises l = 2 of a, and nothing of b.
func nothingOfB(p *state.Policy) {
	promised(promise.Frequency(2), &promise.Promise{Most: ratioOf("1")})(p)
}

// TestBrokenTuples: what the enumeration says of machines that break a condition of Theorem T.
//
//	what is broken                                                    what is told
//	a refused pool is published without its ineligible attribute      of b more than of people of whom only a is published
//	b is withheld in the buckets where it is ineligible               likewise
//	tuples are withheld where they would make b certain               of b given a more than where they never are published
//	both attributes are one field, of which l is promised             a for certain
//	equal intervals are in the order of their classes                 exact numbers
//	values are named in the order of first appearance                 both attributes
//	a decision is drawn again if two classes are together             both attributes
//	a pool that was stopped is planned anew, with newcomers           both attributes
func TestBrokenTuples(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	const product, b = 1, 1
	alone := unshown(tuplesOf(course{n: 4, play: once, policy: nothingOfB}, 3, 2)).enumerate(t)
	require.Equal(t, big.NewRat(2, 3), alone.worst[b][product], "nothing is told of b: it is the prior")
	t.Run("a pool without its ineligible attribute", func(t *testing.T) {
		x := unshown(tuplesOf(course{n: 4, play: asksLess}, 3, 2))
		x.policy = func(p *state.Policy) {
			promised(promise.Frequency(2), promise.Frequency(2))(p)
			p.OnRefusal = state.StopRefused
		}
		f := x.enumerate(t)
		t.Log(f)
		assert.Positive(t, f.worst[b][product].Cmp(alone.worst[b][product]))
	})
	t.Run("an attribute withheld in some buckets", func(t *testing.T) {
		x := tuplesOf(course{n: 4, play: once, policy: nothingOfB}, 3, 2)
		x.shows = func(p *play, s share) {
			p.note(p.bagOf(s.members, x.sideA()))
			if bag := p.bagOf(s.members, x.sideB()); 2*int(slices.Max(bag)) <= len(s.members) {
				p.note(bag)
			}
		}
		f := x.enumerate(t)
		t.Log(f)
		assert.Positive(t, f.worst[b][product].Cmp(alone.worst[b][product]))
	})
	t.Run("tuples suppressed by their shares", func(t *testing.T) {
		of := func(suppresses bool) *found {
			x := tuplesOf(course{n: 4, play: once, policy: promised(nil, nil)}, 3, 2)
			x.sides, x.suppresses = append(x.sides, x.pair()), suppresses
			bags := x.shows
			x.shows = func(p *play, s share) {
				if bags(p, s); suppresses && !x.certain(p.bagOf(s.members, x.pair())) {
					p.note(p.bagOf(s.members, x.pair()))
				}
			}
			f := x.enumerate(t)
			t.Log(f)
			return f
		}
		assert.Positive(t, of(true).given[2].Cmp(of(false).given[2]))
	})
	t.Run("joined fields", func(t *testing.T) {
		x := tuplesOf(course{n: 4, play: once, schema: plane(t, 2)}, 3, 2)
		x.fill = func(_ *play, v int) equivclass.Row { return equivclass.Row{{'a' + byte(v)}} }
		x.shows = func(p *play, s share) { p.note(p.bagOf(s.members, x.pair())) }
		f := x.enumerate(t)
		t.Log(f)
		assert.Equal(t, "1", f.worst[0][0].RatString())
	})
	t.Run("ties by class number under intervals", func(t *testing.T) {
		x := numbers(t)
		x.order = inOrder
		f := x.enumerate(t)
		t.Log(f)
		assert.Less(t, f.exact[0][0], f.published)
	})
	t.Run("values by first appearance", func(t *testing.T) {
		x := tuplesOf(course{n: 8, byCode: true, known: []int{0, 1, 2, 0}, play: once, policy: promised(nil, nil)}, 3, 2)
		f := x.enumerate(t)
		t.Log(f)
		assert.Less(t, f.exact[0][0], f.published)
	})
	t.Run("a decision drawn again", func(t *testing.T) {
		x := tuplesOf(course{n: 6, known: []int{0, 4}, play: redrawn((*incremental.Machine).Redraw), policy: promised(nil, nil)}, 3, 2)
		f := x.enumerate(t)
		t.Log(f)
		assert.Less(t, f.exact[0][0], f.published)
	})
	t.Run("a stopped pool planned anew", func(t *testing.T) {
		x := tuplesOf(later(course{policy: promised(nil, nil), play: afterAStop("", func(p *play) { p.m.Unfix() }).play}), 3, 2)
		f := x.enumerate(t)
		t.Log(f)
		assert.Less(t, f.exact[0][0], f.published)
	})
}

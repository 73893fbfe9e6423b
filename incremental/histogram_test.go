package incremental_test

import (
	"anond/incremental/state"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
)

// eachHistogram notes how often each value occurs among all records. An exchangeable prior is a mixture
// of uniform ones, each over the worlds of one histogram. So what is exact then for the uniform prior is
// exact for every exchangeable one.
func eachHistogram(do func(*play)) func(*play) {
	return func(p *play) {
		all := make([]int32, p.n)
		for r := range all {
			all[r] = int32(r)
		}
		p.note("histogram", p.bag(all))
		do(p)
	}
}

// scattered are people in three places, so that near sub-pools are other ones than those by arrival.
func scattered(r int) equivclass.Row {
	x := []string{"10", "900", "500", "11", "901", "502", "14", "905", "503", "13", "904", "509"}
	y := []string{"1", "9", "5", "2", "9", "5", "1", "8", "6", "2", "9", "4"}
	return equivclass.Row{[]byte(x[r]), []byte(y[r]), nil}
}

// byValues is a MinPool that asks for 2 or 4 records, by how many values are published: the second pool is
// divided into sub-pools by it.
func byValues(_ *play, published merge.Bag) (int, bool) {
	if len(published) == 2 {
		return 2, true
	}
	return 4, true
}

// forgetsWaiting forgets people of a published bucket and people who wait.
func forgetsWaiting(p *play) {
	p.feed(8)
	p.cut()
	p.forget("a")
	p.feed(10)
	p.forget("j")
	p.forget("e")
	p.feed(12)
	p.cut()
}

// forgetsHeld forgets people while classes are held for their loss.
func forgetsHeld(p *play) {
	p.feed(4)
	p.cut()
	p.feed(8)
	p.cut()
	p.forget("g")
	p.feed(11)
	p.cut()
	p.cut()
	p.forget("h")
	p.cut()
	p.flush()
}

// forgetsPool forgets everybody of the first pool, which may be quarantined.
func forgetsPool(p *play) {
	p.feed(5)
	p.cut()
	for _, who := range []string{"a", "b", "c", "d"} {
		p.forget(who)
	}
	p.feed(6)
	p.cut()
	p.feed(10)
	p.cut()
}

// dividedStreams are streams with several sub-pools, and with people who are forgotten, ordered by what they cost.
func dividedStreams(t testing.TB) []*course {
	people := func(s course) *course {
		s.schema, s.rows, s.need = withPeople(t), person, asksFor(2)
		return &s
	}
	held := func(p *state.Policy) { quarantines(p); p.MaxHold, p.HoldInCuts = 3, true }
	return []*course{
		people(course{name: "all of the first pool are forgotten", n: 10, play: forgetsPool}),
		{name: "two sub-pools and a rest, and a second pool", n: 12, subPool: 2, rows: scattered, play: batches(10, 12), need: asksFor(2)},
		people(course{name: "some are forgotten while classes are held", n: 11, policy: held, play: forgetsHeld}),
		people(course{name: "some of sub-pools are forgotten, and some who wait", n: 12, subPool: 2, play: forgetsWaiting}),
		{name: "two near sub-pools of three", n: 12, subPool: 3, rows: scattered, play: batches(12)},
		{name: "three near sub-pools of two", n: 12, subPool: 2, rows: scattered, play: batches(12)},
		{name: "two near sub-pools of two, three values", n: 8, d: 3, subPool: 2, rows: scattered, play: batches(8)},
		{name: "what is published divides the next pool", n: 10, d: 3, subPool: 1, rows: scattered, need: byValues, play: batches(4, 10),
			policy: func(p *state.Policy) { quarantines(p); p.MinPool = 4 }},
	}
}

// TestEveryExchangeablePrior is TestEveryWorldOfSmallStreams for all exchangeable priors at once: sub-pools
// that are joined in part, pools that what is published divides, and people who are forgotten meanwhile.
func TestEveryExchangeablePrior(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	all := dividedStreams(t)
	for _, s := range all[:tier.Of(t, 1, 2, len(all))] {
		t.Run(s.name, func(t *testing.T) {
			s.k, s.l, s.d = 2, 2, max(2, s.d)
			if s.policy == nil {
				s.policy = quarantines
			}
			s.play = eachHistogram(s.play)
			v := s.enumerate(t)
			t.Log(v)
			assert.Positive(t, v.published)
			assert.Equal(t, v.published, v.exact[0])
			if s.subPool > 0 {
				assert.Positive(t, v.reached["choice"])
			}
		})
	}
}

// person gives each record a person.
func person(r int) equivclass.Row {
	x := positions[r]
	return equivclass.Row{{'0' + byte(x[0])}, {'0' + byte(x[1])}, nil, {'a' + byte(r)}}
}

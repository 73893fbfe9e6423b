package incremental_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental"
)

// byHistogram is a MinPool for small streams: another published histogram asks for more.
func byHistogram(_ *play, published merge.Bag) (int, bool) { return 10 - 2*len(published), true }

// possibleBelowHalf is one that ends a stream as merge.MinPool does: where the top share
// reaches one half.
func possibleBelowHalf(_ *play, published merge.Bag) (int, bool) {
	return 2, 2*published.Max() < published.Total()
}

func asksFor(n int) func(*play, merge.Bag) (int, bool) {
	return func(*play, merge.Bag) (int, bool) { return n, true }
}

func quarantines(p *incremental.Policy) { p.OnRefusal = incremental.QuarantineRefused }

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
	if p.cut(); p.m.Latest() == nil {
		p.options.Policy.Requirement.L = 2
		p.open()
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
		if p.m.UpdateDue() {
			p.cut()
		}
	}
}

var courses = []*course{
	{name: "one pool", n: 6, d: 3, k: 2, l: 2, play: batches(6), reaches: []string{"choice", "refused"}},
	{name: "classes of three", n: 6, d: 4, k: 3, l: 3, play: batches(6), reaches: []string{"refused"}},
	{name: "another test of bags", n: 6, d: 3, k: 2, l: 2, play: batches(6), reaches: []string{"refused"},
		policy: func(p *incremental.Policy) { p.Requirement.Extra = []equivclass.Principle{equivclass.DistinctL{L: 3}} }},
	{name: "two pools", n: 8, d: 2, k: 2, l: 2, play: batches(4, 8), policy: quarantines,
		reaches: []string{"second release", "quarantined"}},
	{name: "two pools of three values", n: 8, d: 3, k: 2, l: 2, play: batches(4, 8), policy: quarantines,
		reaches: []string{"second release", "quarantined"}},
	{name: "three pools, one quarantined", n: 10, d: 2, k: 2, l: 2, play: batches(4, 6, 10), policy: quarantines,
		reaches: []string{"second release", "quarantined", "choice"}},
	{name: "the remainder waits", n: 9, d: 2, k: 2, l: 2, play: batches(5, 9), policy: quarantines,
		reaches: []string{"second release", "quarantined"}},
	{name: "MinPool from published values", n: 8, d: 3, k: 2, l: 2, need: byHistogram, play: batches(4, 6, 8),
		reaches: []string{"second release", "quarantined"}},
	{name: "no pool is possible", n: 8, d: 3, k: 2, l: 2, need: possibleBelowHalf, play: batches(6, 8), reaches: []string{"second release"}},
	{name: "min_pool", n: 8, d: 3, k: 2, l: 2, play: batches(5, 6, 8), policy: func(p *incremental.Policy) { p.MinPool = 6 },
		reaches: []string{"choice"}},
	{name: "a lower l for the same pool", n: 9, d: 3, k: 3, l: 3, play: lowered, reaches: []string{"refused", "second release"}},
	{name: "sub-pools", n: 8, d: 3, k: 2, l: 2, subPool: 2, play: batches(8), reaches: []string{"choice"}},
	{name: "sub-pools and what does not fit", n: 10, d: 2, k: 2, l: 2, subPool: 2, play: batches(10), reaches: []string{"choice"}},
	{name: "classes are held for their loss", n: 10, d: 2, k: 2, l: 2, need: asksFor(2), play: batches(4, 6, 8, 10),
		policy: func(p *incremental.Policy) { p.MaxHold = 6 }, reaches: []string{"second release", "quarantined"}},
	{name: "trigger update", n: 9, d: 2, k: 2, l: 2, need: asksFor(2), play: onUpdate,
		policy: func(p *incremental.Policy) { p.OnUpdate = true }, reaches: []string{"second release", "quarantined"}},
	{name: "the end of the source", n: 9, d: 2, k: 2, l: 2, need: asksFor(2), policy: func(p *incremental.Policy) { p.MaxHold = 60 },
		play: func(p *play) {
			p.feed(4)
			p.cut()
			p.feed(9)
			p.flush()
			p.open()
			p.flush()
		}, reaches: []string{"second release"}},
	{name: "the reference of the first pool", n: 8, d: 2, k: 4, l: 2, need: asksFor(4), play: batches(8),
		policy: func(p *incremental.Policy) {
			p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: 0.3, Ground: equivclass.EqualGround{}}}
		}, reaches: []string{"refused"}},
}

func TestEveryWorldOfSmallStreams(t *testing.T) {
	for _, s := range courses {
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

var _ = strings.Join
var _ = tier.Full
var _ = require.Equal

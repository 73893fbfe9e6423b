package incremental_test

import (
	"anond/incremental/state"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
)

// forget lets the state forget a person, as the daemon does: the store is written anew, and
// the machine opened on it. That it was asked, and whether it was done, is seen.
func (p *play) forget(person string) {
	p.t.Helper()
	d, _ := p.m.Forgetting().DigestOf([]byte(person))
	e, err := p.m.Forget([]state.Digest{d})
	p.must(err)
	p.note("forgotten", person, e.Forgotten)
	if e.Later > 0 {
		p.reached["in a fixed pool"] = true
	}
	if e.Unpublished > 0 {
		p.reached["forgotten waiting"] = true
	}
	if e.Published > 0 {
		p.reached["forgotten published"] = true
	}
	p.store = p.store.Forget(e)
	p.open()
	_, known := p.m.Forgetting().DigestOf([]byte(person))
	require.True(p.t, known)
	require.Empty(p.t, p.m.CheckInvariants())
	p.sameBags()
}

// deletes reads the delete of a person: from here on the person is blocked, and what state has of
// them stays until forgetDue.
func (p *play) deletes(person string) {
	p.t.Helper()
	_, err := p.m.Delete(state.Partition{Source: "deletes"}, int64(len(p.m.Forgetting().People())), []byte(person))
	p.must(err)
	p.must(p.m.Commit())
	p.note("deleted", person)
}

// forgetDue is what a host does before a cut.
func (p *play) forgetDue() {
	p.t.Helper()
	require.Positive(p.t, p.m.Forgetting().Due())
	e, err := p.m.Forget(nil)
	p.must(err)
	p.note("forgotten", e.Forgotten)
	if e.Published > 0 {
		p.reached["forgotten published"] = true
	}
	p.store = p.store.Forget(e)
	p.open()
	require.Zero(p.t, p.m.Forgetting().Due())
	require.Empty(p.t, p.m.CheckInvariants())
	p.sameBags()
}

// sameBags requires that the state still has the bag of each bucket.
func (p *play) sameBags() {
	knowsThoseCounted(p.t, p.m, "forgotten")
	i := p.m.Releases().Latest()
	if i == nil {
		return
	}
	v, err := p.m.Releases().View(i.Release)
	p.must(err)
	for _, b := range p.buckets(v) {
		var want, have []string
		for _, r := range b.members {
			want = append(want, string(p.name(p.world[r])))
		}
		for _, c := range b.classes {
			for _, r := range c {
				have = append(have, v.Dictionaries[2].Text(v.SA[0].At(int(r))))
			}
		}
		slices.Sort(want)
		slices.Sort(have)
		require.Equal(p.t, want, have)
	}
}

// fixed leaves a first pool that is fixed and not decided: the commit of the outcome fails.
func (p *play) fixed() {
	p.store.FailAt(2, errors.New("the disk is full"))
	_, err := p.m.Cut(1, [32]byte{})
	require.Error(p.t, err)
	p.store = p.store.Crash()
	p.open()
}

// forgetful are streams of people of whom some are forgotten, ordered by what they cost.
// Persons are those of someTwice: aacdeccghij.
func forgetful(t testing.TB) []*course {
	with := func(name string, n int, play func(p *play), reaches ...string) *course {
		return &course{name: name, n: n, d: 2, k: 2, l: 2, schema: withPeople(t), rows: someTwice, need: asksFor(2), play: play,
			policy: quarantines, reaches: reaches}
	}
	return []*course{
		with("a person who waits, with a repeat", 10, func(p *play) {
			p.feed(3)
			p.forget("a")
			p.feed(8)
			p.cut()
			p.feed(10)
			p.cut()
		}, "forgotten waiting", "second release"),
		with("a published person, who comes again", 9, func(p *play) {
			p.feed(5)
			p.cut()
			p.forget("c")
			p.feed(9)
			p.cut()
			p.forget("c")
			p.cut()
		}, "forgotten published", "blocked", "second release"),
		with("two of one bucket, one after the other", 9, func(p *play) {
			p.feed(5)
			p.cut()
			p.forget("a")
			p.forget("c")
			p.feed(9)
			p.cut()
			p.forget("g")
		}, "forgotten published", "blocked", "second release"),
		with("deletes of the feed, and people who come again before the cut", 10, func(p *play) {
			p.feed(5)
			p.cut()
			p.deletes("c")
			p.feed(8)
			p.deletes("g")
			p.feed(10)
			p.forgetDue()
			p.cut()
		}, "blocked", "second release"),
		with("a first pool that is fixed", 10, func(p *play) {
			p.feed(5)
			p.fixed()
			p.forget("c")
			p.feed(8)
			p.cut()
			p.forgetDue()
			p.feed(10)
			p.cut()
		}, "in a fixed pool", "forgotten published", "second release"),
		with("a quarantined person", 9, func(p *play) {
			p.feed(5)
			p.cut()
			p.forget("c")
			p.feed(9)
			p.cut()
		}, "forgotten waiting", "quarantined"),
		func() *course {
			s := with("a first pool that was refused", 8, func(p *play) {
				p.feed(5)
				p.cut()
				p.forget("a")
				p.feed(8)
				p.cut()
			}, "in a fixed pool", "forgotten published")
			s.policy = nil
			return s
		}(),
	}
}

// TestForgettingKeepsTheoremE: in every world of streams in which people are forgotten, with
// every outcome of the draws, the posterior of each value of each published record is its share
// in the record's bucket, that of an ownerless row included, for all priors of
// TestEveryWorldOfSmallStreams. Who is forgotten and when is the same in all worlds: it does not
// follow from values.
func TestForgettingKeepsTheoremE(t *testing.T) {
	t.Parallel()
	all := forgetful(t)
	for _, s := range all[:tier.Of(t, 1, 2, len(all))] {
		t.Run(s.name, func(t *testing.T) { s.requireExact(t) })
	}
}

// TestStatesKnowThoseCounted: in worlds of each of these streams a state knows at any time as many people as were counted when
// a release was decided, also of those who were due then and are forgotten later.
func TestStatesKnowThoseCounted(t *testing.T) {
	for _, s := range forgetful(t) {
		t.Run(s.name, func(t *testing.T) {
			for seed := range 32 {
				world := make([]int, s.n)
				for r := range world {
					world[r] = seed >> (r % 5) & 1
				}
				p := s.start(t, world, &script{known: map[merge.Key][]int32{}})
				s.play(p)
				knowsThoseCounted(t, p.m, "at the end")
			}
		})
	}
}

// TestForgettingByValue shows what the theorem excludes: where those who ask follow from
// values, who was forgotten tells them.
func TestForgettingByValue(t *testing.T) {
	s := forgetful(t)[1]
	s.play = func(p *play) {
		p.feed(5)
		p.cut()
		if p.m.Releases().Latest() != nil && p.world[2] == 0 {
			p.forget("c")
		}
	}
	v := s.enumerate(t)
	require.Less(t, v.exact[0], v.published)
	require.Equal(t, "1", v.worst.RatString())
}

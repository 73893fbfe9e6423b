package incremental_test

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
)

// stopsInMerge is a cut that is stopped when Merge begins, if it does: a pool that is ineligible does not get there.
// The next process opens the state.
func (p *play) stopsInMerge() {
	p.t.Helper()
	p.stops = true
	intent, err := p.m.Cut(1, [32]byte{})
	if errors.Is(err, state.ErrInterrupted) {
		p.reached["stopped in Merge"] = true
	} else {
		p.saw(intent, err)
	}
	p.stops, p.stopping = false, false
	p.store = p.store.Crash()
	p.open()
}

// killed is a cut after whose first commit the process ends: who is in the pool is stored, what comes of it is not.
func (p *play) killed() {
	p.t.Helper()
	p.store.FailAt(2, errors.New("the disk is full"))
	_, err := p.m.Cut(1, [32]byte{})
	require.Error(p.t, err)
	p.store = p.store.Crash()
	p.open()
	require.Positive(p.t, p.m.Trigger().PoolFixed())
}

// redrawn decides again, with other draws, as long as the first two classes of the pool share a bucket.
func redrawn(again func(*incremental.Machine)) func(*play) {
	return func(p *play) {
		p.feed(p.n)
		d, err := p.m.Decide(state.Triggered)
		if err == nil && d.Together(0, 1) {
			again(p.m)
			d, err = p.m.Decide(state.Triggered)
		}
		if err != nil {
			p.saw(nil, err)
			return
		}
		p.saw(p.m.Enact(d, 1, [32]byte{}))
	}
}

// afterAStop is a stream whose second pool is stopped. before does something to the state before others come.
func afterAStop(name string, before func(p *play)) *course {
	return &course{name: name, n: 8, d: 3, k: 2, l: 2, known: abbc, need: asksFor(2), play: func(p *play) {
		p.feed(4)
		p.cut()
		p.feed(6)
		p.stopsInMerge()
		before(p)
		p.feed(8)
		p.cut()
		p.cut()
	}, reaches: []string{"stopped in Merge", "second release"}}
}

// ofPeople makes each record of a stream one of a person of its own: a, b, c.
func ofPeople(t testing.TB, s *course) *course {
	s.schema = withPeople(t)
	s.rows = func(r int) equivclass.Row {
		x := positions[r]
		return equivclass.Row{{'0' + byte(x[0])}, {'0' + byte(x[1])}, nil, {'a' + byte(r)}}
	}
	return s
}

// stoppedStreams are streams in which a pool is stopped before it is decided, and something else comes before the next cut.
func stoppedStreams(t testing.TB) []*course {
	return []*course{
		afterAStop("newcomers", func(*play) {}),
		ofPeople(t, afterAStop("somebody of the pool asks to be forgotten", func(p *play) { p.forget("f") })),
		ofPeople(t, afterAStop("somebody of the pool is deleted by the source", func(p *play) { p.deletes("e") })),
		ofPeople(t, &course{name: "a crash between the commits, a request, and the erasure", n: 8, d: 3, k: 2, l: 2, known: abbc,
			need: asksFor(2), play: func(p *play) {
				p.feed(4)
				p.cut()
				p.feed(6)
				p.killed()
				p.forget("e")
				p.feed(8)
				p.cut()
				p.forgetDue()
				p.cut()
			}, reaches: []string{"in a fixed pool", "forgotten published", "second release", "quarantined"}}),
		{name: "the hierarchy grows", n: 8, d: 3, k: 2, l: 2, schemas: [2]*equivclass.Schema{withPeopleOf(t, "ab"), withPeopleOf(t, "cba")},
			rows: person, valid: []int{2, 2, 2, 2, 2, 2, 3, 3},
			known: []int{0, 1, 1, 0}, policy: quarantines, need: asksFor(2), play: func(p *play) {
				p.feed(4)
				p.cut()
				p.feed(6)
				p.stopsInMerge()
				p.options.Schema, p.options.Settings = p.schemas[1], settingsOf(2)
				p.open()
				p.feed(8)
				p.cut()
				p.cut()
			}, reaches: []string{"stopped in Merge", "second release", "quarantined"}},
		{name: "a decision that is made twice", n: 6, d: 3, k: 2, l: 2, play: redrawn(func(*incremental.Machine) {}),
			reaches: []string{"choice"}},
	}
}

// TestAPoolThatIsStopped: in every world of streams in which a pool is stopped before it is decided, the posterior of
// each value of each published record is its share in the record's bucket.
func TestAPoolThatIsStopped(t *testing.T) {
	t.Parallel()
	tier.NotShort(t, "it enumerates worlds")
	for _, s := range stoppedStreams(t) {
		t.Run(s.name, func(t *testing.T) { s.requireExact(t) })
	}
}

// TestBrokenPools: what the same enumeration says of machines that do not keep a pool that was fixed.
//
//	what is broken                                highest posterior
//	it is planned anew, with newcomers            2/3
//	it loses who is forgotten                     2/3
//	it is drawn again if two classes are together 1
//
// That two pools have the draws of one is one of TestBrokenMachines.
func TestBrokenPools(t *testing.T) {
	t.Parallel()
	tier.NotShort(t, "it enumerates worlds")
	for _, s := range []*course{
		afterAStop("planned anew", func(p *play) { p.m.Unfix() }),
		ofPeople(t, afterAStop("who is forgotten leaves", func(p *play) {
			if p.m.Trigger().PoolFixed() > 0 {
				p.m.Unfix()
			}
			p.forget("e")
		})),
		{name: "drawn again", n: 6, d: 3, k: 2, l: 2, play: redrawn((*incremental.Machine).Redraw)},
	} {
		t.Run(s.name, func(t *testing.T) {
			v := s.enumerate(t)
			t.Log(v)
			require.Positive(t, v.excess.Sign())
			require.Less(t, slices.Min(v.exact[:]), v.published)
		})
	}
}

// TestAStoppedFirstPoolStays: whatever it is opened under. It keeps its settings until it is decided.
func TestAStoppedFirstPoolStays(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 3), 1)
	under := func(k, l byte) error {
		f.options.Policy.Requirement.K, f.options.Policy.Requirement.L = int(k), int(l)
		f.options.Settings = map[string][32]byte{"policy.k": {k}, "policy.l": {l}}
		m, err := incremental.Open(f.store, f.eras.under(f.options, true))
		if err == nil {
			f.m = m
		}
		return err
	}
	require.NoError(t, under(4, 3))
	f.apply(skewed(0, 84, 20))
	f.store.FailAt(2, errors.New("the disk is full"))
	_, err := f.m.Cut(1, [32]byte{})
	require.Error(t, err)
	require.ErrorContains(t, under(5, 3), "a pool is fixed and not decided: it keeps its settings")
	require.ErrorContains(t, under(4, 2), "a pool is fixed and not decided: it keeps its settings")
	require.NoError(t, under(4, 3))
	require.Equal(t, 84, f.m.Trigger().PoolFixed())
	f.apply(skewed(84, 300, 0))
	f.options.Policy.InitialMin = 300
	require.NoError(t, under(4, 3))
	require.Equal(t, 84, f.cut().Records)
	require.Zero(t, f.m.Trigger().PoolFixed())
}

// TestALowerLTakesThePoolThatWasRefused: also if the hierarchy of the sensitive attribute grew before: which of those who
// wait form the first pool follows from how many it needs, and that falls with l.
func TestALowerLTakesThePoolThatWasRefused(t *testing.T) {
	f := newPoolFeed(t, withPeopleOf(t, "abde"), bucketPolicy(4, 4), 1)
	f.store = memstore.New()
	under := func(l byte, values string) {
		f.options.Schema, f.options.Policy.Requirement.L = withPeopleOf(t, values), int(l)
		f.options.Settings = map[string][32]byte{"policy.l": {l}, "tree": {byte(len(values))}}
		f.options.Hierarchies = map[string]int{"tree": f.options.Schema.SensitiveIndex()}
		f.options = f.eras.under(f.options, true)
		f.open()
	}
	people := func(n int, values string) {
		for i := range n {
			f.apply([]equivclass.Row{{fmt.Append(nil, f.offset), []byte("7"), {values[i%len(values)]}, fmt.Append(nil, f.offset)}})
		}
	}
	under(4, "abde")
	people(14, "abde")
	under(4, "abcde")
	people(20, "aabc")
	var refused *plan.InfeasibleError
	_, err := f.m.Cut(1, [32]byte{})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 20, refused.Records, "those of the newer version")
	under(2, "abcde")
	require.NotNil(t, f.cut())
	v, err := f.m.Releases().View(1)
	require.NoError(t, err)
	for _, c := range v.Classes {
		for _, r := range c.Members {
			require.GreaterOrEqual(t, int(r), 14)
		}
	}
	require.Len(t, v.Classes, 5)
}

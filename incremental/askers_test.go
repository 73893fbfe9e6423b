package incremental_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
)

// askers are streams of which some people send something once they are published: an update, or that they ask to be erased. Who
// does follows from the value: of value v, likely[v] of ten people.
type askers struct {
	course
	likely []uint64
	// after plays what comes after the first release. It is told who asks.
	after func(p *play, asks []bool)
}

// fourAndMore is one bucket of two classes of two, of values that are not known, and a pool of four later whose values are.
func fourAndMore(t testing.TB) course {
	return course{n: 8, d: 3, k: 2, l: 2, schema: withPeople(t), need: asksFor(4), known: []int{-1, -1, -1, -1, 0, 1, 0, 1},
		policy: quarantines, rows: func(r int) equivclass.Row {
			return equivclass.Row{{'0' + byte(positions[r][0])}, {'0' + byte(positions[r][1])}, nil, {'A' + byte(r)}}
		}}
}

// asker is how record r names its person.
func asker(r int) []byte { return []byte{'A' + byte(r)} }

// enumerate plays all worlds, draws and sets of people who ask.
func (s *askers) enumerate(t testing.TB) verdict {
	beliefs, out := map[string]*belief{}, verdict{worst: new(big.Rat), excess: new(big.Rat), reached: map[string]int{}}
	asks := make([]bool, s.n)
	s.eachWorld(func(world []int) {
		for set := range 1 << (s.n / 2) {
			weight := uint64(1)
			for r := range s.n / 2 {
				if asks[r] = set>>r&1 == 1; asks[r] {
					weight *= s.likely[world[r]]
				} else {
					weight *= 10 - s.likely[world[r]]
				}
			}
			eachDraw(func(draws *script) {
				p := s.start(t, world, draws)
				p.weight = weight
				p.feed(s.n / 2)
				if p.cut() != nil {
					s.after(p, asks)
				}
				out.runs++
				p.learn(beliefs, &out)
			})
		}
	})
	for _, b := range beliefs {
		b.judge(&s.course, &out)
	}
	return out
}

func (s *askers) requireExact(t *testing.T) {
	t.Helper()
	v := s.enumerate(t)
	t.Log(v)
	require.Positive(t, v.published)
	require.Equal(t, [3]int{v.published, v.published, v.published}, v.exact)
}

// ofWhom are laws of asking: the same for everybody, and one that nearly tells the value.
var ofWhom = map[string][]uint64{"independent of the value": {3, 3, 3}, "by the value": {9, 1, 2}}

// outdating has those who ask send an update, and shows with the next release what shown says.
func outdating(shown func(p *play, v map[state.BucketID]int)) func(p *play, asks []bool) {
	return func(p *play, asks []bool) {
		for r, does := range asks {
			if does {
				p.m.Outdate(asker(r))
				p.m.Outdate(asker(r))
			}
		}
		p.feed(p.n)
		if i := p.cut(); i != nil {
			v, err := p.m.Releases().View(i.Release)
			p.must(err)
			shown(p, v.Stale)
			p.reached["second release"] = true
		}
	}
}

// TestStaleByBucketTellsNothing: whoever sends updates, how many of a bucket did tells nothing of whom (Theorem G).
func TestStaleByBucketTellsNothing(t *testing.T) {
	t.Parallel()
	for law, likely := range ofWhom {
		if law == "independent of the value" && tier.Of(t, 0, 0, 1) == 0 {
			continue // the other one is the stronger
		}
		t.Run(law, func(t *testing.T) {
			s := askers{fourAndMore(t), likely, outdating(func(p *play, stale map[state.BucketID]int) { p.note("stale", stale) })}
			s.requireExact(t)
		})
	}
}

// TestStaleByClassTells is the twin: numbers by class tell who has the value that sends updates.
func TestStaleByClassTells(t *testing.T) {
	t.Parallel()
	s := askers{fourAndMore(t), ofWhom["by the value"], nil}
	s.after = func(p *play, asks []bool) {
		outdating(func(p *play, _ map[state.BucketID]int) {
			v, err := p.m.Releases().View(1)
			p.must(err)
			for _, c := range v.Classes {
				n := 0
				for _, r := range c.Members {
					if asks[r] {
						n++
					}
				}
				p.note("stale", n)
			}
		})(p, asks)
	}
	v := s.enumerate(t)
	t.Log(v)
	require.Less(t, v.exact[0], v.published)
	require.Positive(t, v.excess.Cmp(big.NewRat(1, 4)), "it tells: %s above the share", v.excess.RatString())
}

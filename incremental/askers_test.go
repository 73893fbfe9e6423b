package incremental_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/incremental/withdraw"
)

// askers are streams of which some people send something once they are published: an update, or that they ask to be erased. Who
// does follows from the value: of value v, likely[v] of ten people.
type askers struct {
	course
	likely []uint64
	// after plays what comes after the first release. It is told who asks.
	after  func(p *play, asks []bool)
	asking int // the first records, of people who may ask; 0: half
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
	asks, half := make([]bool, s.n), cmp.Or(s.asking, s.n/2)
	s.eachWorld(func(world []int) {
		for set := range 1 << half {
			weight := uint64(1)
			for r := range half {
				if asks[r] = set>>r&1 == 1; asks[r] {
					weight *= s.likely[world[r]]
				} else {
					weight *= 10 - s.likely[world[r]]
				}
			}
			eachDraw(func(draws *script) {
				p := s.start(t, slices.Clone(world), draws)
				p.weight = weight
				p.feed(half)
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

func (s *askers) requireExact(t *testing.T) verdict {
	t.Helper()
	v := s.enumerate(t)
	t.Log(v)
	require.Positive(t, v.published)
	require.Equal(t, [3]int{v.published, v.published, v.published}, v.exact)
	return v
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
			s := askers{course: fourAndMore(t), likely: likely, after: outdating(func(p *play, stale map[state.BucketID]int) {
				p.note("stale", stale)
			})}
			s.requireExact(t)
		})
	}
}

// TestStaleByClassTells is the twin: numbers by class tell who has the value that sends updates.
func TestStaleByClassTells(t *testing.T) {
	t.Parallel()
	s := askers{course: fourAndMore(t), likely: ofWhom["by the value"], after: nil}
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

// erasing has those who ask forgotten, and makes a release of the next period, of which it shows what it withdraws. Who asked is not
// seen. shown shows what another rule would, which is told that.
func erasing(count int, shown func(p *play, v *incremental.View, asks []bool)) func(p *play, asks []bool) {
	return func(p *play, asks []bool) {
		for r, does := range asks {
			if !does {
				continue
			}
			d, _ := p.m.Forgetting().DigestOf(asker(r))
			e, err := p.m.Forget([]state.Digest{d})
			p.must(err)
			require.Equal(p.t, 1, e.Published)
			p.store = p.store.Forget(e)
			p.open()
		}
		p.feed(8)
		i := p.saw(p.m.Cut(periodOf, [32]byte{}))
		if i == nil {
			return
		}
		v, err := p.m.Releases().View(i.Release)
		p.must(err)
		p.note("left", bucketsOf(v.Dead))
		require.Empty(p.t, p.m.CheckInvariants())
		if n := 0; count > 0 {
			for _, does := range asks {
				if does {
					n++
				}
			}
			if n > 0 {
				p.reached["asked"] = true
			}
			if len(v.Dead) > 0 {
				p.reached["left"] = true
			}
		}
		if shown != nil {
			shown(p, v, asks)
		}
	}
}

// periodOf is the erasure period of these tests.
const periodOf = 10

func bucketsOf(classes []state.ClassView) (out []state.BucketID) {
	for _, c := range classes {
		out = append(out, c.Bucket)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withErasure is a course whose buckets leave at so many requests.
func withErasure(t testing.TB, count int) course {
	c := fourAndMore(t)
	c.policy = func(p *state.Policy) {
		quarantines(p)
		p.Erasure = withdraw.Rule{Every: periodOf, Count: count}
	}
	return c
}

// TestErasureByBucketsTellsNothing: whoever asks after the decision, also by the value, and at whatever number of requests
// buckets leave, the posterior of everybody stays the share in the bucket (Theorem G, package withdraw).
func TestErasureByBucketsTellsNothing(t *testing.T) {
	t.Parallel()
	for count := 1; count <= tier.Of(t, 1, 2, 2); count++ {
		for law, likely := range ofWhom {
			if law == "independent of the value" && tier.Of(t, 0, 0, 1) == 0 {
				continue
			}
			t.Run(fmt.Sprint(law, count), func(t *testing.T) {
				s := askers{course: withErasure(t, count), likely: likely, after: erasing(count, nil)}
				v := s.requireExact(t)
				require.Positive(t, v.reached["left"])
				require.Positive(t, v.reached["asked"])
			})
		}
	}
}

// TestErasureTwins: what would tell is found: a class that leaves, a row, a row with its value, a second start for who has left.
func TestErasureTwins(t *testing.T) {
	t.Parallel()
	first := func(p *play) []state.ClassView {
		v, err := p.m.Releases().View(1)
		p.must(err)
		return v.Classes
	}
	asked := func(p *play, c state.ClassView, asks []bool) (n int) {
		for _, r := range c.Members {
			if asks[p.taken[r]] {
				n++
			}
		}
		return n
	}
	for name, shown := range map[string]func(p *play, v *incremental.View, asks []bool){
		"class": func(p *play, _ *incremental.View, asks []bool) {
			for _, c := range first(p) {
				p.note("class left", asked(p, c, asks) > 0)
			}
		},
		"row": func(p *play, _ *incremental.View, asks []bool) {
			for _, c := range first(p) {
				p.note("rows left", asked(p, c, asks))
			}
		},
		"row and value": func(p *play, _ *incremental.View, asks []bool) {
			var stay []int32
			for _, c := range first(p) {
				p.note("rows left", asked(p, c, asks))
				for _, r := range c.Members {
					if !asks[p.taken[r]] {
						stay = append(stay, p.taken[r])
					}
				}
			}
			p.note("bag", p.bag(stay))
		},
	} {
		if name != "class" && tier.Of(t, 0, 0, 1) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := askers{course: withErasure(t, 1), likely: ofWhom["by the value"], after: erasing(1, shown)}
			v := s.enumerate(t)
			t.Log(v)
			require.Positive(t, v.excess.Cmp(big.NewRat(1, 4)), "it tells: %s above the share", v.excess.RatString())
		})
	}
	t.Run("return after erasure", func(t *testing.T) { // of those who left, under digests that do not know them
		c := withErasure(t, 1)
		c.n, c.known = 12, []int{-1, -1, -1, -1, 0, 1, 0, 1, 0, 0, 0, 0}
		s := askers{course: c, likely: ofWhom["by the value"], after: nil}
		s.asking = 4
		s.after = func(p *play, asks []bool) {
			erasing(1, nil)(p, asks)
			if !p.reached["left"] {
				return
			}
			left := first(p)
			for i, r := range left[0].Members { // the people of one class, twice
				p.world[8+i], p.world[10+i] = p.world[p.taken[r]], 1-min(1, p.world[p.taken[r]])
			}
			p.feed(12)
			if i := p.saw(p.m.Cut(periodOf+1, [32]byte{})); i != nil {
				p.reached["returned"] = true
			}
		}
		v := s.enumerate(t)
		t.Log(v)
		require.Positive(t, v.reached["returned"])
		require.Positive(t, v.excess.Cmp(big.NewRat(1, 4)), "it tells: %s above the share", v.excess.RatString())
	})
}

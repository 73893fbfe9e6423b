package merge

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
)

// times are bags of so many times as many records.
func times(bags []Bag, by uint32) []Bag {
	out := make([]Bag, len(bags))
	for i, b := range bags {
		for _, c := range b {
			out[i] = append(out[i], Count{c.Value, c.N * by})
		}
	}
	return out
}

// total is the energy of all groups.
func (s *search) total() (out int64) {
	for _, g := range s.list() {
		out += s.energy(g)
	}
	return out
}

// energy is that of a group.
func (s *search) energy(members []int32) int64 {
	var pairs int64
	for i, p := range members {
		for _, q := range members[:i] {
			pairs += s.apart(p, q)
		}
	}
	return energyOf(pairs, int64(len(members)))
}

// least is the least energy of a division of parts into eligible groups.
func (s *search) least(parts []int32) int64 {
	if len(parts) == 0 {
		return 0
	}
	best := int64(none)
	for pick := range 1 << (len(parts) - 1) { // those that share the group of the first part
		group, rest := []int32{parts[0]}, []int32(nil)
		for i, p := range parts[1:] {
			if pick>>i&1 == 1 {
				group = append(group, p)
			} else {
				rest = append(rest, p)
			}
		}
		if s.lacks(group) == 0 {
			if e := s.least(rest); e < none {
				best = min(best, s.energy(group)+e)
			}
		}
	}
	return best
}

// TestStepIsOptimal compares a step with all divisions of its parts, with lanes of each width.
func TestStepIsOptimal(t *testing.T) {
	for _, factor := range []uint32{1, 300, 50_000} {
		widths, gained, more := map[int]bool{}, 0, 0
		for trial := range uint64(200) {
			rng := equivtest.Rand(trial)
			m, size, l := 2+rng.IntN(6), 2+rng.IntN(5), 2+rng.IntN(3)
			r := Requirement{Caps: Frequency(l)}
			if trial%4 == 0 {
				r.Extra = []principle{Distinct(l + 1), NewEntropy(float64(l))}
			}
			bags := times(drawn(rng, m, size, 3+rng.IntN(4)), factor)
			s := newSearch(newInstance(bags, size*int(factor), r), Run{Stop: never})
			widths[s.lanes.bits] = true
			half := 1 + rng.IntN(m)
			p, q, groups := int32(0), int32(m-1), [][]int32{rows(0, half)}
			if half < m {
				groups = append(groups, rows(half, m-half))
			}
			s.regroup(groups)
			if !s.eligible() {
				continue
			}
			was, want := s.total(), s.least(rows(0, m))
			got := s.step.try(p, q)
			require.Equal(t, want < was, got, "trial %d", trial)
			require.Equal(t, want, s.total(), "trial %d", trial)
			require.True(t, s.eligible())
			if got {
				gained++
				if len(s.list()) > 2 {
					more++
				}
			}
		}
		assert.Greater(t, gained, 15, "hardly anything was gained: the test shows nothing")
		assert.Positive(t, more)
		assert.Contains(t, widths, map[uint32]int{1: 16, 300: 32, 50_000: 32}[factor])
	}
	assert.Equal(t, lanes{1, 64, 1 << 63}, newLanes([]share{{1, 1 << 20, -1}}, 1<<18))
}

// TestStepOfLargeGroups: of groups with more parts than a step divides, some stay together.
func TestStepOfLargeGroups(t *testing.T) {
	gained := 0
	for trial := range uint64(100) {
		rng := equivtest.Rand(trial)
		m := stepItems + 1 + rng.IntN(12)
		s := newSearch(newInstance(drawn(rng, m, 4, 6), 4, Requirement{Caps: Frequency(3)}), Run{Stop: never})
		half := 1 + rng.IntN(m-1)
		s.regroup([][]int32{rows(0, half), rows(half, m-half)})
		if !s.eligible() {
			continue
		}
		for s.step.try(int32(rng.IntN(m)), int32(rng.IntN(m))) {
			gained++
			require.True(t, s.eligible())
			s.check(t)
		}
	}
	assert.Greater(t, gained, 30)
}

// check compares what is noted about groups with their members.
func (s *groups) check(t *testing.T) {
	t.Helper()
	seen := 0
	for g, members := range s.members {
		for _, p := range members {
			require.Equal(t, int32(g), s.of[p])
			seen++
		}
	}
	require.Equal(t, len(s.parts), seen)
	for _, g := range s.free {
		require.Empty(t, s.members[g])
	}
	require.Len(t, s.free, len(s.members)-len(s.list()))
}

// TestProducts: products from the table, packed in any width, are those of the bags.
func TestProducts(t *testing.T) {
	for _, factor := range []uint32{1, 20, 300, 50_000} {
		bags := times(drawn(equivtest.Rand(7), 60, 5, 9), factor)
		x := newInstance(bags, 5*int(factor), Requirement{Caps: Frequency(3)})
		y := *x
		y.products.words = nil
		for p := range bags {
			for q := range bags {
				var want int64
				for _, c := range sum([]Bag{bags[p], bags[q]}) {
					have := func(b Bag) (n int64) {
						for _, d := range b {
							if d.Value == c.Value {
								n = int64(d.N)
							}
						}
						return n
					}
					d := have(bags[p]) - have(bags[q])
					want += d * d
				}
				require.Equal(t, want, x.apart(int32(p), int32(q)))
				require.Equal(t, want, y.apart(int32(p), int32(q)))
			}
		}
	}
}

// TestNearest compares the near parts with all parts.
func TestNearest(t *testing.T) {
	x := newInstance(drawn(equivtest.Rand(1), 60, 5, 6), 5, Requirement{Caps: Frequency(3)})
	near, each := x.nearest(Run{Stop: never})
	require.Equal(t, nearMost, each)
	cost := func(p, q int) int64 {
		var over int64
		for v, c := range x.caps {
			over += max(0, -x.slackIn(c, int32(v), p)-x.slackIn(c, int32(v), q)) / c.den
		}
		return x.apart(int32(p), int32(q)) + x.spread()*over/x.size
	}
	for p := range x.parts {
		mine := near[p*each:][:each]
		better := 0
		for q := range x.parts {
			if q != p && cost(p, q) < cost(p, int(mine[each-1])) {
				better++
			}
		}
		assert.Less(t, better, each, "a nearer part is missing")
		assert.True(t, slices.IsSortedFunc(mine, func(q, r int32) int {
			return cmp.Or(cmp.Compare(cost(p, int(q)), cost(p, int(r))), cmp.Compare(q, r))
		}))
		assert.NotContains(t, mine, int32(p))
	}
}

// TestRepair: whatever the groups are, they are eligible afterwards, or one.
func TestRepair(t *testing.T) {
	several := 0
	for trial := range uint64(50) {
		rng := equivtest.Rand(trial)
		r := Requirement{Caps: Frequency(3), Extra: []principle{NewEntropy(2.5)}}
		s := newSearch(newInstance(drawn(rng, 20, 4, 6), 4, r), Run{Stop: never})
		s.repair()
		s.check(t)
		require.True(t, s.eligible() || len(s.list()) == 1)
		if len(s.list()) > 1 {
			several++
		}
	}
	assert.Greater(t, several, 20)
}

// tight are bags most of which have more than a third of one value.
func tight(rng *rand.Rand, m, size int) []Bag {
	bags := make([]Bag, m)
	for i := range bags {
		top := uint32(rng.IntN(5))
		n := uint32(size/2 + rng.IntN(size/2))
		bags[i] = sum([]Bag{{{top, n}}, {{5 + uint32(rng.IntN(3)), uint32(size) - n}}})
	}
	return bags
}

// TestAnnealingKeepsItsBooks: what it has noted about its groups is what their parts make.
func TestAnnealingKeepsItsBooks(t *testing.T) {
	for trial := range uint64(20) {
		for _, factor := range []uint32{1, 2000} {
			r := Requirement{Caps: Frequency(3)}
			if trial%3 == 0 {
				r.Extra = []principle{NewEntropy(3)}
			}
			size := 6 * int(factor)
			bags := times(tight(equivtest.Rand(trial), 40, 6), factor)
			s := newSearch(newInstance(bags, size, r), Run{Stop: never})
			s.near, s.nearEach = s.nearest(Run{Stop: never})
			a := newAnnealing(s.instance, s.near, s.nearEach)
			s.regroup(a.run(never))
			s.check(t)
			require.Less(t, len(s.list()), 40)
			for i := range a.clusters {
				c := &a.clusters[i]
				var square int64
				s.sumUp(c.members[:c.n])
				for v, n := range s.tally {
					require.Equal(t, n, int64(a.sumOf(c)[v]))
					square += n * n
				}
				require.Equal(t, square, c.square)
				require.Equal(t, c.square*a.scale[c.n], c.gain)
				require.Equal(t, c.n > 0 && s.lacks(c.members[:c.n]) > 0, c.lack > 0)
			}
		}
	}
}

// TestTightPool: the annealing finds finer groups than the repair alone.
func TestTightPool(t *testing.T) {
	bags := tight(equivtest.Rand(5), 200, 6)
	s := newSearch(newInstance(bags, 6, Requirement{Caps: Frequency(3)}), Run{Stop: never})
	s.near, s.nearEach = s.nearest(Run{Stop: never})
	require.True(t, s.start(), "the pool is not tight")
	plain := newSearch(s.instance, Run{Stop: never})
	plain.repair()
	s.regroup(nil)
	s = newSearch(s.instance, Run{Stop: never})
	s.find()
	require.True(t, s.eligible())
	assert.Less(t, s.total(), plain.total()*9/10)
}

// TestEnergyMayRiseAsItShould: the limit of an uphill step is exponential with the
// temperature as its half-life.
func TestEnergyMayRiseAsItShould(t *testing.T) {
	above := [4]int{}
	for _, q := range quantiles() {
		for i := range above {
			if q >= uint64(i)*unit {
				above[i]++
			}
		}
	}
	assert.Equal(t, [4]int{256, 128, 64, 32}, above)
	assert.Equal(t, int64(256), rising(0, 100))
	assert.Equal(t, int64(256+128), rising(1, 2*octaves))
	assert.Equal(t, int64(256<<3), rising(3, octaves))
}

// TestMergeStopsSoon: a stop is asked for in every phase.
func TestMergeStopsSoon(t *testing.T) {
	bags := tight(equivtest.Rand(5), 700, 6)
	for after := range 12 {
		asked := 0
		merge(bags, 6, Requirement{Caps: Frequency(3)}, seeded(1), Run{Stop: func() bool { asked++; return asked > after }})
		assert.LessOrEqual(t, asked, after+4, fmt.Sprint(after))
	}
}

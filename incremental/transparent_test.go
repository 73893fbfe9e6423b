package incremental_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
	"anond/incremental"
)

// coins enumerates the outcomes of all random shuffles of a run: each digit of
// the odometer is one draw of Fisher and Yates, so every outcome of a run has the
// weight 1/(product of the radices), exactly.
type coins struct {
	digit, radix []int
	at           int
}

func (c *coins) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		if c.at == len(c.digit) {
			c.digit, c.radix = append(c.digit, 0), append(c.radix, i+1)
		}
		swap(i, c.digit[c.at])
		c.at++
	}
}

func (c *coins) weight() float64 {
	w := 1.0
	for _, r := range c.radix {
		w /= float64(r)
	}
	return w
}

// next moves on to the next outcome; false after the last.
func (c *coins) next() bool {
	for i := len(c.digit) - 1; i >= 0; i-- {
		if c.digit[i]+1 < c.radix[i] {
			c.digit[i]++
			c.digit, c.radix, c.at = c.digit[:i+1], c.radix[:i+1], 0
			return true
		}
	}
	return false
}

// seen gathers the worlds that lead to one transcript, weighed by priors.
type seen struct {
	published []bool
	total     []float64     // by prior
	value     [][][]float64 // by prior, record, value
}

// levelL2 is the largest posterior that an adversary reaches who knows the
// program and the law of its coins, and the share of published records (by
// probability) for whom some value exceeds 1/l.
type levelL2 struct {
	max, exposed float64
	transcripts  int
	published    int // transcripts that publish something
}

// enumerate plays ALL worlds of a tiny stream under ALL outcomes of its coins,
// and computes by Bayes' rule, for each prior, what each transcript tells.
// fixed: the coins are known to fall as they do (or there are none).
func (w *tiny) enumerate(t testing.TB, priors [][]float64, cut func(*incremental.Machine, *coins) (*incremental.Intent, error)) []levelL2 {
	n, values := len(w.at), len(priors[0])
	all := map[string]*seen{}
	world := make([]int, n)
	for more := true; more; more = increment(world, values) {
		for c := (&coins{}); ; {
			var b strings.Builder
			m := w.run(t, world, func(m *incremental.Machine) (*incremental.Intent, error) { return cut(m, c) },
				func(m *incremental.Machine, i *incremental.Intent, err error) { transcript(&b, m, world, i, err) })
			note(all, b.String(), m, world, priors, c.weight())
			if !c.next() {
				break
			}
		}
	}
	out := make([]levelL2, len(priors))
	for p := range priors {
		out[p] = judge(all, p, w.policy.Requirement.L)
	}
	return out
}

func increment(world []int, values int) bool {
	for i := range world {
		if world[i]++; world[i] < values {
			return true
		}
		world[i] = 0
	}
	return false
}

func note(all map[string]*seen, key string, m *incremental.Machine, world []int, priors [][]float64, weight float64) {
	s := all[key]
	if s == nil {
		s = &seen{published: make([]bool, len(world)), total: make([]float64, len(priors)), value: make([][][]float64, len(priors))}
		for p, prior := range priors {
			s.value[p] = make([][]float64, len(world))
			for r := range world {
				s.value[p][r] = make([]float64, len(prior))
			}
		}
		if i := m.Latest(); i != nil {
			v, _ := m.View(i.Release)
			for _, c := range v.Classes {
				for _, r := range c.Members {
					s.published[r] = true
				}
			}
		}
		all[key] = s
	}
	for p, prior := range priors {
		x := weight
		for _, v := range world {
			x *= prior[v]
		}
		s.total[p] += x
		for r, v := range world {
			s.value[p][r][v] += x
		}
	}
}

func judge(all map[string]*seen, p, l int) levelL2 {
	out := levelL2{transcripts: len(all)}
	mass, exposed := 0.0, 0.0
	for _, s := range all {
		if slices.Contains(s.published, true) {
			out.published++
		}
		for r, published := range s.published {
			if !published {
				continue
			}
			top := slices.Max(s.value[p][r]) / s.total[p]
			out.max = max(out.max, top)
			mass += s.total[p]
			if top > 1/float64(l)+1e-9 {
				exposed += s.total[p]
			}
		}
	}
	if mass > 0 {
		out.exposed = exposed / mass
	}
	return out
}

// pools is the cut of mode transparent, for pools of any size.
func pools(m *incremental.Machine, c *coins) (*incremental.Intent, error) {
	c.at = 0
	return m.CutPool(1, c.shuffle)
}

// knownCoins deals without a draw: what is left of rule T to those who know the seed.
func knownCoins(m *incremental.Machine, _ *coins) (*incremental.Intent, error) {
	return m.CutPool(1, func(int, func(i, j int)) {})
}

// plain is the cut of any mode.
func plain(m *incremental.Machine, _ *coins) (*incremental.Intent, error) {
	return m.Cut(1, [32]byte{})
}

// TestRuleT enumerates rule T: all D^n worlds of tiny streams, the whole program
// and, in mode regroup, all outcomes of its coins (exactly, not by sampling). An
// adversary of level L2 under a uniform and under a skewed prior learns of no
// published record more than 1/l. Waiting, quarantined and refused pools are part
// of what is seen.
//
// Tried against it (mutations of a copy): a leaf taken iff the right half alone
// is eligible; halves of n/2+1 records in Halve; equal counts ordered by code in
// histogramOrder; an ineligible pool left waiting instead of quarantined; no
// shuffle. Each is found.
func TestRuleT(t *testing.T) {
	two, three := [][]float64{{.5, .5}, {.7, .3}}, [][]float64{{1. / 3, 1. / 3, 1. / 3}, {.5, .3, .2}}
	four := [][]float64{{.25, .25, .25, .25}, {.4, .3, .2, .1}}
	for _, x := range []struct {
		mode   incremental.Republication
		k, l   int
		n      int
		cuts   []int
		priors [][]float64
		close  float64 // t-closeness; 0: none
	}{
		{incremental.Append, 2, 2, 8, []int{8}, two, 0},
		{incremental.Append, 2, 2, 7, []int{7}, three, 0},
		{incremental.Append, 2, 2, 8, []int{4, 8}, three, 0},
		{incremental.Append, 3, 2, 8, []int{4, 8}, two, 0},
		{incremental.Append, 3, 3, 7, []int{6, 7}, three, 0},
		{incremental.Append, 2, 2, 6, []int{3, 6}, four, 0},
		{incremental.Regroup, 2, 2, 6, []int{6}, three, 0},
		{incremental.Regroup, 2, 2, 6, []int{4, 6}, three, 0},
		{incremental.Regroup, 2, 2, 8, []int{4, 8}, two, 0},
		{incremental.Regroup, 2, 2, 6, []int{6}, four, 0},
		{incremental.Regroup, 3, 3, 6, []int{3, 6}, three, 0},
		{incremental.Regroup, 4, 2, 6, []int{6}, three, 0},
		{incremental.Append, 2, 2, 8, []int{8}, two, 0.2},
		{incremental.Append, 2, 2, 8, []int{4, 8}, three, 0.3},
		{incremental.Append, 3, 2, 7, []int{3, 7}, three, 0.2},
		{incremental.Regroup, 2, 2, 6, []int{6}, three, 0.4},
		{incremental.Regroup, 2, 2, 6, []int{4, 6}, three, 0.2},
	} {
		t.Run(fmt.Sprintf("%s,k=%d,l=%d,n=%d,cuts=%v,values=%d,t=%g", x.mode, x.k, x.l, x.n, x.cuts, len(x.priors[0]), x.close), func(t *testing.T) {
			p := policy(x.k, x.l)
			p.Republication, p.Transparent = x.mode, true
			if x.close > 0 {
				p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: x.close, Ground: equivclass.EqualGround{}}}
			}
			for seed := range uint64(2) {
				w := newTiny(t, rand.New(rand.NewPCG(seed, 5)), x.n, 2, x.cuts, p)
				for i, level := range w.enumerate(t, x.priors, pools) {
					require.Positive(t, level.published)
					assert.LessOrEqual(t, level.max, 1/float64(x.l)+1e-9, "prior %v: %+v", x.priors[i], level)
				}
			}
		})
	}
}

// TestRuleTEnumerationDetects breaks rule T on purpose: the same enumeration
// must find who is exposed, or it proves nothing.
func TestRuleTEnumerationDetects(t *testing.T) {
	three := [][]float64{{1. / 3, 1. / 3, 1. / 3}, {.5, .3, .2}}
	for _, x := range []struct {
		name string
		mode incremental.Republication
		by   equivclass.Partitioner
		tr   bool
		cut  func(*incremental.Machine, *coins) (*incremental.Intent, error)
	}{
		{"Mondrian, cuts where both halves are eligible", incremental.Append, topdown.Mondrian{}, false, plain},
		{"extraction of near records", incremental.Append, extract.Extract{}, false, plain},
		{"signatures dealt with coins that are known", incremental.Regroup, topdown.Mondrian{}, true, knownCoins},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := policy(2, 2)
			p.Republication, p.Transparent, p.Initial, p.Local = x.mode, x.tr, x.by, x.by
			p.MaxHold = 0
			worst := 0.0
			for seed := range uint64(3) {
				w := newTiny(t, rand.New(rand.NewPCG(seed, 5)), 7, 2, []int{4, 7}, p)
				for _, level := range w.enumerate(t, three, x.cut) {
					worst = max(worst, level.max)
					t.Logf("%+v", level)
				}
			}
			require.Greater(t, worst, 0.5+1e-6)
		})
	}
}

// TestRuleTReplay is the test of level L2 at any scale (metamorphic): permuting
// the values of a published leaf within its halves, and exchanging the halves,
// changes nothing that the program shows. So do permutations of a leaf that was
// too small or odd to be cut.
func TestRuleTReplay(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 21))
		p := policy(2+rng.IntN(4), 2)
		p.Transparent = true
		n := 300 + rng.IntN(300)
		w := newTiny(t, rng, n, 3, []int{n / 2, n}, p)
		for i := range w.at {
			for j := range w.at[i] {
				w.at[i][j] = rng.IntN(1000)
			}
		}
		world := make([]int, n)
		for i := range world {
			world[i] = min(rng.IntN(8), rng.IntN(8))
		}
		before, leaves := w.replay(t, world)
		require.Greater(t, len(leaves), n/100)
		for range 3 {
			again, _ := w.replay(t, w.symmetric(t, rng, world, leaves))
			require.Equal(t, before, again, "seed %d", seed)
		}
		broken := slices.Clone(world) // a permutation outside the group: values of all records
		rng.Shuffle(n, func(i, j int) { broken[i], broken[j] = broken[j], broken[i] })
		other, _ := w.replay(t, broken)
		require.NotEqual(t, before, other, "the replay cannot tell partitions apart")
	}
}

// replay returns the published members, release by release, and the leaves.
func (w *tiny) replay(t testing.TB, world []int) (shown string, leaves [][]incremental.RecordID) {
	var b strings.Builder
	m := w.run(t, world, cutNow, func(m *incremental.Machine, i *incremental.Intent, err error) {
		fmt.Fprintf(&b, "%v %+v\n", err, m.Status().Pending)
	})
	require.NotNil(t, m.Latest())
	v, err := m.View(m.Latest().Release)
	require.NoError(t, err)
	for _, c := range v.Classes {
		fmt.Fprintln(&b, c.Born, c.Members)
		leaves = append(leaves, c.Members)
	}
	return b.String(), leaves
}

// symmetric draws an element of the group under which Theorem M holds: in each
// leaf, Sym(L) x Sym(R) and the exchange of L and R.
func (w *tiny) symmetric(t testing.TB, rng *rand.Rand, world []int, leaves [][]incremental.RecordID) []int {
	out := slices.Clone(world)
	for _, leaf := range leaves {
		rows := w.ordered(leaf)
		if len(rows)%2 == 1 {
			permute(rng, out, rows)
			continue
		}
		half := len(rows) / 2
		permute(rng, out, rows[:half])
		permute(rng, out, rows[half:])
		if rng.IntN(2) == 0 {
			for i := range half {
				a, b := rows[i], rows[half+i]
				out[a], out[b] = out[b], out[a]
			}
		}
	}
	return out
}

func permute(rng *rand.Rand, world []int, rows []incremental.RecordID) {
	rng.Shuffle(len(rows), func(i, j int) { world[rows[i]], world[rows[j]] = world[rows[j]], world[rows[i]] })
}

// ordered sorts a leaf as its refused cut would: along the dimension in which it
// is widest on the scale of the records that had arrived, then by number.
func (w *tiny) ordered(leaf []incremental.RecordID) []incremental.RecordID {
	cut := w.cuts[0]
	if int(leaf[0]) >= cut || int(leaf[len(leaf)-1]) >= cut {
		cut = w.cuts[1]
	}
	best, width := 0, float32(-1)
	for j := range w.at[0] {
		lo, hi := math.MaxInt, math.MinInt
		for _, x := range w.at[:cut] {
			lo, hi = min(lo, x[j]), max(hi, x[j])
		}
		scale := func(v int) float32 { return float32((float64(v) - float64(lo)) / float64(hi-lo)) }
		a, b := float32(2), float32(-1)
		for _, r := range leaf {
			x := scale(w.at[r][j])
			a, b = min(a, x), max(b, x)
		}
		if b-a > width {
			best, width = j, b-a
		}
	}
	out := slices.Clone(leaf)
	slices.SortStableFunc(out, func(a, b incremental.RecordID) int { return w.at[a][best] - w.at[b][best] })
	return out
}

package incremental_test

import (
	"anond/incremental/state"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/incremental"
)

// odometer enumerates the outcomes of all random shuffles of a run: each digit of it
// is one draw of Fisher and Yates, so every outcome of a run has the
// weight 1/(product of the radices), exactly.
type odometer struct {
	digit, radix []int
	at           int
}

func (c *odometer) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		if c.at == len(c.digit) {
			c.digit, c.radix = append(c.digit, 0), append(c.radix, i+1)
		}
		swap(i, c.digit[c.at])
		c.at++
	}
}

func (c *odometer) weight() float64 {
	w := 1.0
	for _, r := range c.radix {
		w /= float64(r)
	}
	return w
}

// next moves on to the next outcome; false after the last.
func (c *odometer) next() bool {
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
// program and the law of its random draws, and the share of published records (by
// probability) for whom some value exceeds 1/l.
type levelL2 struct {
	max, exposed float64
	transcripts  int
	published    int // transcripts that publish something
}

// enumerate plays ALL worlds of a tiny stream under ALL outcomes of its random draws,
// and computes by Bayes' rule, for each prior, what each transcript shows.
func (w *tiny) enumerate(t testing.TB, priors [][]float64,
	cut func(*incremental.Machine, *odometer) (*state.Intent, error)) []levelL2 {
	n, values := len(w.at), len(priors[0])
	all := map[string]*seen{}
	world := make([]int, n)
	for more := true; more; more = increment(world, values) {
		for c := (&odometer{}); ; {
			var b strings.Builder
			m := w.run(t, world, func(m *incremental.Machine) (*state.Intent, error) { return cut(m, c) },
				func(m *incremental.Machine, i *state.Intent, err error) { transcript(&b, m, world, i, err) })
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
		if i := m.Releases().Latest(); i != nil {
			v, _ := m.Releases().Whole(i.Release)
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

// plain is the cut of a machine that draws nothing.
func plain(m *incremental.Machine, _ *odometer) (*state.Intent, error) {
	return m.Cut(1, [32]byte{})
}

// TestProgramTellsMoreThanItsReleases shows why levels L0 and L1 are all that is
// promised: which cut at the median is taken, and which records extraction joins, depend
// on sensitive values. Someone who knows the program and computes what it would have
// done in each world (level L2) learns some values with more than 1/l.
func TestProgramTellsMoreThanItsReleases(t *testing.T) {
	tier.NotShort(t, "it enumerates for a second")
	three := [][]float64{{1. / 3, 1. / 3, 1. / 3}, {.5, .3, .2}}
	for _, x := range []struct {
		name string
		by   equivclass.Partitioner
	}{
		{"cuts at the median where both halves are eligible", cuts.Median{}},
		{"extraction of near records", extract.Extract{}},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := policy(2, 2)
			p.Republication, p.Initial, p.Local = state.Append, x.by, x.by
			p.MaxHold = 0
			worst := 0.0
			for seed := range uint64(3) {
				w := newTiny(t, rand.New(rand.NewPCG(seed, 5)), 7, 2, []int{4, 7}, p)
				for _, level := range w.enumerate(t, three, plain) {
					worst = max(worst, level.max)
					t.Logf("%+v", level)
				}
			}
			require.Greater(t, worst, 0.5+1e-6)
		})
	}
}

// randomHalves assigns the records to two classes by draws alone, and makes one
// class of them if a half does not satisfy the requirement. Each choice is the
// same for every order of the values.
type randomHalves struct{ draws *odometer }

func (h *randomHalves) Name() string { return "random-halves" }

func (h *randomHalves) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	rows := make([]int32, p.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	h.draws.shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	left, right := rows[:len(rows)/2], rows[len(rows)/2:]
	if want.Holds(p.Bag(left)) && want.Holds(p.Bag(right)) {
		return [][]int32{left, right}, nil
	}
	return [][]int32{rows}, nil
}

// TestEnumerationClearsSymmetricDraws: the same enumeration, over all outcomes of
// the draws, finds nobody exposed where every choice is symmetric in the values.
func TestEnumerationClearsSymmetricDraws(t *testing.T) {
	three := [][]float64{{1. / 3, 1. / 3, 1. / 3}, {.5, .3, .2}}
	for _, n := range []int{4, 5} {
		by := &randomHalves{}
		p := policy(2, 2)
		p.Republication, p.Initial, p.Local = state.Append, by, by
		w := newTiny(t, rand.New(rand.NewPCG(1, 5)), n, 2, []int{n}, p)
		levels := w.enumerate(t, three, func(m *incremental.Machine, c *odometer) (*state.Intent, error) {
			by.draws = c
			return m.Cut(1, [32]byte{})
		})
		for i, level := range levels {
			require.Greater(t, level.published, n, "several outcomes of the draws")
			require.LessOrEqual(t, level.max, 0.5+1e-9, "prior %v: %+v", three[i], level)
		}
	}
}

// TestOdometerEnumeratesEveryOutcome: two shuffles of a run have each pair of orders
// once, and the weights sum to 1.
func TestOdometerEnumeratesEveryOutcome(t *testing.T) {
	orders, sum := map[string]int{}, 0.0
	for c := (&odometer{}); ; {
		a, b := []byte("abcd"), []byte("xyz")
		c.shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
		c.shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		orders[string(a)+string(b)]++
		sum += c.weight()
		if !c.next() {
			break
		}
	}
	require.Len(t, orders, 24*6)
	for _, times := range orders {
		require.Equal(t, 1, times)
	}
	require.InDelta(t, 1, sum, 1e-12)
}

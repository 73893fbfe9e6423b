package equivclass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func tcloseBag(counts ...int) Bag {
	var b Bag
	for c, n := range counts {
		if n > 0 {
			b.Add(Code(c), n)
		}
	}
	return b
}

// Li, Li and Venkatasubramanian, section 5.1: salaries 3k to 11k, each once. The
// class {3k,4k,5k} is at distance 0.375, {6k,8k,11k} at 0.167.
func TestTCloseOrderedExample(t *testing.T) {
	all := tcloseBag(1, 1, 1, 1, 1, 1, 1, 1, 1)
	require.InDelta(t, 0.375, OrderedGround{}.Distance(tcloseBag(1, 1, 1), all), 1e-12)
	require.InDelta(t, 1.0/6, OrderedGround{}.Distance(tcloseBag(0, 0, 0, 1, 0, 1, 0, 0, 1), all), 1e-12)
	require.True(t, TClose{T: 0.375, Reference: all, Ground: OrderedGround{}}.Holds(tcloseBag(1, 1, 1)))
	require.False(t, TClose{T: 0.374, Reference: all, Ground: OrderedGround{}}.Holds(tcloseBag(1, 1, 1)))
	require.Equal(t, "t-close(0.2,ordered)", TClose{T: 0.2, Ground: OrderedGround{}}.Name())
}

// Their figure 1: flu and bronchitis are at 1/3, flu and pulmonary embolism at
// 2/3, flu and stomach cancer at 1.
func TestTCloseHierarchicalExample(t *testing.T) {
	h, err := ParseHierarchy("diseases", strings.NewReader(`flu;respiratory infection;respiratory;*
pneumonia;respiratory infection;respiratory;*
bronchitis;respiratory infection;respiratory;*
pulmonary edema;vascular lung;respiratory;*
pulmonary embolism;vascular lung;respiratory;*
gastric ulcer;stomach;digestive;*
stomach cancer;stomach;digestive;*
gastritis;stomach;digestive;*
colitis;colon;digestive;*
colon cancer;colon;digestive;*
`))
	require.NoError(t, err)
	at := func(name string) Bag {
		c, ok := h.Leaf([]byte(name))
		require.True(t, ok)
		return Bag{Counts: []Count{{c, 1}}, Total: 1}
	}
	g := TreeGround{Tree: h}
	require.InDelta(t, 0.0, g.Distance(at("flu"), at("flu")), 1e-12)
	require.InDelta(t, 1.0/3, g.Distance(at("flu"), at("bronchitis")), 1e-12)
	require.InDelta(t, 2.0/3, g.Distance(at("flu"), at("pulmonary embolism")), 1e-12)
	require.InDelta(t, 1.0, g.Distance(at("flu"), at("stomach cancer")), 1e-12)
}

// A plain twin: the cheapest transport, by sending mass along cheapest paths
// that may take back what was sent before (Bellman and Ford).
func tcloseTwin(class, reference Bag, values int, ground func(a, b int) float64) float64 {
	units := class.Total * reference.Total // counts become integers
	supply, demand := make([]int, values), make([]int, values)
	for _, c := range class.Counts {
		supply[c.Code] = c.N * reference.Total
	}
	for _, c := range reference.Counts {
		demand[c.Code] = c.N * class.Total
	}
	flow := make([][]int, values)
	for i := range flow {
		flow[i] = make([]int, values)
	}
	cost := 0.0
	for sent := 0; sent < units; {
		dist, from := make([]float64, 2*values), make([]int, 2*values) // sources, then sinks
		for i := range dist {
			dist[i], from[i] = math.Inf(1), -1
			if i < values && supply[i] > 0 {
				dist[i] = 0
			}
		}
		for range 2 * values {
			for i := range values {
				for k := range values {
					if d := dist[i] + ground(i, k); d < dist[values+k]-1e-12 {
						dist[values+k], from[values+k] = d, i
					}
					if d := dist[values+k] - ground(i, k); flow[i][k] > 0 && d < dist[i]-1e-12 {
						dist[i], from[i] = d, values+k
					}
				}
			}
		}
		end := -1
		for k := range values {
			if demand[k] > 0 && (end < 0 || dist[values+k] < dist[end]) {
				end = values + k
			}
		}
		cost += dist[end]
		demand[end-values]--
		at := end
		for from[at] >= 0 {
			if before := from[at]; at >= values {
				flow[before][at-values]++
				at = before
			} else {
				flow[at][before-values]--
				at = before
			}
		}
		supply[at]--
		sent++
	}
	return cost / float64(units)
}

func TestTCloseTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const values = 7
	var lines []string
	for i := range values {
		lines = append(lines, fmt.Sprintf("v%d;g%d;h%d;*", i, i/2, i/4))
	}
	h, err := ParseHierarchy("tree", strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	rank := rng.Perm(values)
	tree := func(a, b int) float64 {
		switch {
		case a == b:
			return 0
		case a/2 == b/2:
			return 1.0 / 3
		case a/4 == b/4:
			return 2.0 / 3
		default:
			return 1
		}
	}
	for range 60 {
		class, reference := tcloseRandom(rng, values), tcloseRandom(rng, values)
		require.InDelta(t, tcloseTwin(class, reference, values, func(a, b int) float64 {
			if a == b {
				return 0
			}
			return 1
		}), EqualGround{}.Distance(class, reference), 1e-9)
		require.InDelta(t, tcloseTwin(class, reference, values, func(a, b int) float64 {
			return math.Abs(float64(rank[a]-rank[b])) / (values - 1)
		}), OrderedGround{Rank: rank}.Distance(class, reference), 1e-9)
		require.InDelta(t, tcloseTwin(class, reference, values, tree), TreeGround{Tree: h}.Distance(class, reference), 1e-9)
	}
}

func tcloseRandom(rng *rand.Rand, values int) Bag {
	var b Bag
	for range 1 + rng.IntN(6) {
		b.Add(Code(rng.IntN(values)), 1)
	}
	return b
}

// The union of two classes that are t-close is t-close.
func TestTCloseIsKeptByUnion(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 500 {
		a, b, all := tcloseRandom(rng, 6), tcloseRandom(rng, 6), tcloseRandom(rng, 6)
		for _, g := range []Ground{EqualGround{}, OrderedGround{Rank: []int{0, 1, 2, 3, 4, 5}}} {
			worst := max(g.Distance(a, all), g.Distance(b, all))
			require.LessOrEqual(t, g.Distance(a.Plus(b), all), worst+1e-12)
		}
	}
}

// TestMissingNumbersHaveNoOrder: of intervals that a value may lack, no ordered distance is offered; it has no rank for that value.
func TestMissingNumbersHaveNoOrder(t *testing.T) {
	a := Attribute{Name: "income", Type: Integer, Role: Sensitive, Buckets: []int64{0, 20, 40}}
	_, err := GroundOf(a, "ordered")
	require.NoError(t, err)
	a.Optional = true
	_, err = GroundOf(a, "ordered")
	require.ErrorContains(t, err, "ordered needs buckets and no missing values")
	d := NewDictionary(a)
	lacks, why := d.Encode(nil)
	require.Equal(t, Accepted, why)
	for _, g := range Grounds(a) {
		require.Positive(t, g.Distance(BagOfCodes([]Code{lacks}), BagOfCodes([]Code{0, lacks})))
	}
}

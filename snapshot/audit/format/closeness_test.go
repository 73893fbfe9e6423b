package format

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func testClose(t testing.TB, distance string, c *Column, h *LabelTree, reference ...ValueCount) *CloseTest {
	p := &ClosePromise{T: 0.5, Distance: distance, Reference: reference}
	require.Empty(t, p.Check())
	return NewCloseTest(p, &ValueDict{Ids: map[string]uint32{}}, c, h)
}

func measure(t *CloseTest, values ...string) float64 {
	count := map[uint32]uint32{}
	for _, v := range values {
		count[t.Dict.Intern([]byte(v))]++
	}
	var ids, counts []uint32
	for id, n := range count {
		ids, counts = append(ids, id), append(counts, n)
	}
	return t.Distance(ids, counts)
}

// TestDistanceOfThePaper works the example of Li, Li and Venkatasubramanian
// (section 4.2): salaries 3k to 11k, classes {3k,4k,5k} and {6k,8k,11k}.
func TestDistanceOfThePaper(t *testing.T) {
	var all []ValueCount
	for n := 3; n <= 11; n++ {
		all = append(all, ValueCount{Value: strconv.Itoa(1000 * n), Count: 1})
	}
	c := testClose(t, DistanceOrdered, &Column{Type: "integer"}, nil, all...)
	require.InDelta(t, 0.375, measure(c, "3000", "4000", "5000"), 1e-12)
	require.InDelta(t, 0.167, measure(c, "6000", "8000", "11000"), 5e-4)
	require.InDelta(t, 2.0/3, measure(testClose(t, DistanceEqual, &Column{}, nil, all...), "3000", "4000", "5000"), 1e-12)
}

// transport is the earth mover's distance by its definition: the cheapest way to
// carry the units of one bag to those of another of the same size, each unit
// once (a matching), by trying all.
func transport(from, to []string, cost func(a, b string) float64) float64 {
	if len(from) == 0 {
		return 0
	}
	best := math.Inf(1)
	for i, v := range to {
		rest := slices.Delete(slices.Clone(to), i, i+1)
		best = min(best, cost(from[0], v)+transport(from[1:], rest, cost))
	}
	return best
}

// TestDistanceIsTheCheapestTransport holds the three distances against the
// definition, on bags of the size of the reference.
func TestDistanceIsTheCheapestTransport(t *testing.T) {
	h, err := ParseHierarchy("h.csv", []byte("a;x;p;*\nb;x;p;*\nc;c;p;*\nd;y;q;*\ne;y;q;*\nf;f;f;*\n"))
	require.NoError(t, err)
	leaves := []string{"a", "b", "c", "d", "e", "f"}
	height := func(a, b string) float64 { // of the lowest common ancestor; x and y are 1 high, p and q 2, the root 3
		i, j := slices.Index(leaves, a), slices.Index(leaves, b)
		if i > j {
			i, j = j, i
		}
		switch {
		case i == j:
			return 0
		case i == 0 && j == 1:
			return 1
		case j <= 2:
			return 2
		case i == 3 && j == 4:
			return 1
		}
		return 3
	}
	ordered := &Column{Type: "integer", Hierarchy: &Hierarchy{Buckets: []float64{0, 10, 20, 30, 40, 50}}}
	buckets := []string{"0..10", "10..20", "20..30", "30..40", "40..50", "50+"}
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		n := 2 + r.IntN(5)
		var from, to []int
		for range n {
			from, to = append(from, r.IntN(6)), append(to, r.IntN(6))
		}
		texts := func(ids []int, of []string) (out []string) {
			for _, i := range ids {
				out = append(out, of[i])
			}
			return out
		}
		reference := func(of []string) (out []ValueCount) {
			count := map[string]float64{}
			for _, v := range texts(to, of) {
				count[v]++
			}
			for v, n := range count {
				out = append(out, ValueCount{Value: v, Count: n})
			}
			return out
		}
		for _, c := range []struct {
			test *CloseTest
			of   []string
			cost func(a, b string) float64
		}{
			{testClose(t, DistanceEqual, &Column{}, nil, reference(leaves)...), leaves, func(a, b string) float64 {
				if a == b {
					return 0
				}
				return 1
			}},
			{testClose(t, DistanceOrdered, ordered, nil, reference(buckets)...), buckets, func(a, b string) float64 {
				return math.Abs(float64(slices.Index(buckets, a)-slices.Index(buckets, b))) / 5
			}},
			{testClose(t, DistanceOrdered, &Column{Type: "categorical"}, h, reference(leaves)...), leaves, func(a, b string) float64 {
				return math.Abs(float64(slices.Index(leaves, a)-slices.Index(leaves, b))) / 5
			}},
			{testClose(t, DistanceTree, &Column{Type: "categorical"}, h, reference(leaves)...), leaves,
				func(a, b string) float64 { return height(a, b) / 3 }},
		} {
			want := transport(texts(from, c.of), texts(to, c.of), c.cost) / float64(n)
			require.InDelta(t, want, measure(c.test, texts(from, c.of)...), 1e-9, c.test.Kind)
		}
	}
	require.True(t, math.IsInf(measure(testClose(t, DistanceTree, &Column{}, h, ValueCount{Value: "a", Count: 1}),
		"zebra"), 1),
		"a value without a place")
}

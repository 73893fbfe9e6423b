package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

func testClose(t testing.TB, distance string, c *format.Column, h *format.LabelTree, reference ...format.ValueCount) *format.CloseTest {
	p := &format.ClosePromise{T: 0.5, Distance: distance, Reference: reference}
	require.Empty(t, p.Check())
	return format.NewCloseTest(p, &format.ValueDict{Ids: map[string]uint32{}}, c, h)
}

func measure(t *format.CloseTest, values ...string) float64 {
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
	var all []format.ValueCount
	for n := 3; n <= 11; n++ {
		all = append(all, format.ValueCount{Value: strconv.Itoa(1000 * n), Count: 1})
	}
	c := testClose(t, format.DistanceOrdered, &format.Column{Type: "integer"}, nil, all...)
	require.InDelta(t, 0.375, measure(c, "3000", "4000", "5000"), 1e-12)
	require.InDelta(t, 0.167, measure(c, "6000", "8000", "11000"), 5e-4)
	require.InDelta(t, 2.0/3, measure(testClose(t, format.DistanceEqual, &format.Column{}, nil, all...), "3000", "4000", "5000"), 1e-12)
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
	h, err := format.ParseHierarchy("h.csv", []byte("a;x;p;*\nb;x;p;*\nc;c;p;*\nd;y;q;*\ne;y;q;*\nf;f;f;*\n"))
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
	ordered := &format.Column{Type: "integer", Hierarchy: &format.Hierarchy{Buckets: []float64{0, 10, 20, 30, 40, 50}}}
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
		reference := func(of []string) (out []format.ValueCount) {
			count := map[string]float64{}
			for _, v := range texts(to, of) {
				count[v]++
			}
			for v, n := range count {
				out = append(out, format.ValueCount{Value: v, Count: n})
			}
			return out
		}
		for _, c := range []struct {
			test *format.CloseTest
			of   []string
			cost func(a, b string) float64
		}{
			{testClose(t, format.DistanceEqual, &format.Column{}, nil, reference(leaves)...), leaves, func(a, b string) float64 {
				if a == b {
					return 0
				}
				return 1
			}},
			{testClose(t, format.DistanceOrdered, ordered, nil, reference(buckets)...), buckets, func(a, b string) float64 {
				return math.Abs(float64(slices.Index(buckets, a)-slices.Index(buckets, b))) / 5
			}},
			{testClose(t, format.DistanceOrdered, &format.Column{Type: "categorical"}, h, reference(leaves)...), leaves, func(a, b string) float64 {
				return math.Abs(float64(slices.Index(leaves, a)-slices.Index(leaves, b))) / 5
			}},
			{testClose(t, format.DistanceTree, &format.Column{Type: "categorical"}, h, reference(leaves)...), leaves,
				func(a, b string) float64 { return height(a, b) / 3 }},
		} {
			want := transport(texts(from, c.of), texts(to, c.of), c.cost) / float64(n)
			require.InDelta(t, want, measure(c.test, texts(from, c.of)...), 1e-9, c.test.Kind)
		}
	}
	require.True(t, math.IsInf(measure(testClose(t, format.DistanceTree, &format.Column{}, h, format.ValueCount{Value: "a", Count: 1}),
		"zebra"), 1),
		"a value without a place")
}

// TestClosenessOfTheSensitiveAttribute: a promise t of policy.diversity is tested
// on every class, against release 1's own bag or what was declared.
func TestClosenessOfTheSensitiveAttribute(t *testing.T) {
	own := []format.ValueCount{{Value: "a", Count: 7}, {Value: "b", Count: 6}, {Value: "c", Count: 5}, {Value: "d", Count: 4}, {Value: "e",
		Count: 4}, {Value: "f", Count: 1}}
	for _, c := range []struct {
		name     string
		t        float64
		declared bool
		ref      []format.ValueCount
		want     string
	}{
		{"kept", 0.7, false, nil, ""},
		{"exceeded", 0.1, false, nil, format.KindPrinciple},
		{"another reference", 0.9, false, own, format.KindReference},
		{"declared", 0.9, true, own, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := standard()
			releases := p.render()
			count := map[string]float64{}
			for _, row := range releases[0].rows {
				count[row.value]++
			}
			ref := c.ref
			if ref == nil {
				for v, n := range count {
					ref = append(ref, format.ValueCount{Value: v, Count: n})
				}
				slices.SortFunc(ref, func(a, b format.ValueCount) int { return int(a.Value[0]) - int(b.Value[0]) })
			}
			for _, x := range releases {
				x.policy["diversity"] = []any{map[string]any{"kind": "t", "t": c.t, "distance": "equal", "declared": c.declared, "reference": ref}}
			}
			r, err := Dir(p.write(t, releases))
			require.NoError(t, err)
			if c.want == "" {
				require.Equal(t, VerdictCertified, r.Verdict, r.Violations)
				return
			}
			require.Contains(t, kinds(r.Violations), c.want)
		})
	}
}

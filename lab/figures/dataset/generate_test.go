package dataset

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// The cardinalities are those of the papers' attribute tables.
func TestGeneratedHasThePapersCardinalities(t *testing.T) {
	for _, c := range []struct {
		profile profile
		sizes   []int
	}{
		{Census(), []int{78, 2, 17, 6, 9, 10, 83, 50, 50}},
		{IPUMS(), []int{2, 73, 13, 6, 9, 11, 93, 257, 719}},
	} {
		table := Generated(c.profile, 100, 1)
		require.Len(t, table.Dicts, len(c.sizes))
		for j, size := range c.sizes {
			assert.Equal(t, size, table.Dicts[j].Len(), "%s %s", c.profile.Name, c.profile.Attributes()[j])
		}
	}
}

func TestGeneratedIsFixedByItsSeed(t *testing.T) {
	a, b, longer, other := Generated(IPUMS(), 500, 7), Generated(IPUMS(), 500, 7), Generated(IPUMS(), 900, 7), Generated(IPUMS(), 500, 8)
	require.Equal(t, a.Codes, b.Codes)
	require.NotEqual(t, a.Codes, other.Codes)
	for j := range a.Codes {
		require.Equal(t, a.Codes[j], longer.Codes[j][:500], "a longer table begins with the shorter one")
	}
}

// top returns the commonest value's share.
func top(table *equivclass.Table, j int) float64 {
	counts := make([]int, table.Dicts[j].Len())
	for _, c := range table.Codes[j] {
		counts[c]++
	}
	return float64(slices.Max(counts)) / float64(table.Len())
}

// The papers ask for l = 10 on CENSUS, and l = 20 on IPUMS; the commonest value
// of SAL is rarer than that of OCC (permutation paper, section 4.2.1).
func TestGeneratedSensitiveValuesAllowThePapersL(t *testing.T) {
	census, ipums := Generated(Census(), 50_000, 1), Generated(IPUMS(), 31_055, 1)
	occ, sal := top(census, Census().Index("occupation")), top(census, Census().Index("salary-class"))
	t.Logf("occupation %.3f, salary-class %.3f; IPUMS age %.3f, occupation %.3f, salary %.3f", occ, sal, top(ipums, 1), top(ipums, 7),
		top(ipums, 8))
	assert.Less(t, sal, occ)
	assert.Less(t, occ, .1)
	for _, j := range []int{1, 7, 8} {
		assert.Less(t, top(ipums, j), .05)
	}
}

// Marginals are the profile's, and neighbours in the table depend on each other.
func TestGeneratedIsSkewedAndCorrelated(t *testing.T) {
	p := Census()
	table := Generated(p, 50_000, 1)
	assert.InDelta(t, .85, top(table, p.Index("country")), .01)
	assert.InDelta(t, .77, top(table, p.Index("race")), .01)
	for _, pair := range [][2]string{{"age", "marital"}, {"education", "occupation"}, {"occupation", "salary-class"}, {"race", "country"},
		{"age", "salary-class"}} {
		a, b := p.Index(pair[0]), p.Index(pair[1])
		// means of b in the lower and upper third of a differ
		assert.Greater(t, meanGap(table.Codes[a], table.Codes[b], table.Dicts[a].Len(), table.Dicts[b].Len()), .03, pair)
	}
}

// meanGap is how far the mean of b differs between records with low, middle and
// high values of a, as a share of b's domain.
func meanGap(a, b []equivclass.Code, sizeA, sizeB int) float64 {
	var sum, n [3]float64
	for i := range a {
		third := int(a[i]) * 3 / sizeA
		sum[third] += float64(b[i]) / float64(sizeB)
		n[third]++
	}
	var means []float64
	for i := range sum {
		if n[i] > 0 {
			means = append(means, sum[i]/n[i])
		}
	}
	return slices.Max(means) - slices.Min(means)
}

func BenchmarkGenerated(b *testing.B) {
	for b.Loop() {
		Generated(Census(), 500_000, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500_000, "ns/row")
}

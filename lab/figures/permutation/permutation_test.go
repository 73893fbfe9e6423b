package permutation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/query"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
	"anond/lab/figures/figurestest"
)

// The two corners make other groups, and the two conditions ask other queries of
// the same intervals; so the four readings are four measurements.
func TestReadingsDiffer(t *testing.T) {
	table := occ(dataset.Generated(dataset.Census(), 3000, 1), 5)
	s := newSweep(table.name, []float64{2})
	w := table.workloads(t.Context(), usualW, usualVolume, 60, 1)
	require.NoError(t, s.measure(t.Context(), 0, table, w, s.cut(table, 2, 1)))
	means := map[float64]bool{}
	for _, r := range readings() {
		means[s.mean(r, 0)] = true
	}
	assert.Len(t, means, len(readings()))
	assert.Less(t, s.mean(readings()[0], 0), s.mean(reading{byTableCorners, aValue}, 0))

	sensitive := func(q *query.Bound) (values int) {
		for _, m := range q.Preds[len(q.Preds)-1].Match {
			if m {
				values++
			}
		}
		return values
	}
	for _, q := range w[aValue].queries {
		require.Equal(t, 1, sensitive(q))
	}
	for _, q := range w[anInterval].queries {
		require.Equal(t, 31, sensitive(q), "floor(50 x 0.1^(1/5))")
	}
}

// A claim about permutation is judged under each reading, the paper's words
// first; one about anatomy has no corners.
func TestClaimsNameTheirReadings(t *testing.T) {
	r, err := figurestest.Find(t, Figures(), "pa-4").Run(t.Context(), figures.Input{Seed: 1, Scale: .005})
	require.NoError(t, err)
	for _, c := range r.Claims {
		require.Len(t, c.Readings, 4, c.Text)
		assert.Equal(t, "corners of each sub-table, A_w is a value", c.Readings[0].Words)
		assert.Equal(t, "corners of the table, A_w is an interval", c.Readings[3].Words)
		assert.NotEqual(t, c.Readings[0].Numbers, c.Readings[2].Numbers, "corners")
		assert.NotEqual(t, c.Readings[0].Numbers, c.Readings[1].Numbers, "conditions")
	}
	only := underConditions("Something.", "", func(on condition) figures.Finding { return figures.Found(figures.If(on == aValue), "1") })
	assert.Equal(t, figures.Depends, only.Verdict())
}

// Weighted by the share of its value, a query on a value of the domain counts as
// often as one on the value of a random record.
func TestSharesOfValues(t *testing.T) {
	table := sal(dataset.Generated(dataset.Census(), 5000, 1), 3)
	w := table.workloads(t.Context(), usualW, usualVolume, 200, 1)[aValue]
	share := table.shares(w.queries)
	counted := 0.0
	for i, q := range w.queries {
		n := 0
		for _, c := range table.table.Codes[table.sensitive()] {
			if q.Preds[len(q.Preds)-1].Match[c] {
				n++
			}
		}
		require.InDelta(t, float64(n)/5000, share[i], 1e-12)
		counted += share[i]
	}
	require.Positive(t, counted)
	assert.InDelta(t, 2.5, weighted([]float64{1, 3}, []float64{1, 3}), 1e-12)
}

// Categories in order are numbers from 0 to 1; the pool itself stays as it is.
func TestInOrderOf(t *testing.T) {
	table := occ(dataset.Generated(dataset.Census(), 100, 1), 3)
	const gender = 1
	require.Equal(t, equivclass.Set, table.pool.Space.Dims[gender].Kind)
	ordered := inOrderOf(table.pool)
	assert.Equal(t, equivclass.Number, ordered.Space.Dims[gender].Kind)
	assert.Equal(t, equivclass.Set, table.pool.Space.Dims[gender].Kind)
	assert.InDelta(t, 1, ordered.Space.Dims[gender].RangeLoss(0, 1), 1e-6)
}

func TestOneSettingOfMoreErrorRefutes(t *testing.T) {
	assert.Equal(t, figures.Holds, versus{less: 2}.verdict())
	assert.Equal(t, figures.Undecided, versus{less: 2, alike: 1}.verdict())
	assert.Equal(t, figures.HoldsNot, versus{less: 2, alike: 1, more: 1}.verdict())

	assert.Equal(t, figures.Holds, versus{less: 9, alike: 1, lower: 10}.inAllCases())
	assert.Equal(t, figures.Undecided, versus{less: 9, alike: 1, lower: 9}.inAllCases(), "a higher mean")
	assert.Equal(t, figures.Undecided, versus{less: 8, alike: 2, lower: 10}.inAllCases(), "two of ten are not clear")
	assert.Equal(t, figures.HoldsNot, versus{less: 9, more: 1, lower: 9}.inAllCases())
}

// The figures are the same for the same seed, but for times.
func TestFiguresRepeat(t *testing.T) {
	tier.NotShort(t, "it draws figures")
	for _, id := range []string{"pa-4", "pa-5"}[:tier.Of(t, 1, 1, 2)] {
		f := figurestest.Find(t, Figures(), id)
		in := figures.Input{Seed: 3, Scale: .005}
		a, err := f.Run(t.Context(), in)
		require.NoError(t, err)
		b, err := f.Run(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, len(a.Panels), len(b.Panels))
		require.NotEmpty(t, a.Claims)
		for i := range a.Panels {
			if !a.Panels[i].Timed {
				assert.Equal(t, a.Panels[i].Rows, b.Panels[i].Rows, "%s %s", id, a.Panels[i].Name)
			}
		}
		if id != "pa-5" {
			assert.Equal(t, a.Claims, b.Claims)
		}
	}
}

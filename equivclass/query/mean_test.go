package query

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// TestMeanIsTheBestOfAllChoices: the least mean of a choice is that of the enumeration of all choices of each group's numbers.
func TestMeanIsTheBestOfAllChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 500 {
		var e extreme
		type sums map[int]map[float64]bool // by how many are chosen
		all := sums{0: {0: true}}
		for range 1 + rng.IntN(3) {
			values := make([]float64, rng.IntN(5))
			for i := range values {
				values[i] = float64(rng.IntN(9) - 4)
			}
			slices.Sort(values)
			most := rng.IntN(len(values) + 1)
			least := rng.IntN(most + 1)
			e.add(values[:most], least)
			next := sums{}
			for set := range 1 << len(values) {
				n, sum := 0, 0.0
				for i, v := range values {
					if set>>i&1 == 1 {
						n, sum = n+1, sum+v
					}
				}
				if n < least || n > most {
					continue
				}
				for m, before := range all {
					for s := range before {
						if next[m+n] == nil {
							next[m+n] = map[float64]bool{}
						}
						next[m+n][s+sum] = true
					}
				}
			}
			all = next
		}
		want := math.Inf(1)
		for n, sums := range all {
			for sum := range sums {
				if n > 0 {
					want = min(want, sum/float64(n))
				}
			}
		}
		if got := e.mean(cmp.Compare); math.IsInf(want, 1) {
			require.True(t, math.IsNaN(got))
		} else {
			require.InDelta(t, want, got, 1e-12)
		}
	}
}

// TestMeanDividesTheEstimates: a mean is the sum's estimate over the count's of those who have a number; its bounds hold the true mean
// of every table, and are exact where cells are.
func TestMeanDividesTheEstimates(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		table := queryTable(t, rng, 48)
		s := len(table.Dicts) - 1
		buckets, classes, of := bucketed(table, 1+rng.IntN(4), 1+rng.IntN(3))
		cells := NewCellRelease(table.Dicts, table.Codes, classes, s)
		cells.Grain = Grains(table.Dicts)
		joint := &JointRelease{BucketRelease: buckets, Sensitive: []SensitiveBags{{Attribute: s, Bags: buckets.Bags}},
			Pool: make([]int32, len(buckets.Bags))}
		sexes := SensitiveBags{Attribute: 2}
		for _, rows := range of {
			sexes.Bags = append(sexes.Bags, equivclass.BagOf(table.Codes[2], rows))
		}
		joint.Sensitive = append(joint.Sensitive, sexes)
		rows := equivtest.Rows(len(classes) * int(buckets.Size[0]))
		for _, where := range []string{"", " where age in [2,5]", " where sex = F and age < 4", " where income > 0 and place = left",
			" where age > 6 and income in {-1, 2} and sex != X", " where age = 3"} {
			for _, of := range []string{"income", "age"} {
				q, count := paBound(t, table.Dicts, "mean("+of+")"+where), paBound(t, table.Dicts, "count"+where)
				sum := paBound(t, table.Dicts, "sum("+of+")"+where)
				truth, n := queryDirect(sum, table, rows), queryDirect(count, table, rows)
				whole := NewBlockRelease(table.Dicts, table.Codes, [][]int32{rows}, WholeBlock(4)).Estimate(q)
				if n == 0 {
					require.True(t, whole.Nobody())
				} else {
					require.InDelta(t, truth/n, whole.Lower, 1e-12)
					require.InDelta(t, truth/n, whole.Upper, 1e-12)
				}
				for name, e := range map[string]Estimator{"cells": cells, "buckets": buckets, "joint": joint,
					"anatomy": NewBlockRelease(table.Dicts, table.Codes, classes, AnatomyBlocks(4, s))} {
					a := e.Estimate(q)
					if a.Nobody() {
						require.Zero(t, n, name+where)
						continue
					}
					if people := e.Estimate(count).Estimate; people > 0 {
						require.InDelta(t, e.Estimate(sum).Estimate/people, a.Estimate, 1e-9, name+where)
					}
					require.LessOrEqual(t, a.Lower, a.Estimate)
					require.LessOrEqual(t, a.Estimate, a.Upper)
					if n > 0 {
						require.LessOrEqual(t, a.Lower, truth/n+1e-9, name+where)
						require.GreaterOrEqual(t, a.Upper, truth/n-1e-9, name+where)
					}
				}
			}
		}
	}
}

// TestAMissingNumberIsInNoMean: of four people of a bucket, one has no number.
func TestAMissingNumberIsInNoMean(t *testing.T) {
	age := equivclass.NewDictionary(equivclass.Attribute{Name: "age", Type: equivclass.Integer, Role: equivclass.Quasi})
	income := equivclass.NewDictionary(equivclass.Attribute{Name: "income", Type: equivclass.Integer, Role: equivclass.Sensitive,
		Optional: true})
	for _, text := range []string{"20", "30"} {
		require.NoError(t, age.Restore(text))
	}
	for _, text := range []string{"10", "?", "40"} {
		require.NoError(t, income.Restore(text))
	}
	dicts := []*equivclass.Dictionary{age, income}
	r := NewCellRelease(dicts, [][]equivclass.Code{{0, 0, 1, 1}, {0, 1, 2, 2}}, [][]int32{{0, 1, 2, 3}}, 1)
	r.Grain = Grains(dicts)
	assert.Equal(t, Answer{30, 30, 30}, r.Estimate(paBound(t, dicts, "mean(income)")))
	a := r.Estimate(paBound(t, dicts, "mean(income) where age = 20"))
	assert.InDelta(t, 30, a.Estimate, 1e-9)
	assert.Equal(t, [2]float64{10, 40}, [2]float64{a.Lower, a.Upper})
	assert.True(t, r.Estimate(paBound(t, dicts, "mean(income) where age > 30")).Nobody())
}

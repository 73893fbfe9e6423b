package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/equivclass/query"
	"anond/lab/estimate"
)

// twoWay is a crosstab of a quasi-identifier and the sensitive attribute: by row and column what is true, and a query.
type twoWay struct {
	truth   [][]float64
	queries [][]*query.Bound
}

// crosstabs are all two-way tables of a release with one sensitive attribute. Rows are quarters of a number, and of other attributes
// the eight most frequent values and all others; columns are the values, of a number the intervals that it was declared with.
func (r *reached) crosstabs(t *testing.T, one []float64) (out []twoWay) {
	s := len(r.quasi)
	columns := r.rows(s, one)
	dicts := r.release.Each()[0].Dicts
	for j := range r.quasi {
		var table twoWay
		for _, row := range r.rows(j, nil) {
			var truth []float64
			var queries []*query.Bound
			for _, column := range columns {
				n := 0
				for _, p := range r.people {
					if row.holds(p[j]) && column.holds(p[s]) {
						n++
					}
				}
				truth, queries = append(truth, float64(n)), append(queries, r.bind(t, []restriction{row, column}, "", dicts))
			}
			table.truth, table.queries = append(table.truth, truth), append(table.queries, queries)
		}
		out = append(out, table)
	}
	return out
}

// rows divides the values of a column.
func (r *reached) rows(j int, bounds []float64) (out []restriction) {
	count := map[string]int{}
	var numbers []float64
	for _, p := range r.people {
		count[p[j]]++
		v, _ := strconv.ParseFloat(p[j], 64)
		numbers = append(numbers, v)
	}
	if r.numeric[r.header[j]] || bounds != nil {
		if slices.Sort(numbers); bounds == nil {
			bounds = []float64{math.Inf(-1), numbers[len(numbers)/4], numbers[len(numbers)/2], numbers[3*len(numbers)/4]}
		}
		bounds = slices.Compact(append(slices.Clone(bounds), 1e9))
		for i := range len(bounds) - 1 {
			out = append(out, restriction{column: j, lo: max(-1e9, bounds[i]), hi: bounds[i+1] - 1})
		}
		return out
	}
	var names []string
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return count[b] - count[a] })
	rest := map[string]bool{}
	for i, name := range names {
		if i < 8 || j == len(r.quasi) {
			out = append(out, restriction{column: j, set: map[string]bool{name: true}})
		} else {
			rest[name] = true
		}
	}
	if len(rest) > 0 {
		out = append(out, restriction{column: j, set: rest})
	}
	return out
}

// logOdds is the logarithm of the odds ratio of a cell against all others.
func logOdds(table [][]float64, i, k int) float64 {
	var row, column, all float64
	for a := range table {
		for b, n := range table[a] {
			all += n
			if a == i {
				row += n
			}
			if b == k {
				column += n
			}
		}
	}
	n := table[i][k]
	return math.Log(max(n, .5) * max(all-row-column+n, .5) / (max(row-n, .5) * max(column-n, .5)))
}

// TestIntervalsCover: of the two-way counts of at least 20 people, 95 % intervals hold at least 90 %; strong relations are within 25 %
// or hidden, but for few; and the median error is below half of that of the shares.
func TestIntervalsCover(t *testing.T) {
	tier.Heavy(t, "it publishes 25 releases, and asks thousands of counts of each")
	for _, c := range []struct {
		name string
		trial
		bounds []float64
	}{
		{"Adult occupation", adultTrial("", occupation), nil},
		{"Adult income", adultTrial("", named(yesNo, "income", ">50K", "0.5")), nil},
		{"ACS income", acsTrial("", incomes), []float64{0, 1, 5000, 12000, 20000, 29000, 38000, 50000, 68000, 100000}},
		{"diabetes readmitted", diabetesTrial("", named(yesNo, "readmitted", "<30", "0.3")), nil},
		{"cars claim", carsTrial(named(yesNo, "claim", "yes", "0.8")), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cells, covered, hidden, strong, near, silent int
			var errs, plain, shown, widths []float64
			seeds := uint64(2)
			if n, err := strconv.ParseUint(os.Getenv("ANOND_SEEDS"), 10, 8); err == nil {
				seeds = n
			}
			for seed := range seeds {
				c.seed = seed
				r := c.reach(t)
				buckets, ok := r.release.Each()[0].AsBuckets()
				require.True(t, ok)
				m := estimate.NewModel(buckets)
				for _, table := range r.crosstabs(t, c.bounds) {
					var replies [][]estimate.Reply
					values := make([][]float64, len(table.truth))
					all := m.Answers(slices.Concat(table.queries...))
					for i, row := range table.queries {
						replies, all = append(replies, all[:len(row)]), all[len(row):]
						for _, a := range replies[i] {
							values[i] = append(values[i], a.Estimate)
						}
					}
					for i := range table.truth {
						for k, truth := range table.truth[i] {
							a := replies[i][k]
							require.LessOrEqual(t, a.Lower, truth+1e-6)
							require.GreaterOrEqual(t, a.Upper, truth-1e-6)
							if truth < 20 {
								continue
							}
							cells++
							if a.Low <= truth && truth <= a.High {
								covered++
							}
							errs, plain = append(errs, math.Abs(a.Estimate-truth)/truth), append(plain, math.Abs(a.Shares-truth)/truth)
							widths = append(widths, (a.High-a.Low)/2/truth)
							if a.Hidden {
								hidden++
							} else {
								shown = append(shown, math.Abs(a.Estimate-truth)/truth)
							}
							if lo := logOdds(table.truth, i, k); math.Abs(lo) > 1 {
								strong++
								if math.Abs(logOdds(values, i, k)/lo-1) <= .25 {
									near++
								} else if !a.Hidden && (len(replies[i]) > 2 || !replies[i][1-k].Hidden) {
									silent++
								}
							}
						}
					}
				}
			}
			part := func(n, of int) float64 { return float64(n) / math.Max(1, float64(of)) }
			t.Logf("%-20s %5d cells: %.3f covered, half width %.3f, %.3f hidden; median error %.3f (shown %.3f), by shares %.3f; "+
				"%d strong: %.2f within 25 %%, %.3f neither that nor hidden", c.name, cells, part(covered, cells), median(widths),
				part(hidden, cells), median(errs), median(shown), median(plain), strong, part(near, strong), part(silent, strong))
			assert.GreaterOrEqual(t, part(covered, cells), .9)
			assert.LessOrEqual(t, part(silent, strong), .1)
			assert.LessOrEqual(t, median(errs), median(plain))
		})
	}
}

package estimate

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
)

// queryTable draws a table of a number, a leaf, a category and a number.
func queryTable(t testing.TB, rng *rand.Rand, n int) *flagged.Table {
	attributes := []equivclass.Attribute{
		{Name: "age", Type: equivclass.Integer}, {Name: "place", Type: equivclass.Categorical, Hierarchy: equivtest.Tree(t)},
		{Name: "sex", Type: equivclass.Categorical}, {Name: "income", Type: equivclass.Integer},
	}
	rows := make([][]string, n)
	for i := range rows {
		rows[i] = []string{strconv.Itoa(rng.IntN(9)), string(rune('a' + rng.IntN(6))), []string{"F", "M", "X"}[rng.IntN(3)],
			strconv.Itoa(rng.IntN(7) - 3)}
	}
	// every value occurs, so that every query can be asked
	for v := range 9 {
		rows[v%n][0] = strconv.Itoa(v)
	}
	for i, s := range []string{"F", "M", "X"} {
		rows[i][2] = s
	}
	return equivtest.Table(t, attributes, rows)
}

var queryTexts = []string{
	"count",
	"count where age in [2,5]",
	"count where age in (2,5] and sex = F",
	"count where age != 4 and sex != M and income > 0",
	"count where place = left and age >= 3 and age < 7",
	"count where place not in {a, right} and income in {-1, 0, 2}",
	"sum(income)",
	"sum(income) where age > 2 and sex in {F, X}",
	"sum(income) where income != 1 and place = left",
	"sum(age) where sex = M and income <= 0",
	"sum(age) where age in [1,6] and place in {a, d}",
}

// queryDirect answers a query record by record, from the texts alone.
func queryDirect(q *query.Bound, t *flagged.Table, rows []int32) float64 {
	var out float64
next:
	for _, r := range rows {
		for _, p := range q.Preds {
			if !p.Match[t.Codes[p.Attribute][r]] {
				continue next
			}
		}
		if q.Sum < 0 {
			out++
		} else {
			out += t.Dicts[q.Sum].Number(t.Codes[q.Sum][r])
		}
	}
	return out
}

// bucketed makes classes of k rows in order, and buckets of some neighbouring classes.
func bucketed(t *flagged.Table, k, together int) (r *query.BucketRelease, classes, buckets [][]int32) {
	rows := equivtest.Rows(t.Len())
	for from := 0; from+k <= len(rows); from += k {
		classes = append(classes, rows[from:from+k])
	}
	s := len(t.Dicts) - 1
	cells := query.NewCellRelease(t.Dicts, t.Codes, classes, s)
	cells.Grain = query.Grains(t.Dicts)
	r = cells.Buckets()
	r.Tight, r.Bags = true, nil
	for i := range classes {
		b := i / together
		if b == len(buckets) {
			buckets = append(buckets, nil)
		}
		r.Bucket[i] = int32(b)
		buckets[b] = append(buckets[b], classes[i]...)
	}
	for _, rows := range buckets {
		r.Bags = append(r.Bags, equivclass.BagOf(t.Codes[s], rows))
	}
	return r, classes, buckets
}

func paBound(t testing.TB, dicts []*equivclass.Dictionary, text string) *query.Bound {
	t.Helper()
	q, err := query.Parse(text)
	require.NoError(t, err)
	bound, err := query.Bind(q, dicts)
	require.NoError(t, err)
	return bound
}

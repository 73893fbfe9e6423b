package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
)

// related is a table whose sensitive value follows two of its attributes, in an
// order in which neighbours have like coordinates, in classes of 10 and buckets of
// three classes from anywhere.
func related(n int) (*flagged.Table, *query.BucketRelease) {
	census := equivtest.CensusLike(n)
	columns := []int{0, 2, 7}
	table := &flagged.Table{Table: &equivclass.Table{}, Flags: census.Flags}
	rows := equivtest.Rows(n)
	slices.SortStableFunc(rows, func(a, b int32) int {
		if c := int(census.Codes[2][a]) - int(census.Codes[2][b]); c != 0 {
			return c
		}
		return int(census.Codes[0][a]) - int(census.Codes[0][b])
	})
	var classes [][]int32
	for from := 0; from+10 <= n; from += 10 {
		classes = append(classes, rows[from:from+10])
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	for _, j := range columns {
		table.Dicts = append(table.Dicts, census.Dicts[j])
		table.Codes = append(table.Codes, cut.Gather(census.Codes[j], slices.Concat(classes...)))
	}
	r, _, _ := bucketed(table, 10, 3)
	return table, r
}

// What the regression learns more than halves the error of the bucket shares.
func TestModelHalvesTheError(t *testing.T) {
	table, r := related(6000)
	m := NewModel(r)
	truth := query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{equivtest.Rows(table.Len())}, query.WholeBlock(3))
	src := cut.SplitMix(3)
	queries := accuracy.Counts(table.Dicts, []int{0, 1}, 2, 3, .05, 300, &src)
	plain := accuracy.Measure(queries, truth, r.Estimate)
	model := accuracy.Measure(queries, truth, func(q *query.Bound) query.Answer { return query.Answer{Estimate: m.Estimate(q)} })
	t.Logf("median error %.3f by shares, %.3f by the model", plain.Median, model.Median)
	require.Less(t, model.Median, plain.Median/2)
	again := NewModel(r)
	for _, q := range queries {
		require.Equal(t, m.Estimate(q), again.Estimate(q), "the same release gives the same estimates")
	}
}

// The fitted shares keep what is published: one value for each record of a class,
// and the counts of the bucket.
func TestModelKeepsPublishedCounts(t *testing.T) {
	_, r := related(3000)
	m := NewModel(r)
	w := m.newWork()
	w.cells(&m.fitted)
	for b := range r.Bags {
		w.bucket(&m.fitted, b, 0)
		classes := m.classes[m.start[b]:m.start[b+1]]
		for i, class := range classes {
			all := 0.
			for k := range m.responses {
				all += w.have[i*m.responses+k]
			}
			require.InDelta(t, r.Size[class], all, 1e-2)
		}
		for k := range m.responses {
			shown := 0.
			for i := range classes {
				shown += w.have[i*m.responses+k]
			}
			require.InDelta(t, m.counts[b*m.responses+k], shown, 1e-9)
		}
	}
	for v := range r.Dicts[r.Sensitive].Len() { // without a condition on cells, published counts are the answer
		q := &query.Bound{Sum: -1, Preds: []query.Predicate{{Attribute: 2, Match: make([]bool, r.Dicts[2].Len())}}}
		q.Preds[0].Match[v] = true
		require.InDelta(t, r.Estimate(q).Estimate, m.Estimate(q), 1e-6)
	}
}

// Where each class is a bucket and its cells are exact, all is known: the model
// changes nothing, whatever the kinds of attributes.
func TestModelOfExactClasses(t *testing.T) {
	table := queryTable(t, rand.New(rand.NewPCG(5, 5)), 60)
	r, _, _ := bucketed(table, 1, 1)
	m := NewModel(r)
	for _, text := range queryTexts {
		q := paBound(t, table.Dicts, text)
		require.InDelta(t, r.Estimate(q).Estimate, m.Estimate(q), 1e-6, text)
	}
}

// All kinds of columns and queries give finite estimates, and conditions that
// exclude each other add up to all.
func TestModelAnswersAllQueries(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		table := queryTable(t, rng, 60)
		r, classes, _ := bucketed(table, 1+rng.IntN(5), 1+rng.IntN(4))
		if seed%2 == 1 {
			for j := range r.Columns[:3] {
				r.Columns[j] = query.Column{Of: equivtest.Rows(len(classes))}
				for _, rows := range classes {
					r.Columns[j].Bags = append(r.Columns[j].Bags, equivclass.BagOf(table.Codes[j], rows))
				}
			}
		}
		m := NewModel(r)
		ask := func(text string) float64 {
			x := m.Estimate(paBound(t, table.Dicts, text))
			require.False(t, math.IsNaN(x) || math.IsInf(x, 0), text)
			return x
		}
		for _, text := range queryTexts {
			ask(text)
		}
		for _, pair := range [][2]string{
			{"age < 4", "age >= 4"}, {"place = left", "place = right"}, {"sex = F", "sex != F"}, {"income <= 0", "income > 0"},
			{"age = 2 and income < 0", "not"},
		} {
			if pair[1] != "not" {
				require.InDelta(t, ask("count"), ask("count where "+pair[0])+ask("count where "+pair[1]), 1e-6, pair)
			}
		}
		require.InDelta(t, ask("count where age in [2,5]"),
			ask("count where age in [2,5] and income <= 0")+ask("count where age in [2,5] and income > 0"), 1e-6)
	}
}

// In a tight class of four the two ends of a range are known, and the other two
// values are anywhere.
func TestPieceKnowsTheEnds(t *testing.T) {
	d := equivclass.NewDictionary(equivclass.Attribute{Name: "age", Type: equivclass.Integer})
	for v := range 10 {
		d.Encode([]byte{'0' + byte(v)})
	}
	c := query.Column{Cells: []query.Cell{{Lo: 0, Hi: 9}}, Of: []int32{0}}
	q := &paBound(t, []*equivclass.Dictionary{d}, "count where age in [0,4]").Preds[0]
	for tight, want := range map[bool]float64{true: .25 + .5*.5, false: .5} {
		x, pieces := newAxis(d, &c, []float64{4}, []float64{4}, 1, tight)
		part := x.asked(&pieces[0], q)
		share, all, mean := 0., 0., 0.
		for _, w := range x.spread(&part).w {
			share += w
		}
		for i, w := range x.spread(&pieces[0]).w {
			all, mean = all+w, mean+x.spread(&pieces[0]).moments[i]
		}
		require.InDelta(t, want, share, 1e-12)
		require.InDelta(t, 1, all, 1e-12)
		require.InDelta(t, 4.5, mean, 1e-12)
	}
}

// Values beyond the frequent ones share a response and keep their proportions.
func TestModelOfManyValues(t *testing.T) {
	a := []equivclass.Attribute{{Name: "x", Type: equivclass.Integer}, {Name: "s", Type: equivclass.Categorical}}
	dicts := []*equivclass.Dictionary{equivclass.NewDictionary(a[0]), equivclass.NewDictionary(a[1])}
	table := &flagged.Table{Table: &equivclass.Table{Dicts: dicts, Codes: make([][]equivclass.Code, 2)}}
	for i := range 3000 {
		x, _ := dicts[0].Encode([]byte(strconv.Itoa(i % 50)))
		s, _ := dicts[1].Encode([]byte(strconv.Itoa(i * i % 1009)))
		table.Codes[0], table.Codes[1] = append(table.Codes[0], x), append(table.Codes[1], s)
	}
	table.Flags = make([]uint64, 3000)
	r, _, _ := bucketed(table, 5, 2)
	m := NewModel(r)
	require.Equal(t, mostResponses, m.responses)
	require.InDelta(t, 3000, m.Estimate(paBound(t, dicts, "count where s != none")), 1e-3)
}

func BenchmarkModel(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		_, r := related(n)
		name := map[int]string{1e4: "1e4", 1e5: "1e5", 1e6: "1e6"}[n]
		b.Run("fit/rows="+name, func(b *testing.B) {
			for b.Loop() {
				NewModel(r)
			}
		})
		m := NewModel(r)
		src := cut.SplitMix(3)
		queries := accuracy.Counts(r.Dicts, []int{0, 1}, 2, 3, .05, 100, &src)
		b.Run("query/rows="+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m.Estimate(queries[i%len(queries)])
			}
		})
	}
}

// TestModelOfManyNumbers: of a number with thousands of values, few of which two people share, neighbours are learnt together: means over
// ranges of what it depends on are at least twice as near as by shares.
func TestModelOfManyNumbers(t *testing.T) {
	a := []equivclass.Attribute{{Name: "x", Type: equivclass.Integer}, {Name: "s", Type: equivclass.Integer}}
	dicts := []*equivclass.Dictionary{equivclass.NewDictionary(a[0]), equivclass.NewDictionary(a[1])}
	table := &flagged.Table{Table: &equivclass.Table{Dicts: dicts, Codes: make([][]equivclass.Code, 2)}}
	rng := rand.New(rand.NewPCG(7, 7))
	for _, class := range rng.Perm(1200) {
		for range 5 {
			number := class % 50
			x, _ := dicts[0].Encode([]byte(strconv.Itoa(number)))
			s, _ := dicts[1].Encode([]byte(strconv.Itoa(1000 + 300*number + rng.IntN(9000))))
			table.Codes[0], table.Codes[1] = append(table.Codes[0], x), append(table.Codes[1], s)
		}
	}
	table.Flags = make([]uint64, 6000)
	r, _, _ := bucketed(table, 5, 3)
	m := NewModel(r)
	truth := query.NewBlockRelease(dicts, table.Codes, [][]int32{equivtest.Rows(table.Len())}, query.WholeBlock(2))
	var plain, fitted float64
	for from := 0; from < 50; from += 5 {
		q := paBound(t, dicts, "mean(s) where x in ["+strconv.Itoa(from)+","+strconv.Itoa(from+4)+"]")
		want := truth.Estimate(q).Estimate
		plain, fitted = plain+accuracy.RelativeError(want, r.Estimate(q).Estimate), fitted+accuracy.RelativeError(want, m.Estimate(q))
	}
	t.Logf("error %.3f by shares, %.3f by the model", plain/10, fitted/10)
	require.Less(t, fitted, plain/2)
}

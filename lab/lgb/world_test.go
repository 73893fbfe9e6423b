package lgb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
	"anond/lab/topdown"
)

// lgbWorlds enumerates what is possible for an adversary who knows everybody's group,
// flags and unflagged values, and has the release: which row of its group is
// whose, and which value of its bucket stands in which row. All are equally
// likely (level L0).
type lgbWorlds struct {
	table   *flagged.Table
	result  *Result
	bucket  [][]int     // by attribute, row (= record whose true row it is): its bucket, -1 none
	total   float64     // worlds
	row     [][]float64 // by record, row: worlds in which the row is the record's
	hasWhat [][]map[equivclass.Code]float64
}

func lgbEnumerate(t *flagged.Table, result *Result) *lgbWorlds {
	w := &lgbWorlds{table: t, result: result}
	for range t.Len() {
		w.row = append(w.row, make([]float64, t.Len()))
	}
	for j := range t.Dicts {
		of := slices.Repeat([]int{-1}, t.Len())
		for b, rows := range result.Buckets[j] {
			for _, r := range rows {
				of[r] = b
			}
		}
		w.bucket = append(w.bucket, of)
		w.hasWhat = append(w.hasWhat, make([]map[equivclass.Code]float64, t.Len()))
		for r := range w.hasWhat[j] {
			w.hasWhat[j][r] = map[equivclass.Code]float64{}
		}
	}
	w.place(0, slices.Repeat([]int32{-1}, t.Len()))
	return w
}

// place gives the records of one group after the other a row each.
func (w *lgbWorlds) place(g int, rowOf []int32) {
	if g == len(w.result.Groups) {
		w.count(rowOf)
		return
	}
	lgbPermutations(w.result.Groups[g], func(rows []int32) {
		for i, record := range w.result.Groups[g] {
			rowOf[record] = rows[i]
		}
		w.place(g+1, rowOf)
	})
}

// count counts the ways to assign the values of all buckets to the records in
// them, given whose rows they are. Buckets are independent of each other.
func (w *lgbWorlds) count(rowOf []int32) {
	all := 1.0
	type assignment struct {
		j       int
		records []int32
		ways    float64
		has     []map[equivclass.Code]float64
	}
	var assignments []assignment
	for j, buckets := range w.result.Buckets {
		for b, rows := range buckets {
			d := assignment{j: j}
			for record, row := range rowOf {
				if row >= 0 && w.bucket[j][row] == b {
					d.records = append(d.records, int32(record))
					d.has = append(d.has, map[equivclass.Code]float64{})
				}
			}
			lgbPermutations(rows, func(from []int32) {
				for i, record := range d.records {
					if w.table.Flags[record]>>j&1 == 0 && w.table.Codes[j][from[i]] != w.table.Codes[j][record] {
						return // a known value would stand elsewhere
					}
				}
				d.ways++
				for i := range d.records {
					d.has[i][w.table.Codes[j][from[i]]]++
				}
			})
			all *= d.ways
			assignments = append(assignments, d)
		}
	}
	if all == 0 {
		return
	}
	w.total += all
	for record, row := range rowOf {
		if row >= 0 {
			w.row[record][row] += all
		}
	}
	for _, d := range assignments {
		for i, record := range d.records {
			for v, n := range d.has[i] {
				w.hasWhat[d.j][record][v] += all * n / d.ways
			}
		}
	}
}

func lgbPermutations(rows []int32, yield func([]int32)) {
	rows = slices.Clone(rows)
	var rec func(i int)
	rec = func(i int) {
		if i == len(rows) {
			yield(rows)
			return
		}
		for k := i; k < len(rows); k++ {
			rows[i], rows[k] = rows[k], rows[i]
			rec(i + 1)
			rows[i], rows[k] = rows[k], rows[i]
		}
	}
	rec(0)
}

// lgbSmall is a table of a QI attribute, a semi-sensitive one under l, one under
// a principle, and a sensitive one.
func lgbSmall(t *testing.T, rng *rand.Rand, n int) *flagged.Table {
	rows := make([][]string, n)
	flag := func(p float64) string {
		if rng.Float64() < p {
			return "!"
		}
		return ""
	}
	for i := range rows {
		rows[i] = []string{string(rune('0' + rng.IntN(4))), string(rune('a'+rng.IntN(4))) + flag(0.6),
			[]string{"F", "M"}[rng.IntN(2)] + flag(0.7), string(rune('u'+rng.IntN(4))) + "!"}
	}
	return equivtest.Table(t, []equivclass.Attribute{{Name: "q", Type: equivclass.Integer}, {Name: "a", Type: equivclass.Categorical},
		{Name: "sex", Type: equivclass.Categorical}, {Name: "s", Type: equivclass.Categorical}}, rows)
}

// Corollaries 1 to 3 by enumeration, folding included: each row is one of K
// people's or more, no flagged value under l is more probable than 1/l, one under
// a principle has its share among the flagged values of its bucket, and those
// satisfy it.
func TestLGBSmallWorlds(t *testing.T) {
	rng := equivtest.Rand(21)
	half := ShareWithin{T: 0.2}
	cuts, folded := 0, 0
	for range 400 {
		table := lgbSmall(t, rng, 6+rng.IntN(2))
		m := LGB{K: 2, Fold: true, Local: topdown.Mondrian{}, Seed: [32]byte{byte(rng.IntN(256))},
			Promises: []LocalPromise{{}, {L: 2}, {Principle: half}, {L: 2}}}
		result, err := m.Run(table)
		if err != nil || len(result.Groups) == 0 {
			continue
		}
		cuts++
		w := lgbEnumerate(table, result)
		for g, rows := range result.Groups {
			require.GreaterOrEqual(t, len(rows), 2)
			for _, record := range rows {
				if result.Flags[g] != table.Flags[record] {
					folded++
				}
				for _, row := range rows {
					require.InDelta(t, 1/float64(len(rows)), w.row[record][row]/w.total, 1e-9, "K1")
				}
				for _, j := range []int{1, 3} {
					if table.Flags[record]>>j&1 == 1 {
						for _, n := range w.hasWhat[j][record] {
							require.LessOrEqual(t, n/w.total, 0.5+1e-9)
						}
					}
				}
			}
		}
		for _, bucket := range result.Buckets[2] {
			known := equivclass.BagOf(table.Codes[2], trulyFlagged(table, bucket, 2))
			require.True(t, half.Holds(known))
			require.True(t, half.Holds(equivclass.BagOf(table.Codes[2], bucket)), "also if the known values are not removed")
			for _, record := range trulyFlagged(table, bucket, 2) {
				for _, c := range known.Counts {
					require.InDelta(t, float64(c.N)/float64(known.Total), w.hasWhat[2][record][c.Code]/w.total, 1e-9)
				}
			}
		}
		for g, rows := range result.Groups {
			if result.Flags[g]>>2&1 == 0 {
				continue
			}
			of := w.bucket[2][rows[0]]
			for _, r := range rows {
				require.Equal(t, of, w.bucket[2][r], "buckets of a principle are unions of whole groups")
			}
		}
	}
	require.Greater(t, cuts, 100)
	require.Greater(t, folded, 20)
}

// A record folded into a group over an attribute under l: its known value is in
// one bucket only, so that bucket's row is its row, though the group has three
// records; and one flagged value fewer is left in that bucket than l asks for.
func TestLGBFoldUnderLWouldBreakK1(t *testing.T) {
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "q", Type: equivclass.Integer}, {Name: "a", Type: equivclass.Categorical},
		{Name: "s", Type: equivclass.Categorical}},
		[][]string{{"1", "x", "u!"}, {"1", "y!", "v!"}, {"1", "z!", "w!"}, {"2", "w!", "u!"}, {"2", "v!", "v!"}, {"2", "u!", "w!"}})
	result := &Result{Groups: [][]int32{{0, 1, 2}, {3, 4, 5}}, Flags: []uint64{6, 6},
		Buckets: [][][]int32{nil, {{0, 3}, {1, 4}, {2, 5}}, {{0, 1, 2}, {3, 4, 5}}}}
	w := lgbEnumerate(table, result)
	require.InDelta(t, 1, w.row[0][0]/w.total, 1e-9)
	require.Len(t, trulyFlagged(table, result.Buckets[1][0], 1), 1, "the bucket's other value is certain to be its other record's")
}

// Which bucket a record is in follows from its value and random draws: the bags are the
// same whatever the seed, and over seeds each record of a value is in each bucket
// that holds it equally often, first row or last.
func TestLGBBucketsFollowValueAndCoins(t *testing.T) {
	column := []equivclass.Code{0, 0, 0, 1, 1, 2, 2, 3, 3}
	order := []int32{0, 1, 2, 3}
	rows := equivtest.Rows(len(column))
	var first [][]equivclass.Code
	count := map[[2]int]int{}
	const seeds = 3000
	for seed := range uint64(seeds) {
		src := cut.SplitMix(seed * 7919)
		buckets := localBuckets(column, order, rows, 3, &src)
		if first == nil {
			first = BucketValues(column, buckets)
		}
		require.Equal(t, first, BucketValues(column, buckets))
		for b, bucket := range buckets {
			for _, r := range bucket {
				count[[2]int{int(r), b}]++
			}
		}
	}
	for b := range first {
		for r := range 3 { // the rows of value 0, which is in every bucket
			require.InDelta(t, seeds/len(first), count[[2]int{r, b}], 150, "row %d in bucket %d", r, b)
		}
	}
}

package equivclass

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/testdata"
)

// dataset returns the header and the rows of one of the public datasets.
func dataset(t testing.TB, name string) (header []string, rows [][]string) {
	t.Helper()
	header, rows, err := testdata.Rows(name)
	require.NoError(t, err)
	return header, rows
}

var wangAdultQI = []string{"age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"}

// wangAdult reads the first n rows of Adult as a pool over the given columns,
// categories numbered by first appearance and treated as numbers.
func wangAdult(t testing.TB, n int, sa string, qi ...string) *Pool {
	t.Helper()
	header, rows := dataset(t, testdata.Adult)
	require.GreaterOrEqual(t, len(rows), n)
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	return wangTable(rows[:n], column[sa], wangColumns(column, qi))
}

func wangColumns(column map[string]int, names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		out[i] = column[name]
	}
	return out
}

func wangTable(rows [][]string, sa int, qi []int) *Pool {
	p := &Pool{Space: &Space{Dims: make([]Dim, len(qi))}, X: make([]float32, len(rows)*len(qi)), SA: make([]Code, len(rows))}
	for j, c := range qi {
		values := wangNumbers(rows, c)
		lo, hi := values[0], values[0]
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
		}
		p.Space.Dims[j] = Dim{Kind: Number, Lo: lo, Width: hi - lo}
		for i, v := range values {
			p.X[i*len(qi)+j] = p.Space.Dims[j].scale(v)
		}
	}
	for i, v := range wangNumbers(rows, sa) {
		p.SA[i] = Code(v)
	}
	return p
}

// wangNumbers returns a column as numbers, texts by first appearance.
func wangNumbers(rows [][]string, c int) []float64 {
	out, seen := make([]float64, len(rows)), map[string]int{}
	for i, r := range rows {
		v, err := strconv.ParseFloat(r[c], 64)
		if err != nil {
			if _, ok := seen[r[c]]; !ok {
				seen[r[c]] = len(seen)
			}
			v = float64(seen[r[c]])
		}
		out[i] = v
	}
	return out
}

package equivclass

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var wangAdultQI = []string{"age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"}

// wangAdult reads the first n rows of Adult as a pool over the given columns,
// categories numbered by first appearance and treated as numbers.
func wangAdult(t testing.TB, n int, sa string, qi ...string) *Pool {
	t.Helper()
	dir := os.Getenv("ANOND_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, "adult.csv.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED, NOT TESTED: adult.csv.gz is not here; set ANOND_DATA to the directory that holds it")
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	rows, err := csv.NewReader(z).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), n)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	return wangTable(rows[1:n+1], column[sa], wangColumns(column, qi))
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

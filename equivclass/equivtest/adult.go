package equivtest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/flagged"
	"anond/testdata"
)

// Columns reads columns of a data set as dictionaries and codes; a # behind a
// name makes the column numeric. Rows with an N in one of them (not applicable
// in ACS) are left out.
func Columns(t testing.TB, file string, n int, columns ...string) *flagged.Table {
	t.Helper()
	header, rows := dataset(t, file)
	rows = rows[:min(n, len(rows))]
	at := make([]int, len(columns))
	for j, name := range columns {
		at[j] = slices.Index(header, strings.TrimSuffix(name, "#"))
		require.GreaterOrEqual(t, at[j], 0, name)
		rows = slices.DeleteFunc(rows, func(r []string) bool { return r[at[j]] == "N" })
	}
	attributes := make([]equivclass.Attribute, len(columns))
	for j, name := range columns {
		attributes[j] = equivclass.Attribute{Name: strings.TrimSuffix(name, "#"), Type: equivclass.Categorical}
		if attributes[j].Name != name {
			attributes[j].Type, attributes[j].Digits = equivclass.Decimal, 6
		}
	}
	texts := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range at {
			texts[i] = append(texts[i], r[c])
		}
	}
	return Table(t, attributes, texts)
}

// AdultHierarchies is adult-7 of Sun et al.: the first seven attributes of table XI, age
// by 5, 10 and 20 years, the others by the hierarchies of the data directory.
func AdultHierarchies(t testing.TB, n int) *equivclass.Pool {
	t.Helper()
	names := []string{"age", "workclass", "education", "marital-status", "race", "sex", "native-country"}
	columns, rows := sunColumns(t, n, append(names, "occupation"))
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, len(names))}, X: make([]float32, n*len(names)),
		SA: make([]equivclass.Code, n)}
	for j, name := range names {
		dim := &p.Space.Dims[j]
		if j == 0 {
			*dim = equivclass.Dim{Kind: equivclass.Number, Lo: 17, Width: 73, Steps: []float64{5, 10, 20}}
		} else {
			h := sunHierarchy(t, name)
			*dim = equivclass.Dim{Kind: equivclass.Tree, Size: h.Leaves(), Tree: h}
		}
		for i, r := range rows {
			if j == 0 {
				age, err := strconv.ParseFloat(r[columns[j]], 64)
				require.NoError(t, err)
				p.X[i*len(names)] = dim.Scale(age)
				continue
			}
			leaf, ok := dim.Tree.Leaf([]byte(r[columns[j]]))
			require.True(t, ok, "a value of %s is not in its hierarchy", name)
			p.X[i*len(names)+j] = float32(float64(leaf) / float64(dim.Size-1))
		}
	}
	for i, v := range wangNumbers(rows, columns[len(names)]) {
		p.SA[i] = equivclass.Code(v)
	}
	return p
}

func sunColumns(t testing.TB, n int, names []string) (columns []int, rows [][]string) {
	t.Helper()
	header, all := dataset(t, testdata.Adult)
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	return wangColumns(at, names), all[:n]
}

func sunHierarchy(t testing.TB, name string) *equivclass.Hierarchy {
	t.Helper()
	f, err := testdata.Files.Open(testdata.AdultHierarchy(name))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	h, err := equivclass.ParseHierarchy(name, f)
	require.NoError(t, err)
	return h
}

// dataset returns the header and the rows of one of the public datasets.
func dataset(t testing.TB, name string) (header []string, rows [][]string) {
	t.Helper()
	header, rows, err := testdata.Rows(name)
	require.NoError(t, err)
	return header, rows
}

// AdultQuasi are the attributes that the papers on Mondrian take as quasi-identifiers.
var AdultQuasi = []string{"age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"}

// AdultPool reads the first n rows of Adult as a pool over the given columns,
// categories numbered by first appearance and treated as numbers.
func AdultPool(t testing.TB, n int, sa string, qi ...string) *equivclass.Pool {
	t.Helper()
	header, rows := dataset(t, testdata.Adult)
	require.GreaterOrEqual(t, len(rows), n)
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	return NumberPool(rows[:n], column[sa], wangColumns(column, qi))
}

func wangColumns(column map[string]int, names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		out[i] = column[name]
	}
	return out
}

// NumberPool makes a pool of columns, categories numbered by first appearance and treated
// as numbers.
func NumberPool(rows [][]string, sa int, qi []int) *equivclass.Pool {
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, len(qi))}, X: make([]float32, len(rows)*len(qi)),
		SA: make([]equivclass.Code, len(rows))}
	for j, c := range qi {
		values := wangNumbers(rows, c)
		lo, hi := values[0], values[0]
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
		}
		p.Space.Dims[j] = equivclass.Dim{Kind: equivclass.Number, Lo: lo, Width: hi - lo}
		for i, v := range values {
			p.X[i*len(qi)+j] = p.Space.Dims[j].Scale(v)
		}
	}
	for i, v := range wangNumbers(rows, sa) {
		p.SA[i] = equivclass.Code(v)
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

package equivtest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/flagged"
)

// Table reads rows of texts; a text that ends in ! is flagged sensitive.
func Table(t testing.TB, attributes []equivclass.Attribute, rows [][]string) *flagged.Table {
	t.Helper()
	table := &flagged.Table{Table: equivclass.NewTable(attributes), Flags: make([]uint64, len(rows))}
	for i, r := range rows {
		row := make(equivclass.Row, len(r))
		for j, text := range r {
			text, flagged := strings.CutSuffix(text, "!")
			if flagged {
				table.Flags[i] |= 1 << j
			}
			row[j] = []byte(text)
		}
		why, attribute := table.Append(row)
		require.Equal(t, equivclass.Accepted, why, "a fixture holds no bad value of %s", attribute)
	}
	return table
}

// Code returns the code of a text, which is added if it is new.
func Code(t testing.TB, d *equivclass.Dictionary, text string) equivclass.Code {
	t.Helper()
	c, why := d.Encode([]byte(text))
	require.Equal(t, equivclass.Accepted, why, "a fixture holds no bad value")
	return c
}

// RandomTable is a table like the LGB paper's table 1: five QI attributes,
// three semi-sensitive ones of which a share of the values is flagged, and a
// sensitive one, with domains of the printed sizes.
func RandomTable(rng *rand.Rand, n int, density float64) *flagged.Table {
	sizes := []int{2, 73, 13, 6, 9, 11, 93, 257, 719}
	numeric := map[int]bool{1: true, 6: true, 8: true}
	table := &flagged.Table{Table: &equivclass.Table{}, Flags: make([]uint64, n)}
	for j, size := range sizes {
		a := equivclass.Attribute{Name: "a" + strconv.Itoa(j), Type: equivclass.Categorical}
		if numeric[j] {
			a.Type = equivclass.Integer
		}
		d, codes := equivclass.NewDictionary(a), make([]equivclass.Code, n)
		for v := range size {
			d.Encode([]byte(strconv.Itoa(v)))
		}
		for i := range codes {
			v := rng.IntN(size)
			if rng.IntN(2) == 0 {
				v = rng.IntN(max(1, size/3))
			}
			codes[i] = equivclass.Code(v)
			if j == 8 || (j == 0 || j == 1 || j == 7) && rng.Float64() < density {
				table.Flags[i] |= 1 << j
			}
		}
		table.Dicts, table.Codes = append(table.Dicts, d), append(table.Codes, codes)
	}
	return table
}

// CensusLike has the domains of the permutation paper's table 5 and an occupation
// that follows age and education with noise.
func CensusLike(n int) *flagged.Table {
	rng, table := Rand(5), &flagged.Table{Table: &equivclass.Table{}, Flags: make([]uint64, n)}
	sizes := []int{78, 2, 17, 6, 9, 10, 83, 50}
	for j, size := range sizes {
		a := equivclass.Attribute{Name: "a" + strconv.Itoa(j), Type: equivclass.Categorical}
		if j == 0 || j == 2 || j == 6 {
			a.Type = equivclass.Integer
		}
		d := equivclass.NewDictionary(a)
		for v := range size {
			d.Encode([]byte(strconv.Itoa(v)))
		}
		table.Dicts, table.Codes = append(table.Dicts, d), append(table.Codes, make([]equivclass.Code, n))
	}
	for i := range n {
		for j, size := range sizes[:7] {
			table.Codes[j][i] = equivclass.Code(min(rng.IntN(size), rng.IntN(size)))
		}
		mean := 8 + 0.3*float64(table.Codes[0][i]) + 1.2*float64(table.Codes[2][i])
		table.Codes[7][i] = equivclass.Code(max(0, min(49, int(mean+8*rng.NormFloat64()))))
	}
	return table
}

// Rand returns a generator that the seed fixes.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// MixedPool has a number, a hierarchy and a set of categories.
func MixedPool(t testing.TB, rng *rand.Rand, n int) *equivclass.Pool {
	t.Helper()
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: []equivclass.Dim{{Kind: equivclass.Number, Width: 1},
		{Kind: equivclass.Tree, Size: 6, Tree: Tree(t)}, {Kind: equivclass.Set, Size: 5}}}, SA: make([]equivclass.Code, n)}
	for i := range n {
		p.X = append(p.X, float32(rng.IntN(8))/8, float32(rng.IntN(6))/5, float32(rng.IntN(5))/4)
		p.SA[i] = equivclass.Code(rng.IntN(6))
	}
	return p
}

// Tree is a hierarchy of six leaves in two branches.
func Tree(t testing.TB) *equivclass.Hierarchy {
	t.Helper()
	h, err := equivclass.ParseHierarchy("tree", strings.NewReader("a;left;*\nb;left;*\nc;left;*\nd;right;*\ne;right;*\nf;right;*\n"))
	require.NoError(t, err)
	return h
}

package equivclass

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// lgbTable reads rows of texts; a text that ends in ! is flagged sensitive.
func lgbTable(t testing.TB, attributes []Attribute, rows [][]string) *FlaggedTable {
	t.Helper()
	table := &FlaggedTable{Flags: make([]uint64, len(rows))}
	for j, a := range attributes {
		d, codes := NewDictionary(a), make([]Code, len(rows))
		for i, r := range rows {
			text := r[j]
			if text[len(text)-1] == '!' {
				text = text[:len(text)-1]
				table.Flags[i] |= 1 << j
			}
			codes[i] = lgbCode(t, d, text)
		}
		table.Dicts, table.Codes = append(table.Dicts, d), append(table.Codes, codes)
	}
	return table
}

func lgbCode(t testing.TB, d *Dictionary, text string) Code {
	t.Helper()
	c, found, why := d.Find([]byte(text))
	require.Equal(t, Accepted, why, "a fixture holds no bad value")
	if !found {
		c = d.Add([]byte(text))
	}
	return c
}

// lgbRandom is a table like the LGB paper's table 1: five QI attributes, three
// semi-sensitive ones of which a share of the values is flagged, and a sensitive
// one, with domains of the printed sizes.
func lgbRandom(rng *rand.Rand, n int, density float64) *FlaggedTable {
	sizes := []int{2, 73, 13, 6, 9, 11, 93, 257, 719}
	numeric := map[int]bool{1: true, 6: true, 8: true}
	table := &FlaggedTable{Flags: make([]uint64, n)}
	for j, size := range sizes {
		a := Attribute{Name: "a" + strconv.Itoa(j), Type: Categorical}
		if numeric[j] {
			a.Type = Integer
		}
		d, codes := NewDictionary(a), make([]Code, n)
		for v := range size {
			d.Add([]byte(strconv.Itoa(v)))
		}
		for i := range codes {
			v := rng.IntN(size)
			if rng.IntN(2) == 0 {
				v = rng.IntN(max(1, size/3))
			}
			codes[i] = Code(v)
			if j == 8 || (j == 0 || j == 1 || j == 7) && rng.Float64() < density {
				table.Flags[i] |= 1 << j
			}
		}
		table.Dicts, table.Codes = append(table.Dicts, d), append(table.Codes, codes)
	}
	return table
}

// paCensus has the domains of the permutation paper's table 5 and an occupation
// that follows age and education with noise.
func paCensus(n int) *FlaggedTable {
	rng, table := lgbRand(5), &FlaggedTable{Flags: make([]uint64, n)}
	sizes := []int{78, 2, 17, 6, 9, 10, 83, 50}
	for j, size := range sizes {
		a := Attribute{Name: "a" + strconv.Itoa(j), Type: Categorical}
		if j == 0 || j == 2 || j == 6 {
			a.Type = Integer
		}
		d := NewDictionary(a)
		for v := range size {
			d.Add([]byte(strconv.Itoa(v)))
		}
		table.Dicts, table.Codes = append(table.Dicts, d), append(table.Codes, make([]Code, n))
	}
	for i := range n {
		for j, size := range sizes[:7] {
			table.Codes[j][i] = Code(min(rng.IntN(size), rng.IntN(size)))
		}
		mean := 8 + 0.3*float64(table.Codes[0][i]) + 1.2*float64(table.Codes[2][i])
		table.Codes[7][i] = Code(max(0, min(49, int(mean+8*rng.NormFloat64()))))
	}
	return table
}

func lgbRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// shareWithin is a principle for tests: every value's share is within T of half.
type shareWithin struct{ T float64 }

func (p shareWithin) Name() string { return "share-within" }
func (p shareWithin) Holds(b Bag) bool {
	if len(b.Counts) < 2 {
		return false
	}
	for _, c := range b.Counts {
		if s := float64(c.N) / float64(b.Total); s < 0.5-p.T || s > 0.5+p.T {
			return false
		}
	}
	return true
}

// lgbPromises protects sex by a principle and everything else by l.
func lgbPromises(attributes, l int) []LocalPromise {
	out := make([]LocalPromise, attributes)
	for j := range out {
		out[j].L = l
	}
	out[0] = LocalPromise{Principle: shareWithin{T: 0.35}}
	return out
}

// lgbValues are the values of buckets, in the order of the buckets.
func lgbValues(column []Code, buckets [][]int32) [][]Code {
	out := make([][]Code, len(buckets))
	for i, b := range buckets {
		for _, r := range b {
			out[i] = append(out[i], column[r])
		}
		slices.Sort(out[i])
	}
	return out
}

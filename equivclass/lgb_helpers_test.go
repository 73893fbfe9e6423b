package equivclass

import (
	"math/rand/v2"
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
	out[0] = LocalPromise{Principle: shareWithin{0.35}}
	return out
}

package render

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// keyTable is a table of n classes with cells in numbers, sets and trees, of so many kinds.
func keyTable(rng *rand.Rand, n, d, kinds int) *table {
	t := &table{source: &source{workers: 2, recoding: Generalization()}}
	for j := range d {
		t.cols = append(t.cols, column{kind: []equivclass.Kind{equivclass.Number, equivclass.Set, equivclass.Tree}[j%3]})
	}
	for range n {
		c := &class{}
		for j := range d {
			x := cell{}
			if t.cols[j].number() {
				x.lo = int64(rng.IntN(kinds)) - 3
				x.hi = x.lo + int64(rng.IntN(3))
			} else {
				x.text = fmt.Sprint("v", rng.IntN(kinds))
			}
			c.cells = append(c.cells, x)
		}
		t.classes = append(t.classes, c)
	}
	return t
}

// Of any two classes keys say what cells say, also where they need more than one word.
func TestKeysCompareAsCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	words := map[int]bool{}
	for _, of := range []struct{ n, d, kinds int }{
		{1, 1, 1}, {2, 3, 1}, {60, 1, 5}, {60, 2, 2}, {200, 7, 40}, {200, 12, 200}, {100, 30, 300},
	} {
		table := keyTable(rng, of.n, of.d, of.kinds)
		plain := func(a, b *class) int { // the keys are not there yet
			require.Zero(t, table.keys.words)
			return table.compareBoxes(a, b)
		}
		want := make([]int, 0, of.n*of.n)
		for _, a := range table.classes {
			for _, b := range table.classes {
				want = append(want, plain(a, b))
			}
		}
		table.rankCells()
		words[table.keys.words] = true
		for i, a := range table.classes {
			for k, b := range table.classes {
				require.Equal(t, want[i*of.n+k], table.compareBoxes(a, b), "classes %d and %d of %+v", i, k, of)
				if first := cmp.Compare(table.key(a), table.key(b)); first != 0 {
					require.Equal(t, first, want[i*of.n+k])
				}
			}
		}
	}
	require.Subset(t, words, map[int]bool{1: true, 2: true, 4: true})
}

func TestKeyFieldsDoNotOverlap(t *testing.T) {
	fields, words := packed([]int{0, 20, 20, 20, 20, 33, 32, 0, 64})
	require.Equal(t, []keyField{{0, 64}, {0, 44}, {0, 24}, {0, 4}, {1, 44}, {1, 11}, {2, 32}, {2, 32}, {3, 0}}, fields)
	require.Equal(t, 4, words)
}

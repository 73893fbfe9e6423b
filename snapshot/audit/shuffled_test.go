package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLogTrueAgainstEveryShuffle counts the arrangements of the values that show
// the truth.
func TestLogTrueAgainstEveryShuffle(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		n := 1 + r.IntN(6)
		rows := make([][]uint32, n)
		for i := range rows {
			rows[i] = []uint32{uint32(r.IntN(3)), uint32(r.IntN(3))}
		}
		slices.SortFunc(rows, slices.Compare[[]uint32])
		truth, all := 0, 0
		var try func(used []bool, chosen []uint32)
		try = func(used []bool, chosen []uint32) {
			if len(chosen) == n {
				all++
				var shown [][]uint32
				for i, v := range chosen {
					shown = append(shown, []uint32{rows[i][0], v})
				}
				slices.SortFunc(shown, slices.Compare[[]uint32])
				if fmt.Sprint(shown) == fmt.Sprint(rows) {
					truth++
				}
				return
			}
			for i := range n {
				if !used[i] {
					used[i] = true
					try(used, append(chosen, rows[i][1]))
					used[i] = false
				}
			}
		}
		try(make([]bool, n), nil)
		require.InDelta(t, float64(truth)/float64(all), math.Exp(logTrue(rows)), 1e-9)
	}
}

// TestUnshuffledSliceIsFound: a publisher that does not shuffle discloses everything
// while all its bags are in order.
func TestUnshuffledSliceIsFound(t *testing.T) {
	for _, forgets := range []bool{true, false} {
		p := &plan{k: 4, l: 2, budget: 2, recoding: "slicing", unshuffled: forgets}
		var classes [][]int
		for range 8 {
			classes = append(classes, p.add(1, "a b c d"))
		}
		p.releases = [][][]int{classes}
		r, err := Dir(p.write(t, p.render()))
		require.NoError(t, err)
		require.Equal(t, forgets, slices.Contains(kinds(r.Violations), kindNotShuffled), r.Violations)
		if !forgets {
			require.Equal(t, VerdictCertified, r.Verdict)
		}
	}
}

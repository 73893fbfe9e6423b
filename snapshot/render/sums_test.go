package render

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExactSums: sums do not depend on the order, and are those of exact numbers.
func TestExactSums(t *testing.T) {
	total := func(numbers ...float64) float64 {
		var s exactSum
		for _, x := range numbers {
			s.add(x)
		}
		return s.value()
	}
	r := rand.New(rand.NewPCG(2, 8))
	for range 200 {
		numbers := make([]float64, 1+r.IntN(40))
		want := new(big.Float).SetPrec(4096)
		for i := range numbers {
			numbers[i] = math.Ldexp(r.Float64()-0.5, r.IntN(120)-60)
			if i > 0 && r.IntN(4) == 0 {
				numbers[i] = -numbers[i-1] // dies again
			}
			want.Add(want, new(big.Float).SetPrec(4096).SetFloat64(numbers[i]))
		}
		sum, _ := want.Float64()
		for range 3 {
			r.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
			require.Equal(t, sum, total(numbers...))
		}
	}
	assert.Zero(t, total())
}

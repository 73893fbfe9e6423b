package merge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMinPool compares with the formula, and with the exact probability of the
// binomial distribution that the formula bounds.
func TestMinPool(t *testing.T) {
	for _, c := range []struct{ values, top, rest, l int }{
		{10, 130, 870, 5}, {10, 190, 810, 5}, {14, 4038, 26124, 5}, {14, 4038, 26124, 3}, {100, 90, 910, 10}, {3, 40, 60, 2}, {3, 1, 2, 2},
	} {
		published := Bag{{0, uint32(c.top)}}
		for v := 1; v < c.values; v++ {
			share := c.rest / (c.values - 1)
			if v == 1 {
				share += c.rest % (c.values - 1)
			}
			if share > 0 {
				published = append(published, Count{uint32(v), uint32(share)})
			}
		}
		a, p := 1/float64(c.l), float64(published.Max())/float64(published.Total())
		kl := a*math.Log(a/p) + (1-a)*math.Log((1-a)/(1-p))
		want := math.Log(1e6*float64(len(published))) / kl
		n, possible := MinPool(published, c.l)
		require.True(t, possible)
		assert.InEpsilon(t, math.Ceil(want), n, 1e-6, "%+v", c)
		assert.LessOrEqual(t, float64(len(published))*above(n, c.l, p), 1e-6, "%+v", c)
		t.Logf("%d values, top share %.3f, l=%d: %d records", len(published), p, c.l, n)
	}
}

// above is the probability that more than n/l of n records have a value with share p.
func above(n, l int, p float64) (sum float64) {
	choose := func(k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	for k := n/l + 1; k <= n; k++ {
		sum += math.Exp(choose(k) + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
	}
	return sum
}

func TestMinPoolWithoutAWayOut(t *testing.T) {
	for name, c := range map[string]struct {
		published Bag
		l         int
	}{
		"nothing published":   {nil, 2},
		"one value":           {Bag{{3, 9}}, 2},
		"the share is 1/l":    {Bag{{0, 1}, {1, 1}}, 2},
		"the share is above":  {Bag{{0, 3}, {1, 1}, {2, 1}}, 2},
		"too close to be met": {Bag{{0, 1<<31 - 1}, {1, 1 << 31}, {2, 2}}, 2},
	} {
		_, possible := MinPool(c.published, c.l)
		assert.False(t, possible, name)
	}
	n, possible := MinPool(Bag{{0, 5}}, 1)
	assert.True(t, possible)
	assert.Equal(t, 1, n)
}

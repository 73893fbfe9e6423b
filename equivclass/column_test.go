package equivclass

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A column tells what was put into it, whatever widths it has had, and a copy keeps what
// it had while the original grows.
func TestColumnIsTheListOfItsCodes(t *testing.T) {
	widths := map[int]bool{}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var c Column
		var want []Code
		type copied struct {
			Column
			n int
		}
		var copies []copied
		largest := []Code{3, 255, 256, 65535, 65536, ^Code(0)}[rng.IntN(6)]
		for range rng.IntN(40) {
			var codes []Code
			for range rng.IntN(30) {
				codes = append(codes, Code(rng.Uint64N(uint64(largest)+1)>>rng.IntN(20)))
			}
			if rng.IntN(5) == 0 {
				codes = append(codes, largest)
			}
			if rng.IntN(2) == 0 {
				c.extend(codes, rng.IntN(2)*64)
			} else {
				for _, code := range codes {
					c.Append(code)
				}
			}
			want = append(want, codes...)
			copies = append(copies, copied{c.Prefix(len(want)), len(want)})
		}
		widths[len(c.one)+2*len(c.two)+4*len(c.four)-len(want)] = true
		requireColumn(t, want, &c)
		for _, old := range copies {
			requireColumn(t, want[:old.n], &old.Column)
		}
		n := rng.IntN(len(want) + 1)
		part := c.Prefix(n)
		requireColumn(t, want[:n], &part)
		most, any := c.Most(n)
		require.Equal(t, n > 0, any)
		if any {
			require.Equal(t, slices.Max(want[:n]), most)
		}
		var records []uint32
		var picked []Code
		for range rng.IntN(20) {
			if len(want) > 0 {
				r := rng.IntN(len(want))
				records, picked = append(records, uint32(r)), append(picked, want[r])
			}
		}
		of := Pick(&c, append(records, uint32(len(want)), 0))
		requireColumn(t, picked, &of)
	}
	require.Greater(t, len(widths), 2, "the columns had too few widths")
}

func requireColumn(t *testing.T, want []Code, c *Column) {
	t.Helper()
	require.Equal(t, len(want), c.Len())
	require.True(t, slices.Equal(want, c.Codes()))
	for r, code := range want {
		require.Equal(t, code, c.At(r))
	}
	if len(want) > 0 {
		require.True(t, slices.Equal(want[len(want)/2:], c.AppendTo(nil, len(want)/2)))
	}
}

// A column of few values takes a byte a record.
func TestColumnTakesWhatItsCodesNeed(t *testing.T) {
	var c Column
	for code := range Code(70_000) {
		c.Append(code)
		switch {
		case code < 256:
			require.NotNil(t, c.one)
		case code < 65536:
			require.NotNil(t, c.two)
			require.Nil(t, c.one)
		default:
			require.NotNil(t, c.four)
			require.Nil(t, c.two)
		}
	}
}

package publish_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/equivclass/promise"
	"anond/snapshot/audit/format"
)

// TestAuditorCapsAreThoseOfMerge: package promise, the auditor and a reading in rationals give each value the same cap, over
// random promises, and random bags of pools.
func TestAuditorCapsAreThoseOfMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range tier.Of(t, 20_000, 200_000, 1_000_000) {
		gain, l := 0, 0 // thousandths
		if r.IntN(3) > 0 {
			gain = 1001 + r.IntN(1+r.IntN(20_000))
		}
		if gain == 0 || r.IntN(2) == 0 {
			l = 2 + r.IntN(9)
		}
		p, a := &promise.Promise{L: l}, &format.Promise{L: l}
		if gain > 0 {
			p.Gain, a.Gain = parsed(t, gain), format.RatioOf(uint64(gain), 1000)
		}
		of := int64(1 + r.IntN(1<<(1+r.IntN(24))))
		n := r.Int64N(of + 1)
		q := big.NewRat(n, of)
		if r.IntN(3) == 0 {
			declared := int64(1 + r.IntN(1000))
			p.Reference = map[string]int64{"a": declared, "b": int64(r.IntN(1000))}
			a.Reference = &format.Declared{Counts: []format.Reference{{Value: "a", Count: int(declared)},
				{Value: "b", Count: int(p.Reference["b"])}}}
			q = big.NewRat(declared, declared+p.Reference["b"])
		}
		most := 0
		if r.IntN(2) == 0 {
			most = 1 + r.IntN(1000)
			if r.IntN(2) == 0 {
				p.Most, a.Most = parsed(t, most), format.RatioOf(uint64(most), 1000)
			} else {
				p.AtMost = map[string]promise.Ratio{"a": parsed(t, most)}
				a.AtMost = []format.ValueShare{{Value: "a", Share: format.RatioOf(uint64(most), 1000)}}
			}
		}
		require.NoError(t, p.Check())

		want := big.NewRat(1, 1)
		if gain > 0 {
			if c := big.NewRat(int64(gain), 1000); q.Cmp(want) < 0 { // c q / (1 - q + c q)
				up := new(big.Rat).Mul(c, q)
				want = new(big.Rat).Quo(up, new(big.Rat).Add(new(big.Rat).Sub(want, q), up))
			}
			if by := big.NewRat(1, int64(max(l, 1))); l > 0 && want.Cmp(by) < 0 {
				want = by
			}
		} else if l > 0 {
			want = big.NewRat(1, int64(l))
		}
		if m := big.NewRat(int64(most), 1000); most > 0 && m.Cmp(want) < 0 {
			want = m
		}
		merge := p.Cap("a", n, of)
		num, den := a.Cap("a", uint64(n), uint64(of))
		require.Zero(t, want.Cmp(big.NewRat(merge.Num(), merge.Den())), "%+v %d/%d: %s", a, n, of, want)
		require.Zero(t, want.Cmp(big.NewRat(int64(num), int64(den))), "%+v %d/%d: %s", a, n, of, want)
	}
}

// parsed is a number of thousandths.
func parsed(t *testing.T, thousandths int) promise.Ratio {
	t.Helper()
	out, err := promise.Parse(fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000))
	require.NoError(t, err)
	return out
}

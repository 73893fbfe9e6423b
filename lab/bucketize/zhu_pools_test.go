package bucketize

import (
	"math/rand/v2"
	"testing"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// adultCategories is the experimental table of Zhu et al., section 5 (its table 1
// names relationship where the text says country), categories as such.
func adultCategories(t testing.TB, n int) *equivclass.Pool {
	t.Helper()
	names := []string{"age", "sex", "education-num", "marital-status", "race", "workclass", "relationship"}
	p := equivtest.AdultPool(t, n, "occupation", names...)
	for j, name := range names {
		if name != "age" && name != "education-num" {
			p.Space.Dims[j] = equivclass.Dim{Kind: equivclass.Set, Size: int(p.Space.Dims[j].Width) + 1}
		}
	}
	return p
}

// eligibleValues draws n sensitive values, low ones more often, of which none
// exceeds 1/l. s > l must hold.
func eligibleValues(rng *rand.Rand, n, s, l int) []equivclass.Code {
	sa, count := make([]equivclass.Code, n), make([]int, 2*s)
	for i := range sa {
		v := min(rng.IntN(s), rng.IntN(s))
		for count[v] == n/l {
			v = rng.IntN(2 * s)
		}
		count[v]++
		sa[i] = equivclass.Code(v)
	}
	return sa
}

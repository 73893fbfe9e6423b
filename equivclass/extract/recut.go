package extract

import (
	"anond/equivclass"
)

// Recut is RankCut followed by Extract's exchange, restricted to records of
// equal value, so that every class keeps its bag and so rule P (pure classes).
//
// Guarantee: that of RankCut. In addition, no class has two records of a
// subject if none had after RankCut.
// Cost: that of RankCut, and of step 4 of Extract.
func Recut(p *equivclass.Pool, signature []equivclass.Code, k int) [][]int32 {
	groups := RankCut(p, signature, k)
	if len(groups) < 2 {
		return groups
	}
	x := newExtraction(p, equivclass.Requirement{K: k, L: len(signature)})
	x.equalOnly = true
	x.adopt(groups)
	x.search(effortFor(p.Len()))
	return x.groups()
}

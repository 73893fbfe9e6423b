package lgb

import (
	"slices"

	"anond/equivclass"
)

func lgbOf(k, l int, local equivclass.Partitioner) LGB {
	return LGB{K: k, Promises: slices.Repeat([]LocalPromise{{L: l}}, 9), Local: local}
}

// lgbPromises protects sex by a principle and everything else by l.
func lgbPromises(attributes, l int) []LocalPromise {
	out := make([]LocalPromise, attributes)
	for j := range out {
		out[j].L = l
	}
	out[0] = LocalPromise{Principle: ShareWithin{T: 0.35}}
	return out
}

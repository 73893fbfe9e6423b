package lgb_test

import (
	"anond/lab/lgb"
)

// lgbPromises protects sex by a principle and everything else by l.
func lgbPromises(attributes, l int) []lgb.LocalPromise {
	out := make([]lgb.LocalPromise, attributes)
	for j := range out {
		out[j].L = l
	}
	out[0] = lgb.LocalPromise{Principle: lgb.ShareWithin{T: 0.35}}
	return out
}

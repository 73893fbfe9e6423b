package bucketize

import (
	"math/rand/v2"

	"anond/equivclass"
)

// Randomize publishes classes by randomization with retention probability (Zhu
// et al. 2015, after Chaytor and Wang, VLDB 2010): each record keeps its
// sensitive value with probability retention, else it gets one of the different
// values of its class, each equally likely. Quasi-identifiers stay exact. It
// returns the published value of each row; rows in no class keep the zero code
// and must not be published.
//
// It carries no promise 1/l: a published value is the true one with probability
// RetentionPosterior, and two releases of the same record multiply what is
// learnt. Cost: n, and the different values of a class. The draws come from
// source alone.
func Randomize(p *equivclass.Pool, groups [][]int32, retention float64, source rand.Source) []equivclass.Code {
	coin, out := rand.New(source), make([]equivclass.Code, p.Len())
	for _, g := range groups {
		values := p.Bag(g).Signature()
		for _, r := range g {
			out[r] = p.SA[r]
			if coin.Float64() >= retention {
				out[r] = values[coin.IntN(len(values))]
			}
		}
	}
	return out
}

// RetentionPosterior is the probability that a published value is the record's
// own, in a class in which each of m values occurs equally often.
func RetentionPosterior(retention float64, m int) float64 {
	return retention + (1-retention)/float64(m)
}

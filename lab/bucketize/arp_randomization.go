package bucketize

import (
	"math/rand/v2"

	"anond/equivclass"
)

// Randomize publishes classes by randomization with retention probability (Zhu
// et al. 2015, after Chaytor and Wang, VLDB 2010).
//
// Guarantee: none of 1/l. A published value is the true one with probability
// RetentionPosterior, and two releases of the same record together tell more
// than one.
//
// Method: each record keeps its sensitive value with probability retention;
// otherwise it gets one of the different values of its class, each equally
// likely. Quasi-identifiers stay exact. The published value of each row is
// returned; rows in no class keep the zero code and must not be published. All
// random draws come from source.
//
// Cost: n, and the different values of each class.
func Randomize(p *equivclass.Pool, groups [][]int32, retention float64, source rand.Source) []equivclass.Code {
	random, out := rand.New(source), make([]equivclass.Code, p.Len())
	for _, g := range groups {
		values := p.Bag(g).Signature()
		for _, r := range g {
			out[r] = p.SA[r]
			if random.Float64() >= retention {
				out[r] = values[random.IntN(len(values))]
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

package bucketize

import (
	"anond/equivclass"
)

// TrueProbability returns the mean probability that the records of a class with
// this bag are assigned to their own sensitive value: the sum of (c_i/n)^2
// (Zhu et al. 2015, property 1). It is at most 1/l if the bag satisfies
// frequency l, and 1/l if it has exactly l values, equally often.
func TrueProbability(b equivclass.Bag) float64 {
	var sum float64
	for _, c := range b.Counts {
		share := float64(c.N) / float64(b.Total)
		sum += share * share
	}
	return sum
}

// RE is the reconstruction error of Zhu et al. 2015: the sum over all records
// of the probability that a record is assigned to a value that is not its own.
// Each suppressed record costs 1, because nothing links it to its value.
func RE(p *equivclass.Pool, groups [][]int32, suppressed int) float64 {
	sum := float64(suppressed)
	for _, g := range groups {
		sum += float64(len(g)) * (1 - TrueProbability(p.Bag(g)))
	}
	return sum
}

// RCE is the re-construction error of Xiao and Tao (VLDB 2006, eq. 12 and 13)
// for publications that keep the quasi-identifiers exact: the sum over all
// records of the squared distance between the published distribution of its
// sensitive value and the certainty of the true one,
//
//	(1 - p(true))^2 + sum over other values of p(value)^2.
//
// Summed over a class this is |class| - sum c_i^2 / |class|, so RCE and RE are
// the same number. The code computes the definition; TestZhuErrorsAgree checks
// that the two agree.
func RCE(p *equivclass.Pool, groups [][]int32, suppressed int) float64 {
	sum := float64(suppressed)
	for _, g := range groups {
		b := p.Bag(g)
		squares := TrueProbability(b)
		for _, c := range b.Counts {
			share := float64(c.N) / float64(b.Total)
			sum += float64(c.N) * ((1-share)*(1-share) + squares - share*share)
		}
	}
	return sum
}

// REBound is the lower bound of RE and RCE of any publication of n
// records under frequency l: n(1 - 1/l) (Zhu et al., property 8; Xiao and Tao,
// theorem 2).
func REBound(n, l int) float64 { return float64(n) * (1 - 1/float64(l)) }

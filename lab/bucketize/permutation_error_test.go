package bucketize

import "anond/equivclass"

// sensitivePosterior is the probability that a subject whose group is known has
// a sensitive value that count of the group's size records have: count / size,
// for permuted columns tell nothing more than the group's bags.
//
// Theorem 1 (eq. 1) prints count / (|QI.As| x product of |QI.Ai|), for different
// values on each attribute. Example 3 puts the product into the numerator too
// and gets 1/5 for Bob, which is count / size; so does enumeration. As printed,
// the probabilities of a group's values do not add up to 1 (TestPATheorem1).
func sensitivePosterior(count, size int) float64 { return float64(count) / float64(size) }

// reconstructionError is the RCE of a group under permutation anonymization
// (eq. 6 and 9): the sum over its records of (1 - c d)^2 + the sum over the
// other values of (c' d)^2, with c the count of the record's sensitive value in
// the bag and d the delta of its row.
func reconstructionError(b equivclass.Bag, counts []int, deltas []float64) float64 {
	var squares, sum float64
	for _, c := range b.Counts {
		squares += float64(c.N) * float64(c.N)
	}
	for i, n := range counts {
		c, d := float64(n), deltas[i]
		sum += 1 - 2*c*d + d*d*squares
	}
	return sum
}

// reconstructionBound is the lower bound of theorem 2: the sum over the records
// of 1 + l d^2 - 2d. It holds where no value occurs twice in a group, so for
// all groups of assignGroups under l alone; with c = 2 of each of l values and
// d = 1/(2l) the error is below it (TestPATheorem2). For d = 1/l it is Xiao and
// Tao's n (1 - 1/l).
func reconstructionBound(l int, deltas []float64) float64 {
	var sum float64
	for _, d := range deltas {
		sum += 1 + float64(l)*d*d - 2*d
	}
	return sum
}

// groupDeltas returns, for each row of a group, delta of lemma 1 and the count
// of its sensitive value. Cost: len(rows)^2 x D.
func groupDeltas(p *equivclass.Pool, rows []int32) (deltas []float64, counts []int) {
	equal := make([]int, p.D())
	for _, r := range rows {
		clear(equal)
		same := 0
		for _, q := range rows {
			for j := range equal {
				if p.At(r)[j] == p.At(q)[j] {
					equal[j]++
				}
			}
			if p.SA[r] == p.SA[q] {
				same++
			}
		}
		deltas, counts = append(deltas, PresenceProbability(equal, len(rows))), append(counts, same)
	}
	return deltas, counts
}

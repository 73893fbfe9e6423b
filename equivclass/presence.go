package equivclass

// The risk measures of permutation anonymization (Li, He, Cao and Chen, section
// 2.2). All speak of one group, of size records, in which share i of the counts
// is how many records have the subject's value on quasi-identifier i.

// PresenceProbability is delta of lemma 1: the product over the
// quasi-identifiers of count / size. It is the probability that a given row of
// the permuted table shows the subject's whole QI.
//
// The lemma says "at most the probability to find out whether the individual
// exists in the group". Enumerating all permutations shows that it is not: the
// probability that some row of the group shows the QI is larger, up to size
// times (TestPALemma1). That one is PresenceExact.
func PresenceProbability(counts []int, size int) float64 {
	delta := 1.0
	for _, n := range counts {
		delta *= float64(n) / float64(size)
	}
	return delta
}

// PresenceExact is the probability, over the independent uniform permutations
// of the group's columns, that some row shows the subject's whole QI.
//
// Method: the places that show the first value are counts[0]; each further
// column hits them hypergeometrically; follow the law of how many are left.
// Cost: quasi-identifiers x size^2.
func PresenceExact(counts []int, size int) float64 {
	if len(counts) == 0 {
		return 1
	}
	law := make([]float64, size+1) // law[h]: probability that h places match so far
	law[counts[0]] = 1
	for _, n := range counts[1:] {
		next := make([]float64, size+1)
		for h, prob := range law {
			if prob > 0 {
				addHits(next, prob, size, h, n)
			}
		}
		law = next
	}
	return 1 - law[0]
}

// addHits adds to next the hypergeometric law, times prob, of how many of h
// marked places of size are among n random ones.
func addHits(next []float64, prob float64, size, h, n int) {
	least, most := max(0, h+n-size), min(h, n)
	weight, sum := 1.0, 0.0
	weights := make([]float64, most-least+1)
	for x := least; x <= most; x++ {
		weights[x-least] = weight
		sum += weight
		weight *= float64(h-x) / float64(x+1) * float64(n-x) / float64(size-h-n+x+1)
	}
	for i, w := range weights {
		next[least+i] += prob * w / sum
	}
}

// SensitivePosterior is the probability that a subject whose group is known has
// a sensitive value that count of the group's size records have: count / size,
// for permuted columns tell nothing more than the group's bags.
//
// Theorem 1 (eq. 1) prints count / (|QI.As| x product of |QI.Ai|), for different
// values on each attribute. Example 3 puts the product into the numerator too
// and gets 1/5 for Bob, which is count / size; so does enumeration. As printed,
// the probabilities of a group's values do not add up to 1 (TestPATheorem1).
func SensitivePosterior(count, size int) float64 { return float64(count) / float64(size) }

// ReconstructionError is the RCE of a group under permutation anonymization
// (eq. 6 and 9): the sum over its records of (1 - c d)^2 + the sum over the
// other values of (c' d)^2, with c the count of the record's sensitive value in
// the bag and d the delta of its row.
func ReconstructionError(b Bag, counts []int, deltas []float64) float64 {
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

// ReconstructionBound is the lower bound of theorem 2: the sum over the records
// of 1 + l d^2 - 2d. It holds where no value occurs twice in a group, so for
// all groups of DealGroups under l alone; with c = 2 of each of l values and
// d = 1/(2l) the error is below it (TestPATheorem2). For d = 1/l it is Xiao and
// Tao's n (1 - 1/l).
func ReconstructionBound(l int, deltas []float64) float64 {
	var sum float64
	for _, d := range deltas {
		sum += 1 + float64(l)*d*d - 2*d
	}
	return sum
}

// GroupDeltas returns, for each row of a group, delta of lemma 1 and the count
// of its sensitive value. Cost: len(rows)^2 x D.
func GroupDeltas(p *Pool, rows []int32) (deltas []float64, counts []int) {
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

package bucketize

// The risk measures of permutation anonymization (Li, He, Cao and Chen, section
// 2.2). All speak of one group, of size records, in which share i of the counts
// is how many records have the subject's value on quasi-identifier i.

// PresenceProbability is delta of lemma 1: the product over the
// quasi-identifiers of count / size. It is the probability that a given row of
// the permuted table shows the subject's whole QI.
//
// The lemma says "at most the probability to find out whether the individual
// exists in the group". Enumerating all permutations shows that this is wrong:
// the probability that some row of the group shows the QI is larger, up to size
// times (TestPALemma1). That probability is PresenceExact.
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
// Method: counts[0] places show the first value. Each further column matches a
// number of them that has a hypergeometric distribution; the distribution of
// how many places match so far is carried from column to column.
//
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

// addHits adds to next, times prob, the hypergeometric distribution of how many
// of h marked places of size are among n random ones.
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

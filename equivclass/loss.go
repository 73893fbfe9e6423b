package equivclass

// NCP is the normalized certainty penalty of a partition, in [0,1]: the mean
// over all records of the loss of their class (Pool.Loss: ranges, lowest common
// ancestors, sets), where a suppressed record loses everything, 1. It is the
// manifest's quality.ncp if nothing is pending. Cost: n x D.
func NCP(p *Pool, groups [][]int32, suppressed int) float64 {
	return MeanLoss(groups, suppressed, p.Loss)
}

// MeanLoss is the mean over all records of the loss of their class; a suppressed record loses everything, 1.
func MeanLoss(groups [][]int32, suppressed int, loss func([]int32) float64) float64 {
	sum, n := float64(suppressed), suppressed
	for _, g := range groups {
		sum += float64(len(g)) * loss(g)
		n += len(g)
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

package merge

// entropy is entropy l-diversity: the entropy of the value shares is at least
// log l, where l need not be whole.
type entropy struct {
	least int64   // log2 l less the margin, shareBits fractional bits
	known []int64 // log2 of small numbers
}

// NewEntropy returns the principle for l >= 1.
func NewEntropy(l float64) *entropy {
	p := &entropy{known: make([]int64, 1<<10)}
	for c := 1; c < len(p.known); c++ {
		p.known[c] = log2(uint64(c)) >> (logBits - shareBits)
	}
	// l has shareBits fractional bits, which the logarithm takes off again.
	if fixed := exact(l); fixed > 1<<shareBits {
		bits := log2(uint64(fixed))>>(logBits-shareBits) - shareBits<<shareBits - shareMargin
		p.least = min(bits, (maxRecords+1)<<shareBits) // no bag has more, and products fit
	}
	return p
}

// Lack implements Principle: the entropy in bits is log2 n - (sum of c log2 c)/n.
// A bit of entropy that is lacking stands for half of the records.
func (p *entropy) Lack(b Bag, total int) int64 {
	if total == 0 {
		return unit
	}
	n := int64(total)
	have := n * p.log(total)
	for _, c := range b {
		have -= int64(c.N) * p.log(int(c.N))
	}
	if gap := n*p.least - have; gap > 0 {
		return gap>>(shareBits-unitBits+1) + 1
	}
	return 0
}

func (p *entropy) log(c int) int64 {
	if c < len(p.known) {
		return p.known[c]
	}
	return log2(uint64(c)) >> (logBits - shareBits)
}

package snapshot

import "maps"

// Sizes are the sizes of the classes of a release and, at level L2, of its buckets: how
// many there are of each number of records. The release's files show the same.
type Sizes struct {
	Release          uint32
	Classes, Buckets map[int]int
}

// Sizes returns those of the newest release that this publisher published or resumed.
// It must not be called next to Publish or Resume.
func (p *Publisher) Sizes() Sizes {
	if p.at == nil || p.at.standing == nil || p.at.manifest == nil {
		return Sizes{}
	}
	m, s := p.at.manifest, p.at.sums
	out := Sizes{Release: m.Release, Classes: maps.Clone(s.sizes)}
	if m.Policy.Level == policyL2 {
		out.Buckets = map[int]int{}
		for shape, n := range s.shapes {
			out.Buckets[shape.size] += n
		}
	}
	return out
}

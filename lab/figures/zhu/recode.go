package zhu

import (
	"anond/equivclass"
	"anond/lab/bucketize"
)

// publish partitions and recodes in memory.
func (m method) publish(p *equivclass.Pool, l int, seed uint64) {
	groups, _ := m.by(seed).Partition(p, m.want(l))
	if m.ring {
		ringCells(p, groups, l)
	} else {
		publishGroups(p, groups)
	}
}

// publishGroups is the recoding of arp, aip and anatomy: the group of each record,
// and the sensitive values of each group.
func publishGroups(p *equivclass.Pool, groups [][]int32) (group []int32, bags []equivclass.Bag) {
	group, bags = make([]int32, p.Len()), make([]equivclass.Bag, len(groups))
	for i, g := range groups {
		for _, r := range g {
			group[r] = int32(i)
		}
		bags[i] = p.Bag(g)
	}
	return group, bags
}

// ringCells is the recoding of ng: each published row covers the
// quasi-identifiers of l neighbours.
func ringCells(p *equivclass.Pool, rings [][]int32, l int) []float32 {
	box, out := equivclass.NewBox(p.D()), make([]float32, 0, 2*p.Len()*p.D())
	for _, ring := range rings {
		for _, w := range bucketize.RingWindows(ring, max(1, min(l, len(ring)))) {
			p.Box(w, box)
			out = append(append(out, box.Lo...), box.Hi...)
		}
	}
	return out
}

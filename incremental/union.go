package incremental

import (
	"slices"

	"anond/equivclass"
)

// unions makes buckets of a `t` promise: classes one after the other until they
// are t-close, then the next bucket. What is left at the end joins the bucket
// before, and that the one before it, as long as they are not t-close; all of
// them together are, which holdBack has seen to. Whole classes, so that a bucket
// tells nothing of a row beyond its class (K1).
func (m *Machine) unions(p *promise, classes [][]RecordID) [][]RecordID {
	type union struct {
		members []RecordID
		bag     equivclass.Bag
	}
	reference := m.reference(p.attribute)
	var done []union
	open := union{}
	for _, members := range classes {
		open.members = append(open.members, members...)
		addBag(&open.bag, m.records.semiBag(p.j, members))
		if p.holds(open.bag, reference) {
			done, open = append(done, open), union{}
		}
	}
	for len(open.members) > 0 && len(done) > 0 && !p.holds(open.bag, reference) {
		last := done[len(done)-1]
		done = done[:len(done)-1]
		open.members = append(open.members, last.members...)
		addBag(&open.bag, last.bag)
	}
	if len(open.members) > 0 {
		done = append(done, open)
	}
	out := make([][]RecordID, len(done))
	for i, u := range done {
		slices.Sort(u.members)
		out[i] = u.members
	}
	return out
}

func addBag(to *equivclass.Bag, b equivclass.Bag) {
	for _, c := range b.Counts {
		to.Add(c.Code, c.N)
	}
}

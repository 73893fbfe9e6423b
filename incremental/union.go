package incremental

import "anond/equivclass"

// union is whole classes whose sensitive values of one attribute keep its
// promise together.
type union struct {
	members []RecordID // in order of the classes
	classes int
	bag     equivclass.Bag
}

// unions takes classes one after the other until they keep the promise, then
// begins the next union. What is left at the end joins the union before, and that
// the one before it, as long as they do not; all of them together do, which
// holdBack has seen to.
func (m *Machine) unions(p *promise, classes [][]RecordID) []union {
	reference := m.reference(p.attribute)
	var done []union
	open := union{}
	for _, members := range classes {
		open.members = append(open.members, members...)
		open.classes++
		open.bag = open.bag.Plus(m.records.semiBag(p.j, members))
		if p.holds(open.bag, reference) {
			done, open = append(done, open), union{}
		}
	}
	for len(open.members) > 0 && len(done) > 0 && !p.holds(open.bag, reference) {
		last := done[len(done)-1]
		done = done[:len(done)-1]
		open.members = append(open.members, last.members...)
		open.classes += last.classes
		open.bag = open.bag.Plus(last.bag)
	}
	if len(open.members) > 0 {
		done = append(done, open)
	}
	return done
}

package audit

// births finds the release that gave birth to each class and tests that the class
// stands in the part of that release: which part a class is in follows from its
// history alone. A class never moves from one part to another.
func (next *carry) births(prev *carry, rel *release, fates []fate, from []origin, f *faults) {
	next.parts = rel.parts
	next.born = make([]int, rel.tab.m)
	known := rel.num
	if prev.man == nil && rel.num > 1 {
		known = 0 // its classes may be older than what is here
	}
	moved, elsewhere := 0, 0
	firstMoved, firstElsewhere := 0, 0
	for c, fate := range fates {
		next.born[c] = known
		if fate == fateUnchanged {
			next.born[c] = prev.born[from[c].first-1]
		}
		if rel.parts == nil {
			continue
		}
		if fate == fateUnchanged && rel.parts.linked && rel.parts.ids[c] != prev.parts.ids[from[c].first-1] {
			moved, firstMoved = moved+1, c+1
		} else if n := next.born[c]; fate != fateBroken && n > 0 && !rel.parts.holds(c, n) {
			elsewhere, firstElsewhere = elsewhere+1, c+1
		}
	}
	f.addN("A", kindClassMoved, rel.num, firstMoved, "", "a class is in another part than before", moved)
	f.addN("F", kindPartBirth, rel.num, firstElsewhere, "", "a class is not in the part of the release that gave birth to it", elsewhere)
}

// holds reports that the part of a class of the table holds the births of a
// release.
func (p *parted) holds(c, release int) bool {
	name, _ := p.lay.place(p.ids[c])
	b, _ := parsePartName(name)
	return b.first <= release && release <= b.last
}

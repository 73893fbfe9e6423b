package audit

// places tests that no class moves from one part to another. That a new class stands in the part of the release
// that gave birth to it follows from the list of parts: checkLayout and follow.
func (next *carry) places(prev *carry, rel *release, fates []fate, from []origin, f *faults) {
	next.parts = rel.parts
	moved, first := 0, 0
	for c, fate := range fates {
		if fate == fateUnchanged && rel.parts.linked && rel.parts.ids[c] != prev.parts.ids[from[c].first-1] {
			moved, first = moved+1, c+1
		}
	}
	f.addN("A", kindClassMoved, rel.num, first, "", "a class is in another part than before", moved)
}

package snapshot

// fanIn parts of one level become one of the next: a constant, but for tests that
// want many parts of few releases.
var fanIn = 10

// span is the releases whose births a part holds.
type span struct{ first, last uint32 }

func (s span) name() string { return partName(s.first, s.last) }

// level is the number of decimal digits of the releases that a part covers, less
// one.
func (s span) level() (n int) {
	for births := s.last - s.first + 1; births >= uint32(fanIn); births /= uint32(fanIn) {
		n++
	}
	return n
}

// merged tells which parts of a release the next one takes over as they are, and
// which it joins: as soon as ten neighbours of one level stand, they become one,
// as digits are carried in a counter. So there are at most nine parts of a level,
// fewer than a hundred in all, and a row is rewritten once a level.
//
// Each group is of neighbours; one of a single part is taken over.
func merged(parts []span) [][]span {
	type run struct {
		of    span
		parts []span
	}
	var runs []run
	for _, p := range parts {
		runs = append(runs, run{p, []span{p}})
		for n := len(runs) - fanIn; n >= 0 && runs[n].of.level() == runs[len(runs)-1].of.level(); n = len(runs) - fanIn {
			whole := run{of: span{runs[n].of.first, p.last}}
			for _, r := range runs[n:] {
				whole.parts = append(whole.parts, r.parts...)
			}
			runs = append(runs[:n], whole)
		}
	}
	out := make([][]span, len(runs))
	for i, r := range runs {
		out[i] = r.parts
	}
	return out
}

// join is the span of neighbours.
func join(parts []span) span { return span{parts[0].first, parts[len(parts)-1].last} }

// partsOf are the parts of a release: a function of its number alone.
func partsOf(release uint32) []span {
	var parts []span
	for n := uint32(1); n <= release; n++ {
		parts = after(parts, n)
	}
	return parts
}

// after are the parts of a release behind one that has others.
func after(parts []span, release uint32) []span {
	var next []span
	for _, group := range merged(parts) {
		next = append(next, join(group))
	}
	return append(next, span{release, release})
}

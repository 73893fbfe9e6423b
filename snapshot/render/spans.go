package render

import (
	"anond/snapshot"
)

// defaultFanIn parts of one level become one of the next.
const defaultFanIn = 10

// fanIn is how many parts of one level become one of the next.
type fanIn uint32

// fanIn is that of a chain.
func (s *Settings) fanIn() fanIn {
	if s.FanIn == 0 {
		return defaultFanIn
	}
	return fanIn(s.FanIn)
}

// span is the releases whose births a part holds.
type span struct{ first, last uint32 }

func (s span) name() string { return snapshot.PartName(s.first, s.last) }

// level is the number of digits, in base f, of the releases that a part covers, less
// one.
func (f fanIn) level(s span) (n int) {
	for births := fanIn(s.last - s.first + 1); births >= f; births /= f {
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
func (f fanIn) merged(parts []span) [][]span {
	type run struct {
		of    span
		parts []span
	}
	var runs []run
	for _, p := range parts {
		runs = append(runs, run{p, []span{p}})
		for n := len(runs) - int(f); n >= 0 && f.level(runs[n].of) == f.level(runs[len(runs)-1].of); n = len(runs) - int(f) {
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

// spanning says which parts the releases of an input have: a function of numbers, times, watermarks, and of which releases have births.
type spanning struct {
	in *Input
	s  *Settings
}

// granule is the releases whose parts may be joined: of one era and, with a window, of one time.
type granule struct {
	era  int
	time int64
}

// granule is that of a release.
func (x spanning) granule(release uint32) granule {
	out := granule{era: x.in.eraOf(release)}
	if x.s.Granule != nil {
		out.time = x.s.Granule(release, x.in.past(release).CreatedAt)
	}
	return out
}

// taken tells which parts of the release before a release takes over, and which it joins. What lies up to the watermark has left. A
// granule that is over becomes one part, so that there are as many parts as granules, and those of the present one.
//
// Guarantee: nothing is joined across granules, so what leaves is whole parts.
func (x spanning) taken(parts []span, release uint32) (groups [][]span) {
	expired, now := x.in.past(release).Expired, x.granule(release)
	for len(parts) > 0 && parts[0].last <= expired {
		parts = parts[1:]
	}
	for len(parts) > 0 {
		of, n := x.granule(parts[0].first), 1
		for n < len(parts) && x.granule(parts[n].first) == of {
			n++
		}
		if of == now {
			groups = append(groups, x.s.fanIn().merged(parts[:n])...)
		} else {
			groups = append(groups, parts[:n])
		}
		parts = parts[n:]
	}
	return groups
}

// after are the parts of a release behind one that has others.
func (x spanning) after(parts []span, release uint32) []span {
	var next []span
	for _, group := range x.taken(parts, release) {
		next = append(next, join(group))
	}
	if x.in.past(release).Births {
		next = append(next, span{release, release})
	}
	return next
}

// of are the parts of a release.
func (x spanning) of(release uint32) (parts []span) {
	for n := uint32(1); n <= release; n++ {
		parts = x.after(parts, n)
	}
	return parts
}

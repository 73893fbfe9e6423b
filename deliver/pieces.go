package deliver

import (
	"fmt"
	"slices"

	"anond/snapshot"
)

// Pieces are the parts of which a release is made, as releases first published them, oldest first: a copy of the releases
// up to it has each of them once. A part that others were joined into is none: its bytes follow from theirs.
//
// Rule W (what may leave): a piece leaves whole. Either no manifest has its rows any more (a window), or a part with fewer
// rows takes its place, which is a piece of its own (erasure by whole buckets). So a copy takes pieces in and away, and
// never looks into one.
type Pieces []snapshot.PartEntry

// Step is what a release changed.
type Step struct {
	Births    Pieces   // what it published first: newcomers, and what was written again without the buckets that left
	Left      Pieces   // what is in it no more
	Expired   uint32   // births up to that release left with it, and no part took their place; 0: none
	Rewritten []string // which of the births took the place of what left
}

// After is what a release is made of, given what the one before it is made of, and what it changed.
func (p Pieces) After(m *snapshot.Manifest) (next Pieces, step Step, err error) {
	for i := range m.Parts {
		part := &m.Parts[i]
		p = p.expire(part, &step)
		inside, rows := p.within(part)
		p = p[len(inside):]
		if len(inside) > 0 && rows == part.Rows {
			next = append(next, inside...)
			continue
		}
		if part.Release != m.Release || rows > 0 && rows < part.Rows {
			return nil, step, fmt.Errorf("%w: release %d: %s follows from no parts of the release before", snapshot.ErrDamaged, m.Release,
				part.Part)
		}
		if len(inside) > 0 {
			step.Rewritten = append(step.Rewritten, part.Part)
		}
		birth := *part
		birth.Dead, birth.Replaces = nil, nil
		next, step.Births, step.Left = append(next, birth), append(step.Births, birth), append(step.Left, inside...)
	}
	p.expire(&snapshot.PartEntry{}, &step)
	return next, step, nil
}

// expire takes away what was born before a part, or all in front of none.
func (p Pieces) expire(part *snapshot.PartEntry, step *Step) Pieces {
	first, _ := part.Births()
	for len(p) > 0 {
		from, last := p[0].Births()
		if first > 0 && from >= first {
			break
		}
		step.Left, step.Expired, p = append(step.Left, p[0]), last, p[1:]
	}
	return p
}

// within are the pieces in front that a part holds, and their rows.
func (p Pieces) within(part *snapshot.PartEntry) (inside Pieces, rows int) {
	_, last := part.Births()
	for i := range p {
		if _, to := p[i].Births(); to > last {
			break
		}
		inside, rows = append(inside, p[i]), rows+p[i].Rows
	}
	return inside, rows
}

// Of are the pieces of a part.
func (p Pieces) Of(part *snapshot.PartEntry) (out Pieces) {
	first, last := part.Births()
	for _, piece := range p {
		if from, to := piece.Births(); from >= first && to <= last {
			out = append(out, piece)
		}
	}
	return out
}

// has reports whether a piece is among them.
func (p Pieces) has(piece *snapshot.PartEntry) bool {
	return slices.ContainsFunc(p, func(x snapshot.PartEntry) bool { return x.Part == piece.Part && x.Release == piece.Release })
}

package gate

import "slices"
import (
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// held is all that the check of the next release needs to know of a release in
// parts: of each class four numbers, of each record its class. Classes are numbered
// as layout does it, dead ones included.
type held struct {
	Man      *format.Manifest
	Lay      *format.Layout
	files    []format.PartFiles
	Facts    Facts
	At       []uint32        // per record: class + 1, 0 = not published
	Regroups []uint16        // per record: releases in which the set of its class changed; shorter than at: 0
	Moved    bool            // some record was regrouped
	Sets     *format.SetDict // value sets of flat classes
	Figures  *figures
	parts    []*figures      // with a window: of each part
	People   []uint32        // by bucket, through all parts; nil at level L1
	Left     map[uint32]bool // records of buckets that have left, of parts that are there
}

// hold keeps what the carry has of a release that was read in full.
func hold(next *chain.Carry, rel *chain.Release, s *format.Schema) *held {
	h := &held{Man: rel.Man, Lay: rel.Parts.Lay, files: rel.Parts.Files, Sets: format.NewSetDict(), Figures: newFigures()}
	each := make([]Fact, h.Lay.Classes())
	for c, id := range rel.Parts.Ids {
		each[id] = h.fact(rel.Tab, c, s.Sets)
	}
	for _, x := range each {
		h.Facts.add(x)
	}
	h.Figures.add(rel.Tab, rel.Man, s)
	for _, t := range rel.Parts.Tables {
		h.parts = append(h.parts, newFigures())
		h.parts[len(h.parts)-1].add(t, rel.Man, s)
	}
	if rel.Tab.Shared != nil {
		h.People = rel.Parts.People
	}
	h.At = make([]uint32, len(next.ClassOf))
	for rec, c := range next.ClassOf {
		if c > 0 {
			h.At[rec] = rel.Parts.Ids[c-1] + 1
		}
	}
	if n := slices.IndexFunc(next.Regroups, func(n uint16) bool { return n > 0 }); n >= 0 {
		h.Regroups, h.Moved = next.Regroups, true
	}
	return h
}

// standing is what is held without what has left by the release that follows. Cost: the parts that stay.
func (h *held) standing(after *format.Manifest, s *format.Schema) *held {
	man, left := h.Man.Standing(after.Expired)
	if left.Parts == 0 || len(h.parts) != len(h.Man.Parts) {
		return h
	}
	out := *h
	out.Man, out.Lay, out.files, out.parts = man, h.Lay.Without(left.Parts), h.files[left.Parts:], h.parts[left.Parts:]
	if out.Figures = newFigures(); h.People != nil {
		out.People = h.People[left.Buckets:]
	}
	out.Figures.add(table.Nothing(s), man, s)
	for _, x := range out.parts {
		out.Figures.join(x)
	}
	return &out
}

// fact is what is kept of class c of a table whose value sets are in from.
func (h *held) fact(t *table.Table, c int, from *format.SetDict) Fact {
	x := Fact{Size: uint32(t.Size(c)), Top: t.Top[c], Flat: t.Flat[c]}
	if x.Flat > 0 {
		x.Support = h.Sets.Intern(from.Sets[t.Support[c]])
	}
	return x
}

// Facts are those of classes by number. Where all are alike, as at level L2, they are held once.
type Facts struct {
	N    int
	same Fact
	each []Fact // nil: all are the same
}

// Of is the fact of a class.
func (f *Facts) Of(id uint32) Fact {
	if f.each != nil {
		return f.each[id]
	}
	return f.same
}

// add takes in the next class.
func (f *Facts) add(x Fact) {
	switch {
	case f.N == 0:
		f.same = x
	case f.each != nil:
		f.each = append(f.each, x)
	case f.same != x:
		f.each = append(slices.Repeat([]Fact{f.same}, f.N), x)
	}
	f.N++
}

// Class is the class of a record + 1.
func (h *held) Class(rec uint32) uint32 {
	if int(rec) < len(h.At) {
		return h.At[rec]
	}
	return 0
}

func (h *held) Times(rec uint32) uint16 {
	if int(rec) < len(h.Regroups) {
		return h.Regroups[rec]
	}
	return 0
}

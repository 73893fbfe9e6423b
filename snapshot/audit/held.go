package audit

import "slices"

// held is all that the check of the next release needs to know of a release in
// parts: of each class four numbers, of each record its class. Classes are numbered
// as layout does it, dead ones included.
type held struct {
	man      *Manifest
	lay      *layout
	files    []partFiles
	facts    []fact
	at       []uint32 // per record: class + 1, 0 = not published
	regroups []uint16 // per record: releases in which the set of its class changed; shorter than at: 0
	moved    bool     // some record was regrouped
	sets     *setDict // value sets of flat classes
	figures  *figures
}

// hold keeps what the carry has of a release that was read in full.
func hold(next *carry, rel *release, s *schema) *held {
	h := &held{man: rel.man, lay: rel.parts.lay, files: rel.parts.files, sets: newSetDict(), figures: newFigures()}
	h.facts = make([]fact, h.lay.classes())
	for c, id := range rel.parts.ids {
		h.facts[id] = h.fact(rel.tab, c, s.sets)
	}
	h.figures.add(rel.tab, s)
	h.at = make([]uint32, len(next.classOf))
	for rec, c := range next.classOf {
		if c > 0 {
			h.at[rec] = rel.parts.ids[c-1] + 1
		}
	}
	if n := slices.IndexFunc(next.regroups, func(n uint16) bool { return n > 0 }); n >= 0 {
		h.regroups, h.moved = next.regroups, true
	}
	return h
}

// fact is what is kept of class c of a table whose value sets are in from.
func (h *held) fact(t *table, c int, from *setDict) fact {
	x := fact{size: uint32(t.size(c)), top: t.top[c], flat: t.flat[c]}
	if x.flat > 0 {
		x.support = h.sets.intern(from.sets[t.support[c]])
	}
	return x
}

// class is the class of a record + 1.
func (h *held) class(rec uint32) uint32 {
	if int(rec) < len(h.at) {
		return h.at[rec]
	}
	return 0
}

func (h *held) times(rec uint32) uint16 {
	if int(rec) < len(h.regroups) {
		return h.regroups[rec]
	}
	return 0
}

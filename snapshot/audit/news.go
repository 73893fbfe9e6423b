package audit

import (
	"math"
)

// news is what a release in parts adds to the one before.
type news struct {
	h     *held
	s     *schema // with a dictionary of value sets of its own
	man   *Manifest
	lay   *layout
	files []partFiles
	born  *table         // the classes of its own part
	base  uint32         // number of the first of them
	died  []uint32       // numbers of the classes that died
	back  map[uint32]int // of these: how many of its people are in new classes
	rec   []uint32       // records in the new classes
	// records bounds their ordinals.
	records int
	to      []uint32 // their classes, indexes of born
	was     []uint32 // their classes before + 1
	f       *faults
}

// checkNew checks a release in parts against the one before, in parts too.
func (g *Gate) checkNew(dir string, man *Manifest, placed []Placement, f *faults) (func(), error) {
	l := follow(g.held.man, man, f)
	s := *g.s
	s.sets = newSetDict()
	n := &news{h: g.held, s: &s, man: man, f: f}
	r := &partReader{dir: dir, man: man, s: &s, f: f}
	if !l.whole {
		r.explain(g.held.man, r.earlier(g.held.man))
		return nil, nil // reported; nothing else can be compared
	}
	if err := n.read(r, l); err != nil || n.born == nil {
		return nil, err // a release without a part of its own is reported
	}
	checkClaims(man, f)
	n.place(placed)
	after := n.figures()
	after.check(man, f)
	n.classes()
	n.regrouped(after)
	checkDifference(g.held.figures.hist, after.hist, man, f)
	return func() { n.commit(after) }, nil
}

// read looks at the files: old parts by what cannot lie cheaply, new ones in full.
func (n *news) read(r *partReader, l *lineage) error {
	earlier := r.earlier(n.h.man)
	for i := range n.man.Parts {
		p, s := &n.man.Parts[i], &l.steps[i]
		var files partFiles
		var err error
		switch {
		case s.kept >= 0:
			files, err = r.keep(p, n.h.files[s.kept])
		case s.from != nil:
			for _, j := range s.from {
				old := &partReader{dir: earlier, man: n.man, s: r.s, f: n.f}
				if _, err := old.keep(&n.h.man.Parts[j], n.h.files[j]); err != nil {
					return err
				}
			}
			files, err = r.compacted(p, earlier, n.h.man)
		default:
			n.born, files, err = r.read(p)
		}
		if err != nil {
			return err
		}
		n.files = append(n.files, files)
	}
	n.lay = newLayout(n.man)
	n.base = n.lay.start[len(n.lay.start)-2]
	n.died = died(n.h.lay, n.lay, n.man.Release, n.f)
	for _, id := range n.died {
		if n.h.facts[id].flat == 0 || n.born != nil && n.born.shared != nil {
			n.addAt("A", kindDeadNotPure, id, "dead", "a class that is not pure is listed as dead")
		}
	}
	return r.names()
}

// addAt reports a finding about a class of any part.
func (n *news) addAt(rule, kind string, id uint32, attribute, detail string) {
	part, class := n.lay.place(id)
	n.f.part = part
	n.f.add(rule, kind, n.man.Release, class, attribute, detail)
	n.f.part = ""
}

// place finds where the records of the new classes come from.
func (n *news) place(placed []Placement) {
	own := n.man.Parts[len(n.man.Parts)-1].Name
	n.records = ordinals(placed)
	seen := newBitset(n.records)
	n.back = make(map[uint32]int, len(n.died))
	for _, id := range n.died {
		n.back[id] = 0
	}
	unknown, twice := 0, 0
	for _, p := range placed {
		for i, rec := range p.Records {
			c, ok := n.born.lookup(p.Classes[i])
			if !ok || p.Part != own {
				unknown++
				continue
			}
			if seen.has(int(rec)) {
				twice++
				continue
			}
			seen.add(int(rec))
			n.rec, n.to, n.was = append(n.rec, rec), append(n.to, uint32(c)), append(n.was, n.h.class(rec))
		}
	}
	n.f.addN("microdata", kindMembersMismatch, n.man.Release, 0, "class",
		"a member's class is not in the part that this release gives birth to", unknown)
	n.f.addN("microdata", kindRecordTwice, n.man.Release, 0, "class", "a record is in two classes", twice)
}

// figures of the release: those of the one before, without the dead, with the born.
func (n *news) figures() *figures {
	x := n.h.figures.clone()
	for _, id := range n.died {
		if c := n.h.facts[id]; c.flat > 0 {
			x.remove(c, n.h.sets.sets[c.support])
		}
	}
	x.add(n.born, n.s)
	return x
}

// classes judges every new class by where its records come from: rules A, P and N.
func (n *news) classes() {
	from := make([]origin, n.born.m)
	for c := range from {
		from[c].wasFlat, from[c].oneSet = true, true
	}
	support := make([]uint32, n.born.m)
	for c := range support {
		support[c] = n.h.sets.find(n.s.sets.sets[n.born.support[c]])
	}
	for i, c := range n.to {
		o := &from[c]
		o.n++
		if p := n.was[i]; p > 0 {
			was := n.h.facts[p-1]
			o.join(p, was.flat > 0, was.support == support[c])
			if _, dead := n.back[p-1]; dead {
				n.back[p-1]++
			} else {
				n.addAt("P", kindDeadOmitted, p-1, "dead",
					"people of a class are in newer classes, and it is not listed as dead: they are there twice")
			}
		}
	}
	for c := range from {
		n.judge(c, &from[c])
	}
	gone := 0
	for _, id := range n.died {
		switch back, size := n.back[id], int(n.h.facts[id].size); {
		case back == 0:
			n.addAt("P", kindDeadAlive, id, "dead", "a class is listed as dead, and its people are in no newer class")
		case back < size:
			gone += size - back
		}
	}
	n.f.addN("N", kindRecordGone, n.man.Release, 0, "", "a published record is in no class of the next release", gone)
}

// judge names the rule that a new class breaks, if it breaks one.
func (n *news) judge(c int, o *origin) {
	n.f.part = n.man.Parts[len(n.man.Parts)-1].Name
	defer func() { n.f.part = "" }()
	add := func(rule, kind, detail string) { n.f.add(rule, kind, n.man.Release, c+1, "", detail) }
	switch {
	case o.n != n.born.size(c):
		add("microdata", kindMembersMismatch, "a class has another number of records than the release shows")
	case o.old == 0:
	case !o.several && o.old == o.n && int(n.h.facts[o.first-1].size) == o.n:
		add("A", kindClassMoved, "a class is in another part than before")
	case o.wasFlat && o.oneSet && n.born.flat[c] > 0 && n.born.shared == nil:
	default:
		add(o.blame(int(n.h.facts[o.first-1].size), n.born))
	}
}

// regrouped tests rule E (budget of regroupings) and what the release calls itself.
func (n *news) regrouped(after *figures) {
	limit, over, moved := n.man.Policy.MaxRegroups, 0, n.h.moved
	for i, rec := range n.rec {
		if n.was[i] == 0 {
			continue
		}
		moved = true
		if limit != nil && *limit >= 0 && int(n.h.times(rec))+1 > *limit {
			over++
		}
	}
	n.f.addN("E", kindBudget, n.man.Release, 0, "", "a record was regrouped more often than policy.max_regroups allows", over)
	if n.man.Privacy.Certificate != after.certificate(moved) {
		n.f.add("claim", kindCertificateFalse, n.man.Release, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

// commit takes the release over. It changes what the gate holds, and nothing of it
// if there were findings: Check keeps no such step.
func (n *news) commit(after *figures) {
	h := n.h
	h.man, h.lay, h.files, h.figures = n.man, n.lay, n.files, after
	for c := range n.born.m {
		h.facts = append(h.facts, h.fact(n.born, c, n.s.sets))
	}
	h.at = fit(h.at, max(len(h.at), n.records))
	for i, rec := range n.rec {
		h.at[rec] = n.base + n.to[i] + 1
		if n.was[i] == 0 {
			continue
		}
		h.moved = true
		h.regroups = fit(h.regroups, max(len(h.regroups), n.records))
		if h.regroups[rec] < math.MaxUint16 {
			h.regroups[rec]++
		}
	}
}

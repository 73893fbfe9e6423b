package gate

import (
	"math"
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// news is what a release in parts adds to the one before.
type news struct {
	h     *held
	s     *format.Schema // with a dictionary of value sets of its own
	man   *format.Manifest
	lay   *format.Layout
	files []format.PartFiles
	born  *table.Table   // the classes of its own part
	base  uint32         // number of the first of them
	died  []uint32       // numbers of the classes that died
	back  map[uint32]int // of these: how many of its people are in new classes
	rec   []uint32       // records in the new classes
	// records bounds their ordinals.
	records int
	people  []uint32       // by bucket, through all parts
	whole   *chain.Release // all of it, if buckets leave
	// steps are, by part, the parts it was in the release before; nil: it is born. parts are the figures of each, with a window.
	steps [][]int
	parts []*figures
	to    []uint32 // their classes, indexes of born
	was   []uint32 // their classes before + 1
	f     *format.Faults
}

// checkNew checks a release in parts against the one before, in parts too.
func (g *era) checkNew(dir string, man *format.Manifest, placed []Placement, f *format.Faults) (func(), error) {
	l := format.Follow(g.Held.Man, man, f)
	s := *g.S
	s.Sets = format.NewSetDict()
	n := &news{h: g.Held.standing(man, &s), s: &s, man: man, f: f}
	r := &chain.PartReader{Dir: dir, Man: man, S: &s, F: f}
	if !l.Whole {
		r.Explain(g.Held.Man, r.Earlier(g.Held.Man))
		return nil, nil // reported; nothing else can be compared
	}
	if err := n.read(r, l); err != nil || n.born == nil && man.Window == "" && n.whole == nil && !man.Former() {
		return nil, err // a release without a part of its own is reported
	}
	if n.born == nil {
		n.born, n.base = table.Nothing(&s), uint32(n.lay.Classes())
	}
	chain.CheckClaims(man, f)
	if b := n.born.Shared; b != nil {
		if n.people = append(slices.Clip(n.h.People), b.Size...); n.whole != nil {
			n.people = n.whole.Parts.People
		}
		format.CheckStale(n.h.Man, man, n.people, f)
	}
	n.place(placed)
	after := n.figures()
	after.check(man, f)
	n.classes()
	n.regrouped(after)
	base := n.h.Figures.Hist
	if n.whole != nil {
		base = slices.Clone(after.Hist)
		for v, c := range n.born.Histogram(len(base)) {
			base[v] -= c
		}
	}
	format.CheckDifference(base, after.Hist, man, f)
	return func() {
		g.Held = n.h
		n.commit(after)
	}, nil
}

// read looks at the files: old parts by what cannot lie cheaply, new ones in full.
func (n *news) read(r *chain.PartReader, l *format.Lineage) error {
	earlier := r.Earlier(n.h.Man)
	for i := range n.man.Parts {
		p, s := &n.man.Parts[i], &l.Steps[i]
		var files format.PartFiles
		var err error
		switch {
		case s.Kept >= 0:
			files, err = r.Keep(p, n.h.files[s.Kept])
		case s.From != nil:
			for _, j := range s.From {
				old := &chain.PartReader{Dir: earlier, Man: n.man, S: r.S, F: n.f}
				if _, err := old.Keep(&n.h.Man.Parts[j], n.h.files[j]); err != nil {
					return err
				}
			}
			files, err = r.Compacted(p, earlier, n.h.Man, s.Gone)
		case s.Left >= 0:
			old := &chain.PartReader{Dir: earlier, Man: n.man, S: r.S, F: n.f}
			if _, err := old.Keep(&n.h.Man.Parts[s.Left], n.h.files[s.Left]); err != nil {
				return err
			}
			files, err = r.Without(p, earlier, n.h.Man, s.Gone[0])
		default:
			n.born, files, err = r.Read(p)
		}
		if err != nil {
			return err
		}
		n.files = append(n.files, files)
		if at := max(s.Kept, s.Left); at >= 0 {
			s.From = []int{at}
		}
		n.steps = append(n.steps, s.From)
	}
	if n.lay = format.NewLayout(n.man, n.h.Lay.Start[0]); n.born != nil {
		n.base = n.lay.Start[len(n.lay.Start)-2]
	}
	if l.Withdraws {
		var err error
		if n.whole, err = chain.LoadParted(r.Dir, n.man, r.S, nil, n.f); err != nil {
			return err
		}
	}
	n.died = format.Died(n.h.Lay, n.lay, n.man.Release, n.f)
	for _, id := range n.died {
		if n.h.Facts.Of(id).Flat == 0 || n.born != nil && n.born.Shared != nil {
			n.addAt("A", format.KindDeadNotPure, id, "dead", "a class that is not pure is listed as dead")
		}
	}
	return r.Names()
}

// gone reports whether a class of the release before has left with its bucket.
func (n *news) gone(id uint32) bool {
	first := n.lay.Start[0] // whole is numbered from 0
	_, stays := slices.BinarySearch(n.whole.Parts.Ids, id-first)
	return id >= first && !stays
}

// addAt reports a finding about a class of any part.
func (n *news) addAt(rule, kind string, id uint32, attribute, detail string) {
	part, class := n.lay.Place(id)
	n.f.Part = part
	n.f.Add(rule, kind, n.man.Release, class, attribute, detail)
	n.f.Part = ""
}

// place finds where the records of the new classes come from.
func (n *news) place(placed []Placement) {
	own := n.man.Own()
	n.records = ordinals(placed)
	seen := format.NewBitset(n.records)
	n.back = make(map[uint32]int, len(n.died))
	for _, id := range n.died {
		n.back[id] = 0
	}
	unknown, twice, back := 0, 0, 0
	for _, p := range placed {
		for i, rec := range p.Records {
			c, ok := n.born.Lookup(p.Classes[i])
			if !ok || p.Part != own {
				unknown++
				continue
			}
			if seen.Has(int(rec)) {
				twice++
				continue
			}
			if seen.Add(int(rec)); n.h.Left[rec] || n.h.Class(rec) > 0 && n.h.Class(rec) <= n.lay.Start[0] {
				back++
				continue
			}
			n.rec, n.to, n.was = append(n.rec, rec), append(n.to, uint32(c)), append(n.was, n.h.Class(rec))
		}
	}
	n.f.AddN("microdata", format.KindMembersMismatch, n.man.Release, 0, "class",
		"a member's class is not in the part that this release gives birth to", unknown)
	n.f.AddN("microdata", format.KindRecordTwice, n.man.Release, 0, "class", "a record is in two classes", twice)
	n.f.AddN("W", format.KindRecordBack, n.man.Release, 0, "", "a record that has left with its part or bucket is in a class again", back)
}

// figures of the release: those of the one before, without the dead, with the born.
func (n *news) figures() *figures {
	if n.whole != nil {
		x := newFigures()
		x.add(n.whole.Tab, n.man, n.s)
		x.reach = n.h.Figures.reach.Worse(x.reach)
		for i, t := range n.whole.Parts.Tables {
			of := newFigures()
			of.add(t, n.man, n.s)
			for _, j := range n.steps[i] {
				of.reach = of.reach.Worse(n.h.parts[j].reach)
			}
			n.parts = append(n.parts, of)
		}
		return x
	}
	x := n.h.Figures.clone()
	for _, id := range n.died {
		if c := n.h.Facts.Of(id); c.Flat > 0 {
			x.remove(c, n.h.Sets.Sets[c.Support])
		}
	}
	x.add(n.born, n.man, n.s)
	if n.man.Window != "" {
		n.parts = nil
		for i := range n.steps {
			of := newFigures()
			switch from := n.steps[i]; {
			case from == nil:
				of.add(n.born, n.man, n.s)
			default:
				for _, j := range from {
					of.join(n.h.parts[j])
				}
			}
			n.parts = append(n.parts, of)
		}
	}
	return x
}

// classes judges every new class by where its records come from: rules A, P and N.
func (n *news) classes() {
	from := make([]chain.Origin, n.born.M)
	for c := range from {
		from[c].WasFlat, from[c].OneSet = true, true
	}
	support := make([]uint32, n.born.M)
	for c := range support {
		support[c] = n.h.Sets.Find(n.s.Sets.Sets[n.born.Support[c]])
	}
	for i, c := range n.to {
		o := &from[c]
		o.N++
		if p := n.was[i]; p > 0 {
			was := n.h.Facts.Of(p - 1)
			o.Join(p, was.Flat > 0, was.Support == support[c])
			if _, dead := n.back[p-1]; dead {
				n.back[p-1]++
			} else {
				n.addAt("P", format.KindDeadOmitted, p-1, "dead",
					"people of a class are in newer classes, and it is not listed as dead: they are there twice")
			}
		}
	}
	for c := range from {
		n.judge(c, &from[c])
	}
	gone := 0
	for _, id := range n.died {
		switch back, size := n.back[id], int(n.h.Facts.Of(id).Size); {
		case back == 0:
			n.addAt("P", format.KindDeadAlive, id, "dead", "a class is listed as dead, and its people are in no newer class")
		case back < size:
			gone += size - back
		}
	}
	n.f.AddN("N", format.KindRecordGone, n.man.Release, 0, "", "a published record is in no class of the next release", gone)
}

// judge names the rule that a new class breaks, if it breaks one.
func (n *news) judge(c int, o *chain.Origin) {
	n.f.Part = n.man.Own()
	defer func() { n.f.Part = "" }()
	add := func(rule, kind, detail string) { n.f.Add(rule, kind, n.man.Release, c+1, "", detail) }
	switch {
	case o.N != n.born.Size(c):
		add("microdata", format.KindMembersMismatch, "a class has another number of records than the release shows")
	case o.Old == 0:
	case !o.Several && o.Old == o.N && int(n.h.Facts.Of(o.First-1).Size) == o.N:
		add("A", format.KindClassMoved, "a class is in another part than before")
	case o.WasFlat && o.OneSet && n.born.Flat[c] > 0 && n.born.Shared == nil:
	default:
		add(o.Blame(int(n.h.Facts.Of(o.First-1).Size), n.born))
	}
}

// regrouped tests rule E (budget of regroupings) and what the release calls itself.
func (n *news) regrouped(after *figures) {
	limit, over, moved := n.man.Policy.MaxRegroups, 0, n.h.Moved
	for i, rec := range n.rec {
		if n.was[i] == 0 {
			continue
		}
		moved = true
		if limit != nil && *limit >= 0 && int(n.h.Times(rec))+1 > *limit {
			over++
		}
	}
	n.f.AddN("E", format.KindBudget, n.man.Release, 0, "", "a record was regrouped more often than policy.max_regroups allows", over)
	if n.man.Privacy.Certificate != after.certificate(moved) {
		n.f.Add("claim", format.KindCertificateFalse, n.man.Release, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

// commit takes the release over. It changes what the gate holds, and nothing of it
// if there were findings: Check keeps no such step.
func (n *news) commit(after *figures) {
	h := n.h
	h.Man, h.Lay, h.files, h.Figures, h.People, h.parts = n.man, n.lay, n.files, after, n.people, n.parts
	for c := range n.born.M {
		h.Facts.add(h.fact(n.born, c, n.s.Sets))
	}
	if n.whole != nil {
		if h.Left == nil {
			h.Left = map[uint32]bool{}
		}
		for rec, id := range h.At {
			if id > 0 && n.gone(id-1) {
				h.At[rec], h.Left[uint32(rec)] = 0, true
			}
		}
	}
	h.At = format.Fit(h.At, max(len(h.At), n.records))
	for i, rec := range n.rec {
		h.At[rec] = n.base + n.to[i] + 1
		if n.was[i] == 0 {
			continue
		}
		h.Moved = true
		h.Regroups = format.Fit(h.Regroups, max(len(h.Regroups), n.records))
		if h.Regroups[rec] < math.MaxUint16 {
			h.Regroups[rec]++
		}
	}
}

package gate

import (
	"path/filepath"
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Gate is the auditor inside the publisher: it reads what each rendered release
// adds before it is renamed into place, compares it with the release before, and
// carries the certificate from release to release.
//
// Guarantee: if every release of a chain passed Check without violations, then
// every published record's component is frozen (rule A) or pure (rule P), hence
// P(value | all releases) <= 1/l at levels L0 and L1, no budget is exceeded, and
// nobody disappeared. The check reads files, not the publisher's memory; only who
// is in which class comes from the caller. What it does not see is the microdata:
// that bags and cells are the members' own is Dir's to check.
//
// Method: a part that stood in the release before is the same if its files are
// (inode, size, time of change, mode 0444); any other file is hashed again. So its
// classes are frozen. New parts are read in full. A compacted part is compared
// with the bytes of the parts that it replaces. Only classes that the manifest
// lists as dead change; all their people must be in new classes of the same values.
//
// Cost: what is new in a release, and one look at each file of the
// older parts. The carry holds 4 bytes a record (6 once any was regrouped) and, but at level L2, 16 a
// class, and of pure classes their sets of values. Of each era that has ended and has parts it holds 4 bytes for each record up to
// its last one. A Gate is not safe for concurrent use.
type Gate struct {
	Policy format.Policy
	// Promised is what the configuration promises of sensitive attributes; nil: the caller has none to compare with.
	Promised *Promised
	// Earlier are the settings of eras that have ended, as far as the caller knows them. A release whose births were made under one of
	// them may be resumed from; new ones may not.
	Earlier []Settings
	era                      // the newest
	former  []*era           // with parts in the newest release, oldest first
	man     *format.Manifest // the newest release; nil: there is none
	times   format.Times     // of releases with a window; nil: none was read
	next    func()           // takes over what was checked: Commit
}

// Settings are those of an era.
type Settings struct {
	Policy   format.Policy
	Promised *Promised
}

// era is what is known of the parts of one.
type era struct {
	until int // 0: it has not ended
	S     *format.Schema
	from  *format.Manifest // the hierarchies of s are those that it names
	Held  *held            // its parts in the newest release; nil: there is none
}

// Placement says which class of one part each of some records is in. Records
// and Classes have the same length. Record ordinals are the caller's and must stay
// the same from call to call.
type Placement struct {
	Part             string
	Records, Classes []uint32
}

// New makes a gate for a chain that has no release yet; see Resume.
func New(policy format.Policy) *Gate {
	return &Gate{Policy: policy}
}

// Check reads the release rendered in dir (for instance releases/.tmp-000042)
// and tests it alone and against the committed release before it. placed is who is
// in the part that this release gives birth to. A non-empty result means: do
// not publish. The state of the gate changes only by Commit, so Check may be
// repeated.
func (g *Gate) Check(dir string, placed []Placement) ([]format.Violation, error) {
	g.next = nil
	f := &format.Faults{}
	man, err := chain.LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	eras, err := g.eras(filepath.Dir(dir), man, f)
	if err != nil {
		return nil, err
	}
	g.declared(man, man.Own() == "", f)
	format.CheckForm(man, f)
	if g.man != nil {
		format.CheckContract(g.man, man, f)
	}
	format.CheckLink(g.man, man, man.Release, f)
	format.CheckWindow(g.man, man, g.timesOf(dir, man), f)
	if !format.CheckEras(g.man, man, f) || eras == nil {
		return f.Sorted(), nil
	}
	sections := man.ByEra()
	for i, e := range eras {
		if e.Held != nil && format.OtherForm(e.Held.Man, sections[i]) {
			return f.Sorted(), nil // checkContract
		}
	}
	var next []func()
	for i, e := range eras {
		if sections[i].Former() && e.Held != nil {
			g.twice(e, placed, man, f)
		}
		check := e.checkAll
		if e.Held != nil {
			check = e.checkNew
		}
		of, err := check(dir, sections[i], placedIn(sections[i], placed), f)
		if err != nil {
			return nil, err
		}
		next = append(next, of)
	}
	if len(f.List) == 0 {
		g.next = func() {
			for _, take := range next {
				take()
			}
			g.take(eras, man)
		}
	}
	return f.Sorted(), nil
}

// take makes eras those of the newest release.
func (g *Gate) take(eras []*era, man *format.Manifest) {
	last := len(eras) - 1
	g.former, g.era, g.man = eras[:last:last], *eras[last], man
}

// placedIn are the placements in parts of an era; those in no part are the newest's.
func placedIn(man *format.Manifest, placed []Placement) (out []Placement) {
	for _, p := range placed {
		is := func(x format.Part) bool { return x.Name == p.Part }
		if slices.ContainsFunc(man.Parts, is) || !man.Former() && !slices.ContainsFunc(man.Whole().Parts, is) {
			out = append(out, p)
		}
	}
	return out
}

// twice finds people of an era that has ended who are placed again.
func (g *Gate) twice(e *era, placed []Placement, man *format.Manifest, f *format.Faults) {
	again := 0
	for _, p := range placed {
		for _, rec := range p.Records {
			if e.Held.Left[rec] || e.Held.Class(rec) > 0 {
				again++
			}
		}
	}
	f.AddN("microdata", format.KindRecordTwice, man.Release, 0, "class", "a record is in parts of two eras", again)
}

// Commit makes the release that passed Check the one before the next. Call it
// after the rename. It does nothing if the last Check found violations.
func (g *Gate) Commit() {
	if g.next != nil {
		g.next()
		g.next = nil
		g.Compact()
	}
}

// Resume puts the gate behind a release that is already published: after a
// restart, dir is that release's directory, placed who is in its classes (of all
// parts, those alive, and those that have left with their buckets), regroups how often each record was regrouped so far, kept by
// the publisher; nil means never. The release is read again, every file of it, and
// tested on its own; violations are returned as by Check.
func (g *Gate) Resume(dir string, placed []Placement, regroups []uint16) ([]format.Violation, error) {
	return g.ResumeBeside(dir, func() ([]Placement, error) { return placed, nil }, regroups)
}

// ResumeBeside is Resume for a caller that finds meanwhile who is in which class: placing is asked once the files are read.
func (g *Gate) ResumeBeside(dir string, placing func() ([]Placement, error), regroups []uint16) ([]format.Violation, error) {
	g.era, g.former, g.man, g.next = era{}, nil, nil, nil
	f := &format.Faults{}
	man, err := chain.LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	eras, err := g.eras(filepath.Dir(dir), man, f)
	if err != nil {
		return nil, err
	}
	for _, s := range man.ByEra() {
		g.declared(s, true, f)
	}
	format.CheckForm(man, f)
	if !format.CheckEras(nil, man, f) {
		return f.Sorted(), nil
	}
	sections := man.ByEra()
	rels := make([]*chain.Release, len(eras))
	for i, e := range eras {
		if rels[i], err = chain.LoadParted(dir, sections[i], e.S, nil, f); err != nil {
			return nil, err
		}
	}
	placed, err := placing()
	if err != nil {
		return nil, err
	}
	var next []func()
	for i, e := range eras {
		next = append(next, e.resume(rels[i], placedIn(sections[i], placed), regroups, f))
	}
	if len(f.List) == 0 {
		for _, take := range next {
			take()
		}
		g.take(eras, man)
		g.Compact()
	}
	return f.Sorted(), nil
}

// resume puts what is known of an era behind a release, once nothing was found.
func (g *era) resume(rel *chain.Release, placed []Placement, regroups []uint16, f *format.Faults) func() {
	classOf, left := translate(rel, placed, f)
	f.AddN("microdata", format.KindMembersMismatch, rel.Num, 0, "",
		"a class has another number of records than the release shows", differing(rel.Tab, classOf))
	all := rel.Parts.Lay.Classes() - int(rel.Parts.Lay.Start[0])
	if rel.Man.AtL2() && len(left) != rel.Man.Policy.K*(all-rel.Tab.M) {
		f.Add("microdata", format.KindMembersMismatch, rel.Num, 0, "withdrawn",
			"the records of buckets that have left are not as many as these had")
	}
	if len(f.List) > 0 { // what does not fit itself need not fit who is in it
		return nil
	}
	next, _ := chain.NewCarry().Advance(rel, classOf, g.S, &format.Faults{}) // every class counts as born: only the counts matter
	next.Regroups = format.Fit(slices.Clone(regroups), max(len(regroups), len(classOf)))
	return func() {
		g.settle(next, rel)
		g.Held.Left = left
	}
}

// timesOf are the times of releases whose births a release may show, as far as their manifests are next to it. Each is read once.
func (g *Gate) timesOf(dir string, man *format.Manifest) format.Times {
	if g.times == nil {
		g.times = format.Times{}
	}
	if before := g.man; before != nil {
		last := before.Expired
		if man.Window == "" {
			last = before.Release - 1
		}
		for n := before.Release; n > last; n-- {
			if _, known := g.times[n]; known {
				break
			}
			older := before
			if n < before.Release {
				var err error
				if older, err = chain.LoadManifest(filepath.Join(filepath.Dir(dir), format.DirName(n))); err != nil {
					break // pruned: nothing is said of it
				}
			}
			g.times.Note(older)
		}
	}
	return g.times
}

// checkAll reads every class of a release: of the first.
func (g *era) checkAll(dir string, man *format.Manifest, placed []Placement, f *format.Faults) (func(), error) {
	rel, err := chain.LoadParted(dir, man, g.S, nil, f)
	if err != nil {
		return nil, err
	}
	classOf, _ := translate(rel, placed, f)
	none := chain.NewCarry()
	f.Locate = rel.Locate
	next, _ := none.Advance(rel, classOf, g.S, f)
	format.CheckDifference(none.Hist, next.Hist, man, f)
	f.Locate = nil
	return func() { g.settle(next, rel) }, nil
}

// settle keeps what the next check needs of a release that was read in full.
func (g *era) settle(next *chain.Carry, rel *chain.Release) {
	g.Held = hold(next, rel, g.S)
	g.S.Sets = format.NewSetDict() // held has what it needs of it
}

// translate gives the class of each record, as an index of the table + 1, and the records of classes that have left with their buckets.
func translate(rel *chain.Release, placed []Placement, f *format.Faults) ([]uint32, map[uint32]bool) {
	unknown, twice, left := 0, 0, map[uint32]bool{}
	classOf := make([]uint32, ordinals(placed))
	for _, p := range placed {
		lookup := rel.Lookup(p.Part)
		for i, rec := range p.Records {
			c, how := lookup(p.Classes[i])
			switch {
			case how == chain.StandsDead && rel.Man.Withdraws():
				left[rec] = true
			case how != chain.StandsAlive:
				unknown++
			case classOf[rec] != 0:
				twice++
			default:
				classOf[rec] = uint32(c) + 1
			}
		}
	}
	f.AddN("microdata", format.KindMembersMismatch, rel.Num, 0, "class", "a member's class is not in the release", unknown)
	f.AddN("microdata", format.KindRecordTwice, rel.Num, 0, "class", "a record is in two classes", twice)
	return classOf, left
}

// ordinals bounds those of the records placed.
func ordinals(placed []Placement) (n int) {
	for _, p := range placed {
		for _, rec := range p.Records {
			n = max(n, int(rec)+1)
		}
	}
	return n
}

// differing counts the classes whose size is not the number of their members.
func differing(t *table.Table, classOf []uint32) (n int) {
	members := make([]int, t.M)
	for _, c := range classOf {
		if c > 0 {
			members[c-1]++
		}
	}
	for c, m := range members {
		if m != t.Size(c) {
			n++
		}
	}
	return n
}

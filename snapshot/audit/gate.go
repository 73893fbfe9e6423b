package audit

import (
	"path/filepath"
	"slices"
)

// Gate is the auditor inside the publisher: it reads each rendered release
// before it is renamed into place and compares it with the one before, carrying
// the certificate from release to release.
//
// Guarantee: if every release of a chain passed Check without violations, then
// every published record's component is frozen (rule A) or pure (rule P), hence P(value | all
// releases) <= 1/l at levels L0 and L1, no budget is exceeded, and nobody
// disappeared. The check reads files, not the publisher's memory; only who is in
// which class comes from the caller. What it does not see is the microdata: that
// bags and cells are the members' own is Dir's to check.
//
// Cost: parsing plus O(records + classes) per release. A Gate is not safe for
// concurrent use.
type Gate struct {
	policy Policy
	s      *schema
	from   *Manifest // the hierarchies of s are those that it names
	carry  *carry
	next   *carry // checked, waiting for Commit
}

// NewGate makes a gate for a chain that has no release yet; see Resume.
func NewGate(policy Policy) *Gate {
	return &Gate{policy: policy, carry: newCarry()}
}

// Check reads the release rendered in dir (for instance releases/.tmp-000042)
// and tests it alone and against the committed release before it. members holds,
// per record ordinal, the class number in this release, 0 = not published;
// ordinals are the caller's and must stay the same from call to call. The slice
// is copied. A non-empty result means: do not publish. The state of the gate
// changes only by Commit, so Check may be repeated.
func (g *Gate) Check(dir string, members []uint32) ([]Violation, error) {
	g.next = nil
	f := &faults{}
	rel, err := g.load(dir, f)
	if err != nil {
		return nil, err
	}
	before := g.carry.man
	if before != nil {
		checkContract(before, rel.man, f)
	}
	checkLink(before, rel.man, rel.man.Release, f)
	classOf := g.translate(rel, members, f)
	var next *carry
	if rel.man.whyNothing() == "" {
		next, _ = g.carry.advance(rel, classOf, g.s, f)
		checkDifference(g.carry.hist, next.hist, rel.man, f)
		checkLocalDifference(g.s, g.carry.local, next.local, rel.man, f)
	} else {
		next = &carry{man: rel.man, tab: rel.tab, classOf: classOf}
		if before != nil {
			f.add("claim", kindAcrossNone, rel.man.Release, 0, "across_releases",
				"a release that promises nothing next to others follows another one")
		}
	}
	if len(f.list) == 0 {
		g.next = next
	}
	return f.sorted(), nil
}

// Commit makes the release that passed Check the one before the next. Call it
// after the rename. It does nothing if the last Check found violations.
func (g *Gate) Commit() {
	if g.next != nil {
		g.carry, g.next = g.next, nil
		g.compact()
	}
}

// Resume puts the gate behind a release that is already published: after a
// restart, dir is that release's directory, members its classes per record
// ordinal, regroups how often each record was regrouped so far (Regroups of the
// gate that committed it, kept by the publisher; nil means never). The release
// is read again and tested on its own; violations are returned as by Check.
func (g *Gate) Resume(dir string, members []uint32, regroups []uint16) ([]Violation, error) {
	g.s, g.next, g.carry = nil, nil, newCarry()
	f := &faults{}
	rel, err := g.load(dir, f)
	if err != nil {
		return nil, err
	}
	classOf := g.translate(rel, members, f)
	next, _ := g.carry.advance(rel, classOf, g.s, &faults{}) // every class counts as born: only the counts matter
	next.regroups = fit(slices.Clone(regroups), max(len(regroups), len(classOf)))
	if len(f.list) == 0 {
		g.carry = next
	}
	return f.sorted(), nil
}

// load reads manifest and tables, and the hierarchies of the releases directory.
func (g *Gate) load(dir string, f *faults) (*release, error) {
	man, err := loadManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := g.hierarchies(filepath.Dir(dir), man, f); err != nil {
		return nil, err
	}
	if p := man.Policy; p.K != g.policy.K || p.L != g.policy.L ||
		p.Republication != g.policy.Republication || budget(p) != budget(g.policy) {
		f.add("claim", kindClaimFalse, man.Release, 0, "policy", "the manifest declares another policy than the gate holds")
	}
	if man.byRows() && !g.policy.Rows {
		f.add("claim", kindClaimFalse, man.Release, 0, "privacy.level",
			"the release claims level rows, which is weaker than what this gate demands: local buckets must not cross classes")
	}
	g.promised(man, f)
	return loadRelease(dir, man, g.s, f)
}

// hierarchies reads those that a manifest names, unless they are known, and tests
// that they contain the earlier ones.
func (g *Gate) hierarchies(releases string, man *Manifest, f *faults) error {
	if g.s != nil && len(grown(g.from, man)) == 0 {
		return nil
	}
	hier, err := loadHierarchies(releases, man, f)
	if err != nil {
		return err
	}
	if g.s == nil {
		g.s, g.from = newSchema(man, hier), man
		return nil
	}
	broken := len(f.list)
	if err := checkGrowth(releases, g.from, man, f); err != nil || len(f.list) > broken {
		return err
	}
	for _, a := range g.s.qi {
		if h := hier[a.name]; h != nil {
			a.grow(h)
		}
	}
	g.from = man
	return nil
}

// promised tests that each semi-sensitive attribute is announced with the promise
// that the gate was given: a weaker one would be kept, and be wrong.
func (g *Gate) promised(man *Manifest, f *faults) {
	if g.policy.Promises == nil {
		return
	}
	found := 0
	for _, c := range man.Schema {
		if c.Promise == nil {
			continue
		}
		found++
		if want := g.policy.Promises[c.Name]; c.Promise.L != want.L || c.Promise.T != want.T || c.Promise.Distance != want.Distance {
			f.add("claim", kindClaimFalse, man.Release, 0, c.Name, "the manifest declares another promise than the gate holds")
		}
	}
	if found != len(g.policy.Promises) {
		f.add("claim", kindClaimFalse, man.Release, 0, "schema", "the manifest lacks the promise of an attribute")
	}
}

func (g *Gate) translate(rel *release, members []uint32, f *faults) []uint32 {
	classOf := slices.Clone(members)
	unknown := 0
	for rec, number := range classOf {
		if number == 0 {
			continue
		}
		if c, ok := rel.tab.lookup(number); ok {
			classOf[rec] = uint32(c) + 1
		} else {
			classOf[rec] = 0
			unknown++
		}
	}
	f.addN("microdata", kindMembersMismatch, rel.num, 0, "class", "a member's class is not in the release", unknown)
	return classOf
}

// compact drops cells that no class uses any more, so that a gate which lives
// for years holds what one release holds.
func (g *Gate) compact() {
	t := g.carry.tab
	for a, attr := range g.s.qi {
		if len(attr.cells) <= 4*t.m+1024 {
			continue
		}
		fresh := attr.empty()
		for i := a; i < len(t.box); i += t.d {
			t.box[i] = fresh.again(attr, t.box[i])
		}
		for i := a; i < len(t.qi); i += t.d {
			t.qi[i] = fresh.again(attr, t.qi[i])
		}
		g.s.qi[a] = fresh
	}
}

// again interns a cell of another dictionary of the same attribute.
func (a *attribute) again(from *attribute, id uint32) uint32 {
	if id == noCell || a.semi && id == bucketedCell {
		return id
	}
	fresh, _ := a.intern([]byte(from.cells[id].text)) // it parsed before
	return fresh
}

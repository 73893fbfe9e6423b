package audit

import (
	"math"
	"slices"
)

// carry is all the check of release i+1 needs to know of releases 1..i. It is
// linear in the number of records and is what makes the publisher's gate cheap.
type carry struct {
	man      *Manifest
	tab      *table
	hist     []int    // occurrences of each sensitive value in the release
	classOf  []uint32 // per record: class index + 1, 0 = not published
	regroups []uint16 // per record: releases in which the set of its class changed
	parts    *parted
}

func newCarry() *carry { return &carry{tab: &table{start: []uint32{0}}} }

// fate is what became of a class between two releases.
type fate uint8

const (
	fateBroken    fate = iota // neither of the three: a rule is broken
	fateUnchanged             // rule A (frozen classes): same records, same bag, same cells
	fateBorn                  // only records never published before
	fatePure                  // rule P (pure classes): regrouped inside one signature
)

// origin describes where the records of a class come from.
type origin struct {
	first   uint32 // class of the first old member in the release before, index + 1
	old     int    // members published before
	n       int    // members
	several bool   // old members come from more than one class
	wasFlat bool   // every old member's former class was flat
	oneSet  bool   // every old member's former class had this class's value set
}

// advance compares the next release with the carried one and gives the carry
// after it. It checks rules A (frozen classes), P (pure classes), C (coexistence),
// E (budget of regroupings) and N (insert-only). prev is not modified.
//
// Guarantee: if nothing is reported here and by the per-release checks, in any
// release, then every record's component is frozen or pure and Theorems A and P
// of the threat model bound its posterior by 1/l.
// Cost: O(records + classes), no allocation per record.
func (prev *carry) advance(rel *release, classOf []uint32, s *schema, f *faults) (*carry, []fate) {
	next := &carry{man: rel.man, tab: rel.tab, classOf: classOf, hist: rel.tab.histogram(len(s.sa.text))}
	from := prev.origins(rel.tab, classOf)
	fates := make([]fate, rel.tab.m)
	for c := range fates {
		fates[c] = prev.judge(rel, c, &from[c], f)
	}
	next.places(prev, rel, fates, from, f)
	if !rel.parts.linked { // else buckets are those of the same bytes
		checkPublicBuckets(s, prev.tab, rel.tab, rel.num, f)
	}
	next.regroups = fit(slices.Clone(prev.regroups), len(classOf))
	gone, over := 0, 0
	limit := rel.man.Policy.MaxRegroups
	for rec, class := range classOf {
		if prev.class(rec) == 0 {
			continue
		}
		switch {
		case class == 0:
			gone++
		case fates[class-1] != fateUnchanged:
			if next.regroups[rec] < math.MaxUint16 {
				next.regroups[rec]++
			}
			if limit != nil && *limit >= 0 && int(next.regroups[rec]) > *limit {
				over++
			}
		}
	}
	for rec := len(classOf); rec < len(prev.classOf); rec++ {
		if prev.classOf[rec] != 0 {
			gone++
		}
	}
	f.addN("N", kindRecordGone, rel.num, 0, "", "a published record is in no class of the next release", gone)
	f.addN("E", kindBudget, rel.num, 0, "", "a record was regrouped more often than policy.max_regroups allows", over)
	next.checkCertificate(fates, f)
	return next, fates
}

func (c *carry) class(rec int) uint32 {
	if rec < len(c.classOf) {
		return c.classOf[rec]
	}
	return 0
}

// origins looks once at every record.
func (prev *carry) origins(t *table, classOf []uint32) []origin {
	from := make([]origin, t.m)
	for c := range from {
		from[c].wasFlat, from[c].oneSet = true, true
	}
	for rec, class := range classOf {
		if class == 0 {
			continue
		}
		o := &from[class-1]
		o.n++
		p := prev.class(rec)
		if p == 0 {
			continue
		}
		o.join(p, prev.tab.flat[p-1] > 0, prev.tab.support[p-1] == t.support[class-1])
	}
	return from
}

// join counts a member that comes from class p, which was flat or not, over the
// value set of the class at hand or not.
func (o *origin) join(p uint32, flat, sameSet bool) {
	o.old++
	if o.first == 0 {
		o.first = p
	} else if o.first != p {
		o.several = true
	}
	o.wasFlat = o.wasFlat && flat
	o.oneSet = o.oneSet && sameSet
}

// judge decides the fate of one class and names the rule a broken one breaks.
func (prev *carry) judge(rel *release, c int, o *origin, f *faults) fate {
	t := rel.tab
	switch {
	case o.n == 0 && rel.parts.linked && !rel.parts.lay.dead[rel.parts.ids[c]]:
		f.add("P", kindDeadOmitted, rel.num, c+1, "dead",
			"nobody is in a class any more, and it is not listed as dead: its people are there twice")
		return fateBroken
	case o.n != t.size(c):
		f.add("microdata", kindMembersMismatch, rel.num, c+1, "", "the members export has another number of records for a class than the release")
		return fateBroken
	case o.old == 0:
		return fateBorn
	case !o.several && o.old == o.n && prev.tab.size(int(o.first-1)) == o.n:
		p := int(o.first - 1)
		if t.ownBags() != prev.tab.ownBags() || t.ownBags() && !t.sameBag(c, prev.tab, p) {
			f.add("A", kindFrozenBagChanged, rel.num, c+1, "", "a class with unchanged members has another bag of sensitive values")
			return fateBroken
		}
		if !t.sameCells(c, prev.tab, p) {
			f.add("A", kindFrozenCellsChanged, rel.num, c+1, "", "a class with unchanged members is written differently")
			return fateBroken
		}
		return fateUnchanged
	case o.wasFlat && o.oneSet && t.flat[c] > 0 && t.shared == nil:
		return fatePure
	}
	rule, kind, detail := o.blame(prev.tab.size(int(o.first-1)), t)
	f.add(rule, kind, rel.num, c+1, "", detail)
	return fateBroken
}

// blame names how a class of t that is formed anew breaks rule A or P; was is the
// size of the class that its first old member comes from.
func (o *origin) blame(was int, t *table) (rule, kind, detail string) {
	whole := !o.several && was == o.old
	switch {
	case whole && o.n-o.old == 1:
		return "A", kindLoneNewcomer, "one record was added to a published class; the difference is its value"
	case t.shared != nil && !whole && !o.several:
		return "A", kindClassResplit, "a class was split"
	case t.shared != nil && o.several:
		return "A", kindClassMerged, "records of several classes were put together"
	case t.shared != nil:
		return "A", kindClassGrown, "records were added to a class"
	case o.wasFlat && o.oneSet:
		return "P", kindUnequalCounts, "a class re-formed inside one signature does not hold every value equally often"
	case o.wasFlat:
		return "P", kindSignaturesMixed, "a re-formed class holds records of different signatures"
	case whole:
		return "A", kindClassGrown, "records were added to a class that is not pure"
	case o.several:
		return "A", kindClassMerged, "records of several classes that are not pure were put together"
	default:
		return "A", kindClassResplit, "a class that is not pure was split"
	}
}

// checkCertificate compares the manifest's certificate with what the files show.
func (c *carry) checkCertificate(fates []fate, f *faults) {
	moved := false
	for rec, class := range c.classOf {
		moved = moved || class != 0 && c.regroups[rec] > 0
	}
	want := "frozen+pure"
	switch {
	case !moved:
		want = "frozen"
	case !slices.Contains(c.tab.flat, 0):
		want = "pure"
	}
	if c.man.Privacy.Certificate != want {
		f.add("claim", kindCertificateFalse, c.man.Release, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

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

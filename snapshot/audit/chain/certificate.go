package chain

import (
	"math"
	"slices"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Carry is all the check of release i+1 needs to know of releases 1..i. It is
// linear in the number of records and is what makes the publisher's gate cheap.
type Carry struct {
	man      *format.Manifest
	tab      *table.Table
	Hist     []int    // occurrences of each sensitive value in the release
	ClassOf  []uint32 // per record: class index + 1, 0 = not published
	Regroups []uint16 // per record: releases in which the set of its class changed
	parts    *Parted
	left     []bool // per record: it was published, and its part or bucket has left
	departed int
}

func NewCarry() *Carry { return &Carry{tab: &table.Table{Start: []uint32{0}}} }

// Departed has the exports know nothing of whom releases up to one published first: they have left, and so has the state
// what it knew of them.
func (c *Carry) Departed(release int) *Carry {
	c.departed = release
	return c
}

// emptied reports whether a class is one of theirs.
func (c *Carry) emptied(rel *Release, class int) bool {
	part, _ := rel.Locate(class + 1)
	of, ok := format.ParsePartName(part)
	return ok && of.Last <= c.departed
}

// Standing is the carry behind a release without what has left by the next one (Release.Standing).
func (prev *Carry) Standing(rel *Release) *Carry {
	gone := uint32(prev.tab.M - rel.Tab.M)
	if gone == 0 {
		return prev
	}
	next := *prev
	next.man, next.tab, next.parts = rel.Man, rel.Tab, rel.Parts
	next.ClassOf, next.left = slices.Clone(prev.ClassOf), format.Fit(slices.Clone(prev.left), len(prev.ClassOf))
	for rec, c := range prev.ClassOf {
		switch {
		case c > gone:
			next.ClassOf[rec] = c - gone
		case c > 0:
			next.ClassOf[rec], next.left[rec] = 0, true
		}
	}
	return &next
}

// Left reports whether a record was published and its part or bucket has left.
func (c *Carry) Left(rec int) bool { return rec < len(c.left) && c.left[rec] }

// back counts the records that are in a class again though they have left.
func (c *Carry) back(classOf []uint32) (n int) {
	for rec, left := range c.left {
		if left && rec < len(classOf) && classOf[rec] != 0 {
			n++
		}
	}
	return n
}

// Fate is what became of a class between two releases.
type Fate uint8

const (
	fateBroken    Fate = iota // neither of the three: a rule is broken
	FateUnchanged             // rule A (frozen classes): same records, same bag, same cells
	FateBorn                  // only records never published before
	fatePure                  // rule P (pure classes): regrouped inside one signature
)

// Origin describes where the records of a class come from.
type Origin struct {
	First   uint32 // class of the first old member in the release before, index + 1
	Old     int    // members published before
	N       int    // members
	Several bool   // old members come from more than one class
	WasFlat bool   // every old member's former class was flat
	OneSet  bool   // every old member's former class had this class's value set
}

// Advance compares the next release with the carried one and gives the carry
// after it. It checks rules A (frozen classes), P (pure classes), C (coexistence),
// E (budget of regroupings) and N (insert-only). prev is not modified.
//
// Guarantee: if nothing is reported here and by the per-release checks, in any
// release, then every record's component is frozen or pure and Theorems A and P
// of the threat model bound its posterior by 1/l.
// Cost: O(records + classes), no allocation per record.
func (prev *Carry) Advance(rel *Release, classOf []uint32, s *format.Schema, f *format.Faults) (*Carry, []Fate) {
	next := &Carry{man: rel.Man, tab: rel.Tab, ClassOf: classOf, left: prev.left, departed: prev.departed,
		Hist: rel.Tab.Histogram(len(s.Sa.Text))}
	from := prev.origins(rel.Tab, classOf)
	fates := make([]Fate, rel.Tab.M)
	for c := range fates {
		fates[c] = prev.judge(rel, c, &from[c], f)
	}
	next.places(prev, rel, fates, from, f)
	if !rel.Parts.linked { // else buckets are those of the same bytes
		table.CheckPublicBuckets(s, prev.tab, rel.Tab, rel.Num, f)
	}
	next.Regroups = format.Fit(slices.Clone(prev.Regroups), len(classOf))
	gone, over := 0, 0
	if rel.Parts.withdraws {
		next.left = format.Fit(slices.Clone(prev.left), max(len(prev.left), len(classOf), len(prev.ClassOf)))
	}
	limit := rel.Man.Policy.MaxRegroups
	for rec, class := range classOf {
		if prev.Class(rec) == 0 {
			continue
		}
		switch {
		case class == 0 && rel.Parts.Left(prev.parts.Ids[prev.Class(rec)-1]):
			next.left[rec] = true
		case class == 0:
			gone++
		case fates[class-1] != FateUnchanged:
			if next.Regroups[rec] < math.MaxUint16 {
				next.Regroups[rec]++
			}
			if limit != nil && *limit >= 0 && int(next.Regroups[rec]) > *limit {
				over++
			}
		}
	}
	for rec := len(classOf); rec < len(prev.ClassOf); rec++ {
		if prev.ClassOf[rec] != 0 && rel.Parts.Left(prev.parts.Ids[prev.ClassOf[rec]-1]) {
			next.left[rec] = true
		} else if prev.ClassOf[rec] != 0 {
			gone++
		}
	}
	f.AddN("N", format.KindRecordGone, rel.Num, 0, "", "a published record is in no class of the next release", gone)
	back := "a record that has left with its part or bucket is in a class again"
	f.AddN("W", format.KindRecordBack, rel.Num, 0, "", back, prev.back(classOf))
	f.AddN("E", format.KindBudget, rel.Num, 0, "", "a record was regrouped more often than policy.max_regroups allows", over)
	next.checkCertificate(fates, f)
	return next, fates
}

func (c *Carry) Class(rec int) uint32 {
	if rec < len(c.ClassOf) {
		return c.ClassOf[rec]
	}
	return 0
}

// origins looks once at every record.
func (prev *Carry) origins(t *table.Table, classOf []uint32) []Origin {
	from := make([]Origin, t.M)
	for c := range from {
		from[c].WasFlat, from[c].OneSet = true, true
	}
	for rec, class := range classOf {
		if class == 0 {
			continue
		}
		o := &from[class-1]
		o.N++
		p := prev.Class(rec)
		if p == 0 {
			continue
		}
		o.Join(p, prev.tab.Flat[p-1] > 0, prev.tab.Support[p-1] == t.Support[class-1])
	}
	return from
}

// Join counts a member that comes from class p, which was flat or not, over the
// value set of the class at hand or not.
func (o *Origin) Join(p uint32, flat, sameSet bool) {
	o.Old++
	if o.First == 0 {
		o.First = p
	} else if o.First != p {
		o.Several = true
	}
	o.WasFlat = o.WasFlat && flat
	o.OneSet = o.OneSet && sameSet
}

// judge decides the fate of one class and names the rule a broken one breaks.
func (prev *Carry) judge(rel *Release, c int, o *Origin, f *format.Faults) Fate {
	t := rel.Tab
	switch {
	case o.N == 0 && prev.emptied(rel, c):
		return FateBorn // of nobody that is known: the ledger has sealed the release of its birth
	case o.N == 0 && rel.Parts.linked && !rel.Parts.Lay.Dead[rel.Parts.Ids[c]]:
		f.Add("P", format.KindDeadOmitted, rel.Num, c+1, "dead",
			"nobody is in a class any more, and it is not listed as dead: its people are there twice")
		return fateBroken
	case o.N != t.Size(c):
		f.Add("microdata", format.KindMembersMismatch, rel.Num, c+1, "",
			"the members export has another number of records for a class than the release")
		return fateBroken
	case o.Old == 0:
		return FateBorn
	case !o.Several && o.Old == o.N && prev.tab.Size(int(o.First-1)) == o.N:
		p := int(o.First - 1)
		if t.OwnBags() != prev.tab.OwnBags() || t.OwnBags() && !t.SameBag(c, prev.tab, p) {
			f.Add("A", format.KindFrozenBagChanged, rel.Num, c+1, "", "a class with unchanged members has another bag of sensitive values")
			return fateBroken
		}
		if !t.SameCells(c, prev.tab, p) {
			f.Add("A", format.KindFrozenCellsChanged, rel.Num, c+1, "", "a class with unchanged members is written differently")
			return fateBroken
		}
		return FateUnchanged
	case o.WasFlat && o.OneSet && t.Flat[c] > 0 && t.Shared == nil:
		return fatePure
	}
	rule, kind, detail := o.Blame(prev.tab.Size(int(o.First-1)), t)
	f.Add(rule, kind, rel.Num, c+1, "", detail)
	return fateBroken
}

// Blame names how a class of t that is formed anew breaks rule A or P; was is the
// size of the class that its first old member comes from.
func (o *Origin) Blame(was int, t *table.Table) (rule, kind, detail string) {
	whole := !o.Several && was == o.Old
	switch {
	case whole && o.N-o.Old == 1:
		return "A", format.KindLoneNewcomer, "one record was added to a published class; the difference is its value"
	case t.Shared != nil && !whole && !o.Several:
		return "A", format.KindClassResplit, "a class was split"
	case t.Shared != nil && o.Several:
		return "A", format.KindClassMerged, "records of several classes were put together"
	case t.Shared != nil:
		return "A", format.KindClassGrown, "records were added to a class"
	case o.WasFlat && o.OneSet:
		return "P", format.KindUnequalCounts, "a class re-formed inside one signature does not hold every value equally often"
	case o.WasFlat:
		return "P", format.KindSignaturesMixed, "a re-formed class holds records of different signatures"
	case whole:
		return "A", format.KindClassGrown, "records were added to a class that is not pure"
	case o.Several:
		return "A", format.KindClassMerged, "records of several classes that are not pure were put together"
	default:
		return "A", format.KindClassResplit, "a class that is not pure was split"
	}
}

// checkCertificate compares the manifest's certificate with what the files show.
func (c *Carry) checkCertificate(fates []Fate, f *format.Faults) {
	moved := false
	for rec, class := range c.ClassOf {
		moved = moved || class != 0 && c.Regroups[rec] > 0
	}
	want := "frozen+pure"
	switch {
	case !moved:
		want = "frozen"
	case !slices.Contains(c.tab.Flat, 0):
		want = "pure"
	}
	if c.man.Privacy.Certificate != want {
		f.Add("claim", format.KindCertificateFalse, c.man.Release, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

// places tests that no class moves from one part to another. That a new class stands in the part of the release
// that gave birth to it follows from the list of parts: checkLayout and follow.
func (next *Carry) places(prev *Carry, rel *Release, fates []Fate, from []Origin, f *format.Faults) {
	next.parts = rel.Parts
	moved, first := 0, 0
	for c, fate := range fates {
		if fate == FateUnchanged && rel.Parts.linked && rel.Parts.Ids[c] != prev.parts.Ids[from[c].First-1] {
			moved, first = moved+1, c+1
		}
	}
	f.AddN("A", format.KindClassMoved, rel.Num, first, "", "a class is in another part than before", moved)
}

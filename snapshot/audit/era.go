package audit

import (
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// A dataset whose settings have changed has published its parts under different ones. The parts of each era are audited as a chain of
// their own, by the settings, columns and hierarchies of the era: nobody is in parts of two, and Theorem E speaks of each pool by itself.
// What concerns all of a release (links, windows, who waits) is audited once.

// era audits the parts of one.
type era struct {
	*auditor
	*eraInput
	carry   *chain.Carry
	last    *chain.Release // the newest one whose files were read
	views   []chain.View
	matches map[int]chain.Reappearance // by release, against the one before
	moved   bool                       // public view: some class has vanished so far
	left    []int                      // by value: who has left
	before  *era                       // nil: it is the first
	since   map[string]int             // sensitive values by the release in which they became valid; epochs.go
}

// newEra begins with an empty release where others were there before: whoever is new with its first one is a newcomer.
func newEra(a *auditor, in *eraInput) *era {
	e := &era{auditor: a, eraInput: in, carry: chain.NewCarry(), matches: map[int]chain.Reappearance{}}
	if len(a.eras) > 0 {
		e.before = a.eras[len(a.eras)-1]
		e.views = []chain.View{{Rel: e.nothing()}}
	}
	return e
}

// nothing is the release before the first.
func (e *era) nothing() *chain.Release {
	return &chain.Release{Tab: &table.Table{Start: []uint32{0}, D: len(e.s.Qi)}, Man: &format.Manifest{}}
}

// eraOf is the era of a manifest of one; nil: there is none.
func (a *auditor) eraOf(man *format.Manifest) *era {
	for i := len(a.eras) - 1; i >= 0; i-- {
		if e := a.eras[i]; man.Former() && e.until == man.Until() || !man.Former() && e.from <= man.Release {
			return e
		}
	}
	return nil
}

// any reports whether something is true of the settings of some era.
func (a *auditor) any(is func(*format.Manifest) bool) bool {
	return slices.ContainsFunc(a.eras, func(e *era) bool { return is(e.first) })
}

// release audits what a release has of the era, and adds it to what the report says of the release. It gives the class of each record.
func (e *era) release(dir string, man *format.Manifest, row *releaseRow) ([]uint32, error) {
	if e.last != nil {
		e.last = e.leave(e.last.Standing(man, e.s))
	} else if man.Expired > 0 || man.Withdraws() {
		e.wanted = nil // nobody knows whom the releases before had
	}
	rel, err := chain.LoadParted(dir, man, e.s, e.last, &e.f)
	if err != nil {
		return nil, err
	}
	e.f.Locate = rel.Locate
	defer func() { e.f.Locate = nil }()
	e.step(rel, row)
	classOf := e.membership(rel)
	e.last = rel
	return classOf, nil
}

// leave notes who is in the release before and not in what of it stands.
func (e *era) leave(standing *chain.Release) *chain.Release {
	values := len(e.s.Sa.Text)
	if stay := standing.Tab.Histogram(values); standing != e.last {
		e.left = append(e.left, make([]int, values-len(e.left))...)
		for v, n := range e.last.Tab.Histogram(values) {
			e.left[v] += n - stay[v]
		}
	}
	return standing
}

// step checks what public files show about the step to a release.
func (e *era) step(rel *chain.Release, row *releaseRow) {
	values := len(e.s.Sa.Text)
	before := e.nothing()
	if e.last != nil {
		before = e.last
	}
	base := rel.Base(before.Tab.Histogram(values), values)
	e.left = append(e.left, make([]int, values-len(e.left))...)
	for v, n := range before.Tab.Histogram(values) {
		e.left[v] += n - base[v] // in buckets that leave
	}
	d := format.BagDifference(base, rel.Tab.Histogram(values))
	if e.wanted[rel.Num] {
		e.histograms[rel.Num] = rel.Tab.Histogram(values)
		for v, n := range e.left {
			e.histograms[rel.Num][v] += n
		}
	}
	format.CheckDifference(base, rel.Tab.Histogram(values), rel.Man, &e.f)
	match := chain.MatchReleases(before, rel)
	e.matches[rel.Num] = match
	e.moved = e.moved || len(match.Vanished) > 0
	if !e.linked {
		chain.CheckPublic(before, rel, match, &e.f)
		if !rel.Withdraws() {
			table.CheckPublicBuckets(e.s, before.Tab, rel.Tab, rel.Num, &e.f)
		}
		chain.CheckPublicCertificate(rel, e.moved, &e.f)
	}
	for _, k := range match.Kept {
		if k {
			row.ClassesKept++
		}
	}
	row.Records, row.Classes, row.Buckets = row.Records+rel.Tab.Rows(), row.Classes+rel.Tab.M, row.Buckets+rel.Man.Buckets
	row.DeadClasses += len(rel.Parts.Lay.Dead)
	if k := rel.Man.Privacy.KMin; row.KMin == 0 || k > 0 && k < row.KMin {
		row.KMin = k
	}
	row.MaxFrequency = max(row.MaxFrequency, rel.Man.Privacy.MaxFrequency)
	if !rel.Man.Former() {
		row.Newcomers, row.NewcomersTop = d.Total, format.Share(d.Top, d.Total)
		e.arrivals = append(e.arrivals, arrival{len(d.Support()), rel.Man.Policy.L})
	}
}

// membership checks what the exports show about a release.
func (e *era) membership(rel *chain.Release) []uint32 {
	if e.in.members == nil || e.in.members.Class[rel.Num] == nil {
		return nil
	}
	classOf := e.classes(rel)
	fates := make([]chain.Fate, rel.Tab.M)
	if e.linked {
		before := e.last
		if before != nil {
			e.carry = e.carry.Standing(before)
		} else if len(e.views) > 0 {
			before = e.views[0].Rel
		}
		e.carry, fates = e.carry.Advance(rel, classOf, e.s, &e.f)
		e.views = append(e.views, chain.View{Rel: rel, ClassOf: classOf, Fates: fates, Before: before})
	}
	if e.records != nil {
		checkMicrodata(e.s, e.records, rel, classOf, fates, &e.f)
		e.arrived(rel, classOf)
		e.epochs(rel, classOf)
	}
	return classOf
}

// classes translates the addresses of the export into indexes.
func (e *era) classes(rel *chain.Release) []uint32 {
	m, whole := e.in.members, rel.Man.Whole()
	named := m.Class[rel.Num]
	classOf := make([]uint32, len(e.in.index.Ids))
	lookup, others := make([]func(uint32) (int, chain.Standing), len(m.Parts)), make([]bool, len(m.Parts))
	for i, part := range m.Parts {
		lookup[i] = rel.Lookup(part)
		is := func(p format.Part) bool { return p.Name == part }
		others[i] = !slices.ContainsFunc(rel.Man.Parts, is) && (rel.Man.Former() || slices.ContainsFunc(whole.Parts, is))
	}
	unknown, dead := 0, 0
	for rec, at := range named {
		if at.Class == 0 || others[at.Part] {
			continue
		}
		switch c, how := lookup[at.Part](at.Class); how {
		case chain.StandsAlive:
			classOf[rec] = uint32(c) + 1
		case chain.StandsDead:
			dead++
		default:
			unknown++
		}
	}
	e.f.AddN("microdata", format.KindMembersMismatch, rel.Num, 0, "class",
		"the members export names a class the release does not have", unknown)
	e.f.AddN("P", format.KindDeadAlive, rel.Num, 0, "dead", "a class is listed as dead, and people are in it", dead)
	if m.Bucket != nil {
		e.f.AddN("microdata", format.KindMembersMismatch, rel.Num, 0, "bucket",
			"the members export names another bucket for a class than the release", rel.OtherBuckets(classOf, m.Bucket[rel.Num]))
	}
	return classOf
}

// arrived tests, of people who are new, that settings which hold from somebody's arrival on (rule U, units) are those under which each
// arrived: the export counts the changes of these. Nobody shares a pool with people of another count, or comes behind later ones.
func (e *era) arrived(rel *chain.Release, classOf []uint32) {
	if rel.Man.Former() {
		return
	}
	least, most := uint32(0), uint32(0)
	for rec, c := range classOf {
		if c == 0 || rec >= len(e.records.Era) || !e.records.Known[rec] { // without the column, settings have never changed
			continue
		}
		n := e.records.Era[rec]
		if most = max(most, n); least == 0 || n < least {
			least = n
		}
	}
	earlier := e.arrivedIn
	if rel.Man.Begun() && e.before != nil && format.ArrivalDiffers(e.before.first, e.first) {
		earlier++
	}
	if least > 0 && (least < most || least < earlier) {
		e.f.Add("U", format.KindEarlierArrival, rel.Num, 0, "",
			"somebody is published under settings that hold for people who arrived later, or with such people, or behind them")
	}
	e.auditor.arrivedIn = max(e.arrivedIn, most)
}

// ofBuckets is what the buckets of the newest release show.
func (e *era) ofBuckets() (out ofBuckets) {
	if e.first.AtL2() && e.last != nil && e.last.Tab.Shared != nil {
		out.Buckets, out.Told = table.BucketFigures(e.last.Tab), e.last.Tab.Shared.Told
		out.Attributes = attributeRows(e.last.Man, table.Judge(e.last.Man, e.s, e.last.Tab.Shared, nil))
	}
	return out
}

package audit

import "slices"

// flagsOf compares the flags of a class's members with what the class shows: a
// value is in a bucket if and only if its person called it sensitive.
func (m *microdataCheck) flagsOf(c int, who []uint32) {
	for j, l := range m.s.semi() {
		flagged := 0
		for _, r := range who {
			if m.recs.semi[j][r] > 0 {
				flagged++
			}
		}
		bucketed := m.rel.tab.cells(c)[l.col] == bucketedCell
		if flagged > 0 && flagged < len(who) {
			m.f.add("A", kindMixedFlags, m.rel.num, c+1, l.name, "members of one class differ in which of their values are sensitive")
		}
		if !bucketed {
			m.f.addN("A", kindFlagGeneralized, m.rel.num, c+1, l.name, "a value that its person called sensitive is published in a cell", flagged)
		} else {
			m.f.addN("A", kindFlagMissing, m.rel.num, c+1, l.name,

				"a value without flag is in a bucket: there it counts toward a promise that it does not need", len(who)-flagged)
		}
	}
}

// bucketsOf compares the buckets with the members' values as far as the exports
// decide. The exports do not say which row of a class is whose. So what is compared
// are the classes and buckets of an attribute that rows connect. Together
// they must hold the values of their members, and each member's value must be in
// some bucket of its class. Where a bucket is a union of classes, which every t
// promise asks for, this decides it bucket by bucket.
func (m *microdataCheck) bucketsOf(members *roster, fates []fate) {
	for j, l := range m.s.local {
		if l.col < 0 && m.rel.tab.local.own {
			continue // bagOf
		}
		u := &bucketUnits{m: m, j: j, b: &m.rel.tab.local.attrs[j], members: members, fates: fates}
		if u.wholeClasses() {
			u.compareWhole(l)
			continue
		}
		u.join()
		u.compare(l)
	}
}

// bucketUnits are the connected classes and buckets of one attribute: classes
// come first in parent, buckets after them.
type bucketUnits struct {
	m       *microdataCheck
	j       int
	b       *localBuckets
	members *roster
	fates   []fate
	parent  disjoint
	skip    map[uint32]bool // unit: holds something that cannot be compared
}

func (u *bucketUnits) join() {
	t := u.m.rel.tab
	u.parent = newDisjoint(t.m + u.b.m)
	for c := range t.m {
		for _, r := range u.b.rows(t, c) {
			if r > 0 {
				u.parent.union(uint32(c), uint32(t.m)+r-1)
			}
		}
	}
	u.skip = map[uint32]bool{}
	for c := range t.m {
		if who := u.members.of(c); u.fates[c] == fateUnchanged || len(who) != t.size(c) || !u.known(who) {
			u.skip[u.parent.find(uint32(c))] = true
		}
	}
}

func (u *bucketUnits) known(who []uint32) bool {
	return !slices.ContainsFunc(who, func(r uint32) bool { return int(r) >= u.m.recs.n || !u.m.recs.known[r] })
}

// value is the sensitive value of a record, 0 if it has none to be bucketed.
func (u *bucketUnits) value(l *localAttr, rec uint32) uint32 {
	if l.col < 0 {
		return u.m.recs.sa[rec] + 1
	}
	return u.m.recs.semi[u.j][rec]
}

func (u *bucketUnits) compare(l *localAttr) {
	t := u.m.rel.tab
	type cell struct{ unit, value uint32 }
	left := map[cell]int{}
	strange := 0
	for c := range t.m {
		unit := u.parent.find(uint32(c))
		rows := u.b.rows(t, c)
		if u.skip[unit] || slices.Contains(rows, 0) {
			continue
		}
		has := map[uint32]bool{}
		for _, r := range rows {
			values, _ := u.b.entries(r - 1)
			for _, v := range values {
				has[v+1] = true
			}
		}
		for _, rec := range u.members.of(c) {
			v := u.value(l, rec)
			if v > 0 && !has[v] {
				strange++
			}
			left[cell{unit, v}]--
		}
	}
	for i := range uint32(u.b.m) {
		unit := u.parent.find(uint32(t.m) + i)
		if u.skip[unit] {
			continue
		}
		values, counts := u.b.entries(i)
		for k, v := range values {
			left[cell{unit, v + 1}] += int(counts[k])
		}
	}
	differ := 0
	for at, n := range left {
		if n != 0 && at.value > 0 {
			differ++
		}
	}
	u.m.f.addN("microdata", kindBucketMismatch, u.m.rel.num, 0, l.name,
		"the values of buckets are not those of the members of their classes", differ+strange)
}

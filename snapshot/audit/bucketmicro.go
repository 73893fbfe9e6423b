package audit

import "slices"

// bucketsOf compares each bucket with the values of its classes' members. A bucket with a
// class that was there before, or whose members are not all known, is left out, and all are
// where the rows of a class are in several buckets, which is reported.
func (m *microdataCheck) bucketsOf(members *roster, fates []fate) {
	t, b := m.rel.tab, m.rel.tab.shared
	of := make([]uint32, t.m) // by class: its bucket + 1
	for c := range of {
		rows := b.rows(t, c)
		if !same(rows) {
			return
		}
		of[c] = rows[0]
	}
	u := &bucketUnits{m: m, b: b, members: members, fates: fates}
	classes := newRoster(of, b.m)
	values := len(m.s.sa.text)
	tally := bucketTally{left: make([]int, values+1), in: make([]uint32, values+1)}
	wrong := 0
	for i := range b.m {
		if list := classes.of(i); u.comparable(list) {
			wrong += tally.differences(u, i, list)
		}
	}
	m.f.addN("microdata", kindBucketMismatch, m.rel.num, 0, m.s.sa.name,
		"the values of buckets are not those of the members of their classes", wrong)
}

// bucketUnits are the buckets of a release, and who is in their classes.
type bucketUnits struct {
	m       *microdataCheck
	b       *bucketTable
	members *roster
	fates   []fate
}

func (u *bucketUnits) known(who []uint32) bool {
	return !slices.ContainsFunc(who, func(r uint32) bool { return int(r) >= u.m.recs.n || !u.m.recs.known[r] })
}

// comparable reports that all of the classes are new, and their members known.
func (u *bucketUnits) comparable(classes []uint32) bool {
	t := u.m.rel.tab
	for _, c := range classes {
		if who := u.members.of(int(c)); u.fates[c] == fateUnchanged || len(who) != t.size(int(c)) || !u.known(who) {
			return false
		}
	}
	return true
}

// bucketTally counts the values of one bucket after the other.
type bucketTally struct {
	left []int    // by value + 1: how many the bucket has more than its members
	in   []uint32 // by value + 1: the last bucket, counted from 1, that has it
}

// differences counts members whose value their bucket does not have, and values that it
// has more or less often than they.
func (y *bucketTally) differences(u *bucketUnits, bucket int, classes []uint32) (n int) {
	values, counts := u.b.entries(uint32(bucket))
	for k, v := range values {
		y.left[v+1], y.in[v+1] = y.left[v+1]+int(counts[k]), uint32(bucket)+1
	}
	each := func(do func(value uint32)) {
		for _, c := range classes {
			for _, rec := range u.members.of(int(c)) {
				do(u.m.recs.sa[rec] + 1)
			}
		}
	}
	each(func(v uint32) {
		if y.left[v]--; y.in[v] != uint32(bucket)+1 {
			n++
		}
	})
	settle := func(v uint32) {
		if y.left[v] != 0 {
			n++
		}
		y.left[v] = 0
	}
	for _, v := range values {
		settle(v + 1)
	}
	each(settle)
	return n
}

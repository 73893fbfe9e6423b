package audit

import "slices"
import (
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// bucketsOf compares each bucket with the values of its classes' members. A bucket with a
// class that was there before, or whose members are not all known, is left out, and all are
// where the rows of a class are in several buckets, which is reported.
func (m *microdataCheck) bucketsOf(members *table.Roster, fates []chain.Fate) {
	t, b := m.rel.Tab, m.rel.Tab.Shared
	of := make([]uint32, t.M) // by class: its bucket + 1
	for c := range of {
		rows := b.Rows(t, c)
		if !format.Same(rows) {
			return
		}
		of[c] = rows[0]
	}
	u := &bucketUnits{m: m, members: members, fates: fates}
	classes := table.NewRoster(of, b.M)
	for a, attribute := range m.s.Sas {
		values := len(attribute.Text)
		tally := bucketTally{bags: b.Of[a], values: m.recs.Of(a), left: make([]int, values+1), in: make([]uint32, values+1)}
		wrong := 0
		for i := range b.M {
			if list := classes.Of(i); u.comparable(list) {
				wrong += tally.differences(u, i, list)
			}
		}
		m.f.AddN("microdata", format.KindBucketMismatch, m.rel.Num, 0, attribute.Name,
			"the values of buckets are not those of the members of their classes", wrong)
	}
}

// bucketUnits are the buckets of a release, and who is in their classes.
type bucketUnits struct {
	m       *microdataCheck
	members *table.Roster
	fates   []chain.Fate
}

func (u *bucketUnits) known(who []uint32) bool {
	return !slices.ContainsFunc(who, func(r uint32) bool { return int(r) >= u.m.recs.N || !u.m.recs.Known[r] || u.m.recs.Lacks(r) })
}

// comparable reports that all of the classes are new, and their members known.
func (u *bucketUnits) comparable(classes []uint32) bool {
	t := u.m.rel.Tab
	for _, c := range classes {
		if who := u.members.Of(int(c)); u.fates[c] == chain.FateUnchanged || len(who) != t.Size(int(c)) || !u.known(who) {
			return false
		}
	}
	return true
}

// bucketTally counts the values of one bucket after the other.
type bucketTally struct {
	bags   *table.Bags
	values []uint32 // by record
	left   []int    // by value + 1: how many the bucket has more than its members
	in     []uint32 // by value + 1: the last bucket, counted from 1, that has it
}

// differences counts members whose value their bucket does not have, and values that it
// has more or less often than they.
func (y *bucketTally) differences(u *bucketUnits, bucket int, classes []uint32) (n int) {
	values, counts := y.bags.Entries(uint32(bucket))
	for k, v := range values {
		y.left[v+1], y.in[v+1] = y.left[v+1]+int(counts[k]), uint32(bucket)+1
	}
	each := func(do func(value uint32)) {
		for _, c := range classes {
			for _, rec := range u.members.Of(int(c)) {
				do(y.values[rec] + 1)
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

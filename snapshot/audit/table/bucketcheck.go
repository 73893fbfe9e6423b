package table

import (
	"anond/snapshot/audit/format"
)

// CheckBuckets tests the promises and the further principles on the buckets of level L2.
func CheckBuckets(man *format.Manifest, s *format.Schema, b *BucketTable, f *format.Faults) {
	extra, _ := man.Policy.Principles()
	Judge(man, s, b, f)
	for i := range uint32(b.M) {
		if len(extra)+len(s.Close) == 0 {
			continue
		}
		values, counts := b.Entries(i)
		var n []int
		for _, c := range counts {
			n = append(n, int(c))
		}
		for _, p := range extra {
			if p.Close == nil && !p.Holds(n, int(b.Size[i])) {
				f.Add("L", format.KindPrinciple, man.Release, int(i)+1, p.Kind, "a declared diversity principle does not hold")
			}
		}
		for _, c := range s.Close {
			if !c.Holds(values, counts) {
				f.Add("T", format.KindPrinciple, man.Release, int(i)+1, "t", "a declared diversity principle does not hold")
			}
		}
	}
}

// CheckPublicBuckets tests what rule A (frozen classes) implies for public files: every bucket
// appears again with the same values.
func CheckPublicBuckets(s *format.Schema, before, after *Table, release int, f *format.Faults) {
	if before.Shared == nil || after.Shared == nil {
		return
	}
	left := map[uint32]int{}
	for _, bag := range after.Shared.Bags() {
		left[bag]++
	}
	gone := 0
	for _, bag := range before.Shared.Bags() {
		if left[bag]--; left[bag] < 0 {
			gone++
		}
	}
	f.AddN("A", format.KindBucketChanged, release, 0, s.Sa.Name, "a bucket does not appear again with the values it had", gone)
}

// CheckReferences tests, in the first release, that a reference that was not
// declared is the bag that the release itself publishes: any other would tell
// something about people who are not in it.
func CheckReferences(man *format.Manifest, s *format.Schema, t *Table, f *format.Faults) {
	for _, c := range s.Close {
		if !c.Declared && !c.Matches(t.Histogram(len(s.Sa.Text))) {
			f.Add("T", format.KindReference, man.Release, 0, s.Sa.Name,
				"the reference distribution is neither declared nor what this release publishes")
		}
	}
}

// CheckPrinciples tests k, frequency l, and the declared extra principles on
// every class.
func CheckPrinciples(man *format.Manifest, s *format.Schema, t *Table, f *format.Faults) {
	extra, _ := man.Policy.Principles()
	var counts []int
	var bag scratchBag
	for c := range t.M {
		size := t.Size(c)
		if size < man.Policy.K {
			f.Add("K", format.KindClassBelowK, man.Release, c+1, "", "a class has fewer than k records")
		}
		if size > man.Policy.K && man.AtL2() {
			f.Add("B", format.KindClassAboveK, man.Release, c+1, "", "a class has more than k records, and at level L2 it has exactly k")
		}
		if !t.OwnBags() {
			continue // checkBuckets
		}
		if int(t.Top[c])*man.Policy.L > size {
			f.Add("L", format.KindValueAboveL, man.Release, c+1, "", "one value has more than 1/l of a class")
		}
		if len(extra) == 0 {
			continue
		}
		counts = bagCounts(t.Bag(c), counts[:0])
		for _, p := range extra {
			if p.Close == nil && !p.Holds(counts, size) {
				f.Add("L", format.KindPrinciple, man.Release, c+1, p.Kind, "a declared diversity principle does not hold")
			}
		}
		for _, p := range s.Close {
			if !p.Holds(bag.of(t.Bag(c))) {
				f.Add("T", format.KindPrinciple, man.Release, c+1, "t", "a declared diversity principle does not hold")
			}
		}
	}
}

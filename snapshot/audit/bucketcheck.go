package audit

// checkBuckets tests l and the further principles on the buckets of level L2.
func checkBuckets(man *Manifest, s *schema, b *bucketTable, f *faults) {
	extra, _ := man.Policy.principles()
	for i := range uint32(b.m) {
		if int(b.top[i])*man.Policy.L > int(b.size[i]) {
			f.add("L", kindValueAboveL, man.Release, int(i)+1, s.sa.name, "one value has more than 1/l of a bucket")
		}
		if len(extra)+len(s.close) == 0 {
			continue
		}
		values, counts := b.entries(i)
		var n []int
		for _, c := range counts {
			n = append(n, int(c))
		}
		for _, p := range extra {
			if p.Close == nil && !p.holds(n, int(b.size[i])) {
				f.add("L", kindPrinciple, man.Release, int(i)+1, p.Kind, "a declared diversity principle does not hold")
			}
		}
		for _, c := range s.close {
			if !c.holds(values, counts) {
				f.add("T", kindPrinciple, man.Release, int(i)+1, "t", "a declared diversity principle does not hold")
			}
		}
	}
}

// checkPublicBuckets tests what rule A (frozen classes) implies for public files: every bucket
// appears again with the same values.
func checkPublicBuckets(s *schema, before, after *table, release int, f *faults) {
	if before.shared == nil || after.shared == nil {
		return
	}
	left := map[uint32]int{}
	for _, bag := range after.shared.bags() {
		left[bag]++
	}
	gone := 0
	for _, bag := range before.shared.bags() {
		if left[bag]--; left[bag] < 0 {
			gone++
		}
	}
	f.addN("A", kindBucketChanged, release, 0, s.sa.name, "a bucket does not appear again with the values it had", gone)
}

// checkReferences tests, in the first release, that a reference that was not
// declared is the bag that the release itself publishes: any other would tell
// something about people who are not in it.
func checkReferences(man *Manifest, s *schema, t *table, f *faults) {
	for _, c := range s.close {
		if !c.declared && !c.matches(t.histogram(len(s.sa.text))) {
			f.add("T", kindReference, man.Release, 0, s.sa.name, "the reference distribution is neither declared nor what this release publishes")
		}
	}
}

// checkPrinciples tests k, frequency l, and the declared extra principles on
// every class.
func checkPrinciples(man *Manifest, s *schema, t *table, f *faults) {
	extra, _ := man.Policy.principles()
	var counts []int
	var bag scratchBag
	for c := range t.m {
		size := t.size(c)
		if size < man.Policy.K {
			f.add("K", kindClassBelowK, man.Release, c+1, "", "a class has fewer than k records")
		}
		if size > man.Policy.K && man.atL2() {
			f.add("B", kindClassAboveK, man.Release, c+1, "", "a class has more than k records, and at level L2 it has exactly k")
		}
		if !t.ownBags() {
			continue // checkBuckets
		}
		if int(t.top[c])*man.Policy.L > size {
			f.add("L", kindValueAboveL, man.Release, c+1, "", "one value has more than 1/l of a class")
		}
		if len(extra) == 0 {
			continue
		}
		counts = bagCounts(t.bag(c), counts[:0])
		for _, p := range extra {
			if p.Close == nil && !p.holds(counts, size) {
				f.add("L", kindPrinciple, man.Release, c+1, p.Kind, "a declared diversity principle does not hold")
			}
		}
		for _, p := range s.close {
			if !p.holds(bag.of(t.bag(c))) {
				f.add("T", kindPrinciple, man.Release, c+1, "t", "a declared diversity principle does not hold")
			}
		}
	}
}

package audit

// checkLocal tests the promise of every bucketed attribute on each of its
// buckets. Li, He and Sun, Corollary 2, asks that every value be in a bucket
// once and buckets have l values; what its proof uses is that no value has more
// than 1/l of a bucket, which is tested here.
func checkLocal(man *Manifest, s *schema, t *table, f *faults) {
	for j, a := range s.local {
		b := &t.local.attrs[j]
		if a.col < 0 {
			if !t.local.own {
				checkSensitiveBuckets(man, s, b, f)
			}
			continue
		}
		for i := range uint32(b.m) {
			if a.holds(b, i) {
				continue
			}
			if a.close != nil {
				f.add("T", kindBucketAboveT, man.Release, int(i)+1, a.name, "a bucket is farther than t from the reference distribution")
			} else {
				f.add("L", kindBucketAboveL, man.Release, int(i)+1, a.name, "one value has more than 1/l of a bucket")
			}
		}
		if a.close != nil {
			checkWholeClasses(man, a, b, t, f)
		}
	}
}

// checkSensitiveBuckets tests l and the further principles where the buckets of
// the sensitive attribute are not the classes.
func checkSensitiveBuckets(man *Manifest, s *schema, b *localBuckets, f *faults) {
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

// checkWholeClasses: a bucket of a t promise is a union of classes. Only then is
// a value's share of the bucket its probability for each member, whatever else
// the bucket numbers of the rows tell.
func checkWholeClasses(man *Manifest, a *localAttr, b *localBuckets, t *table, f *faults) {
	for c := range t.m {
		if !same(b.rows(t, c)) {
			f.add("T", kindBucketSplitsClass, man.Release, c+1, a.name, "the rows of a class are in several buckets of an attribute that promises t")
		}
	}
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
	for j, a := range s.local {
		if a.close != nil && !a.close.declared && !a.close.matches(t.local.attrs[j].histogram(len(a.values.text))) {
			f.add("T", kindReference, man.Release, 0, a.name, "the reference distribution is neither declared nor what this release publishes")
		}
	}
}

// localHistograms counts the values of the semi-sensitive attributes.
func localHistograms(s *schema, t *table) [][]int {
	if t.local == nil {
		return nil
	}
	var out [][]int
	for j, a := range s.local {
		if a.col >= 0 {
			out = append(out, t.local.attrs[j].histogram(len(a.values.text)))
		}
	}
	return out
}

// checkLocalDifference tests rule D (difference) for each semi-sensitive attribute: what a
// release adds to its bucketed values can be computed by anyone and keeps the
// attribute's promise.
func checkLocalDifference(s *schema, before, after [][]int, man *Manifest, f *faults) {
	for j, hist := range after {
		a := s.local[j]
		var old []int
		if j < len(before) {
			old = before[j]
		}
		d := bagDifference(old, hist)
		f.addN("N", kindRowsRemoved, man.Release, 0, a.name, "values of the release before are missing from the buckets", d.removed)
		if d.total == 0 {
			continue
		}
		if a.close == nil {
			if d.top*a.promise.L > d.total {
				f.add("D", kindDifference, man.Release, 0, a.name, "one value has more than 1/l of the bucketed values this release adds")
			}
			continue
		}
		var values, counts []uint32
		for v, n := range d.counts {
			if n > 0 {
				values, counts = append(values, uint32(v)), append(counts, uint32(n))
			}
		}
		if !a.close.holds(values, counts) {
			f.add("D", kindDifference, man.Release, 0, a.name,
				"the bucketed values this release adds are farther than t from the reference distribution")
		}
	}
}

// checkPublicBuckets tests what rule A (frozen classes) implies for public files: every bucket
// appears again with the same values.
func checkPublicBuckets(s *schema, before, after *release, f *faults) {
	if before.tab.local == nil || after.tab.local == nil {
		return
	}
	for j, a := range s.local {
		left := map[uint32]int{}
		for _, bag := range after.tab.local.attrs[j].bags() {
			left[bag]++
		}
		gone := 0
		for _, bag := range before.tab.local.attrs[j].bags() {
			if left[bag]--; left[bag] < 0 {
				gone++
			}
		}
		f.addN("A", kindBucketChanged, after.num, 0, a.name, "a bucket does not appear again with the values it had", gone)
	}
}

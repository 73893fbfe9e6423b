package audit

// Local buckets nest if each lies inside one class or is a union of whole
// classes. Level L0 (all assignments of values that fit the releases are equally
// likely, and the class of everybody is known) needs that: counting assignments
// then gives the same posterior as counting arrangements of people in rows, which
// is that of topShare. Where a bucket and a class overlap in part, some assignments
// belong to more arrangements than others, and counting each assignment once can
// give more than 1/l (TestWorldsOfValuesAreNotWorldsOfRows).

// levelRows is the claim of a release whose buckets cross classes: the bound
// holds for a reader who counts arrangements of rows (Li, He and Sun, Lemma 2),
// and nothing more is claimed.
const levelRows = "rows"

// levelAssignments is what every other release of level L1 claims. Only a release of
// level L2 can claim more; see levelClaim.
const levelAssignments = "L0+L1"

func (m *Manifest) byRows() bool { return m.Privacy.Level == levelRows }

// crossing counts the buckets of an attribute that do not nest, and gives the
// first. Cost: linear in the rows.
func (b *localBuckets) crossing(t *table) (n, first int) {
	crosses, in := make([]bool, b.m), make([]uint32, b.m) // in: rows of a class, by bucket
	for c := range t.m {
		rows := b.rows(t, c)
		for _, r := range rows {
			if r > 0 {
				in[r-1]++
			}
		}
		for _, r := range rows {
			if r == 0 || in[r-1] == 0 {
				continue
			}
			if k := in[r-1]; int(k) != len(rows) && k != b.size[r-1] {
				crosses[r-1] = true
			}
			in[r-1] = 0
		}
	}
	for i, yes := range crosses {
		if yes {
			if n++; n == 1 {
				first = i
			}
		}
	}
	return n, first
}

// checkNested: a release that claims level L0 has no bucket that crosses classes.
// Of a promise t checkWholeClasses asks more, at any level.
func checkNested(man *Manifest, s *schema, t *table, f *faults) {
	if t.local == nil || man.byRows() {
		return
	}
	for j, a := range s.local {
		if a.close != nil {
			continue
		}
		n, first := t.local.attrs[j].crossing(t)
		f.addN("L", kindBucketCrosses, man.Release, first+1, a.name,

			"a bucket crosses classes, so that level L0 does not bound its values by 1/l, and the manifest claims that level", n)
	}
}

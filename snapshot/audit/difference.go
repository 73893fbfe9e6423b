package audit

import (
	"cmp"
	"slices"
)

// difference is bag(release i+1) - bag(release i), which anyone who holds both
// releases can compute: the values of the newly published records.
type difference struct {
	counts  []int // by sensitive value
	total   int
	top     int
	removed int // occurrences that vanished; zero in an insert-only chain
}

// bagDifference subtracts histograms; before may know fewer values.
func bagDifference(before, after []int) difference {
	d := difference{counts: make([]int, max(len(before), len(after)))}
	for v := range d.counts {
		n := 0
		if v < len(after) {
			n = after[v]
		}
		if v < len(before) {
			n -= before[v]
		}
		if n < 0 {
			d.removed -= n
			continue
		}
		d.counts[v] = n
		d.total += n
		d.top = max(d.top, n)
	}
	return d
}

// support is the ascending set of values that occur.
func (d *difference) support() []uint32 {
	var set []uint32
	for v, n := range d.counts {
		if n > 0 {
			set = append(set, uint32(v))
		}
	}
	return set
}

// checkDifference tests rule D (difference), which needs only public files: no
// value may exceed 1/l of the newly published set. It also finds rows that vanished.
func checkDifference(before, after []int, man *Manifest, f *faults) difference {
	d := bagDifference(before, after)
	if d.top*man.Policy.L > d.total {
		f.add("D", kindDifference, man.Release, 0, "", "one value has more than 1/l of the records this release adds")
	}
	f.addN("N", kindRowsRemoved, man.Release, 0, "", "rows of the release before are missing from the table", d.removed)
	return d
}

// checkContract finds a change of what must stay the same over a chain.
func checkContract(before, after *Manifest, f *faults) {
	changed := func(field string, differs bool) {
		if differs {
			f.add("chain", kindContractChanged, after.Release, 0, field, "the field differs from the release before")
		}
	}
	changed("dataset", before.Dataset != after.Dataset)
	changed("recoding", before.Recoding != after.Recoding)
	changed("schema", !sameSchema(before.Schema, after.Schema))
	a, b := before.Policy, after.Policy
	changed("policy.level", a.level() != b.level())
	changed("policy.min_pool", a.MinPool != b.MinPool)
	if before.atL2() && after.atL2() { // one seed, one first pool
		changed("seeded", before.Seeded != after.Seeded)
		changed("privacy.grown", before.Privacy.Grown != after.Privacy.Grown)
	}
	changed("policy.k", a.K != b.K)
	changed("policy.l", a.L != b.L)
	changed("policy.republication", a.Republication != b.Republication)
	changed("policy.subject_repeat", a.SubjectRepeat != b.SubjectRepeat)
	changed("policy.max_regroups", cmp.Compare(budget(a), budget(b)) != 0)
	changed("policy.diversity", !sameDiversity(a, b))
}

// budget is max_regroups, -1 when there is none.
func budget(p Policy) int {
	if p.MaxRegroups == nil || *p.MaxRegroups < 0 {
		return -1
	}
	return *p.MaxRegroups
}

func sameDiversity(a, b Policy) bool {
	if len(a.Diversity) != len(b.Diversity) {
		return false
	}
	for i := range a.Diversity {
		if string(a.Diversity[i]) != string(b.Diversity[i]) {
			return false
		}
	}
	return true
}

func sameSchema(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Name != y.Name || x.Role != y.Role || x.Type != y.Type || x.Digits != y.Digits || x.Scale != y.Scale ||
			x.Text != y.Text || x.Missing != y.Missing || x.Aliases != y.Aliases ||
			(x.Hierarchy == nil) != (y.Hierarchy == nil) {
			return false
		}
		if h, o := x.Hierarchy, y.Hierarchy; h != nil && ((h.File == "") != (o.File == "") || h.SHA256 == o.SHA256 && h.File != o.File ||
			!slices.Equal(h.Steps, o.Steps) || !slices.Equal(h.Buckets, o.Buckets)) {
			return false // another file may have grown: checkGrowth
		}
	}
	return true
}

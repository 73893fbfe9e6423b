package format

import (
	"cmp"
	"slices"
)

// Difference is bag(release i+1) - bag(release i), which anyone who holds both
// releases can compute: the values of the newly published records.
type Difference struct {
	Counts  []int // by sensitive value
	Total   int
	Top     int
	removed int // occurrences that vanished; zero in an insert-only chain
}

// BagDifference subtracts histograms; before may know fewer values.
func BagDifference(before, after []int) Difference {
	d := Difference{Counts: make([]int, max(len(before), len(after)))}
	for v := range d.Counts {
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
		d.Counts[v] = n
		d.Total += n
		d.Top = max(d.Top, n)
	}
	return d
}

// Support is the ascending set of values that occur.
func (d *Difference) Support() []uint32 {
	var set []uint32
	for v, n := range d.Counts {
		if n > 0 {
			set = append(set, uint32(v))
		}
	}
	return set
}

// CheckDifference tests rule D (difference), which needs only public files: no
// value may exceed 1/l of the newly published set. It also finds rows that vanished.
func CheckDifference(before, after []int, man *Manifest, f *Faults) Difference {
	d := BagDifference(before, after)
	if !man.AtL2() && d.Top*man.Policy.L > d.Total { // at level L2 pool by pool: table.Judge
		f.Add("D", KindDifference, man.Release, 0, "", "one value has more than 1/l of the records this release adds")
	}
	f.AddN("N", KindRowsRemoved, man.Release, 0, "", "rows of the release before are missing from the table", d.removed)
	return d
}

// CheckContract finds a change of what must stay the same over a chain.
func CheckContract(before, after *Manifest, f *Faults) {
	changed := func(field string, differs bool) {
		if differs {
			f.Add("chain", KindContractChanged, after.Release, 0, field, "the field differs from the release before")
		}
	}
	changed("dataset", before.Dataset != after.Dataset)
	changed("view", !sameView(before.View, after.View))
	changed("recoding", before.Recoding != after.Recoding)
	changed("schema", !SameSchema(before.Schema, after.Schema))
	changed("window", before.Window != after.Window)
	changed("tables", !slices.EqualFunc(before.Tables, after.Tables, slices.Equal[[]string]))
	changed("erasure", (before.Erasure == nil) != (after.Erasure == nil) || before.Erasure != nil && *before.Erasure != *after.Erasure)
	changed("privacy.settle", before.Privacy.Settle != after.Privacy.Settle)
	changed("privacy.updates", before.Privacy.Updates != after.Privacy.Updates)
	changed("privacy.max_records", before.MaxRecords() != after.MaxRecords())
	a, b := before.Policy, after.Policy
	changed("policy.level", a.LevelName() != b.LevelName())
	changed("policy.min_pool", a.MinPool != b.MinPool)
	if before.AtL2() && after.AtL2() { // one seed, one first pool
		changed("seeded", before.Seeded != after.Seeded)
		changed("privacy.grown", before.Privacy.Grown != after.Privacy.Grown)
	}
	changed("policy.k", a.K != b.K)
	changed("policy.l", a.L != b.L)
	changed("policy.republication", a.Republication != b.Republication)
	changed("policy.subject_repeat", a.SubjectRepeat != b.SubjectRepeat)
	changed("policy.max_regroups", cmp.Compare(Budget(a), Budget(b)) != 0)
	changed("policy.diversity", !sameDiversity(a, b))
}

// Budget is max_regroups, -1 when there is none.
func Budget(p Policy) int {
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

func SameSchema(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Name != y.Name || x.Role != y.Role || x.Type != y.Type || x.Digits != y.Digits || x.Scale != y.Scale || x.Weight != y.Weight ||
			x.Text != y.Text || x.Missing != y.Missing || x.Aliases != y.Aliases || x.Values != y.Values || x.Precision != y.Precision ||
			!SamePromise(x.Promise, y.Promise) || !sameCopy(x.Promise, y.Promise) ||
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

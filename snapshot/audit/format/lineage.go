package format

import (
	"maps"
	"slices"
)

// Lineage is how the parts of a release follow from those of the release before.
//
// Guarantee: if whole is true, every part of the release before, but for those that have left, stands in this
// one, once, as it was or in a compaction, in the same order, and nothing else
// does but the births of this release. Then layouts of both releases number the
// classes alike, and a class that is not dead is the class it was.
type Lineage struct {
	Steps []step // by part of the later release
	Whole bool
	// Withdraws: buckets leave with the release.
	Withdraws bool
}

// step is where a part comes from.
type step struct {
	Kept int   // the part of the release before that it is; -1: none
	From []int // the parts of the release before that it compacts
	Left int   // the part of the release before that it is without some buckets; -1: none
	// Gone are the buckets that leave of each of these parts, as they number them.
	Gone [][]int
}

// leaves reports whether a bucket leaves.
func (s *step) leaves() bool {
	return slices.ContainsFunc(s.Gone, func(gone []int) bool { return len(gone) > 0 })
}

// newParts is the lineage of a release that no release in parts comes before:
// every part is read.
func newParts(man *Manifest) *Lineage {
	l := &Lineage{}
	for range man.Parts {
		l.Steps = append(l.Steps, step{Kept: -1, Left: -1})
	}
	return l
}

// Follow tests the list of parts of a release, by itself and against that of the
// release before, nil: there is none.
func Follow(before, after *Manifest, f *Faults) *Lineage {
	found := f.N
	CheckLayout(after, f)
	if before == nil {
		return newParts(after)
	}
	before, _ = before.Standing(after.Expired)
	l, used := newParts(after), make([]int, len(before.Parts))
	at := NewLayout(before, 0).At
	var order []int
	for i := range after.Parts {
		p, s := &after.Parts[i], &l.Steps[i]
		f.Part = p.Name
		if j, ok := at[p.Name]; ok {
			order = append(order, j)
			if gone := newlyWithdrawn(before.Parts[j].Withdrawn, p.Withdrawn, after.Release, f); len(gone) > 0 {
				s.Left, s.Gone = j, [][]int{gone}
				checkWithout(&before.Parts[j], p, after.Release, f)
			} else {
				s.Kept = j
				checkKept(&before.Parts[j], p, after.Release, f)
			}
		} else if len(p.Replaces) > 0 {
			s.From, s.Gone = compacts(before, at, p, after.Release, f)
			order = append(order, s.From...)
		} else if p != after.own() {
			f.Add("chain", KindPartForeign, after.Release, 0, "parts", "an older part was not in the release before")
		} else if len(p.Withdrawn) > 0 {
			f.Add("W", KindWithdrawn, after.Release, 0, "withdrawn", "buckets have left with the release that gave birth to them")
		}
		if s.Kept < 0 && p.Release != after.Release {
			f.Add("chain", KindPartForeign, after.Release, 0, "parts", "a part that is new here says that another release wrote it")
		}
	}
	for i := range l.Steps {
		l.Withdraws = l.Withdraws || l.Steps[i].leaves()
	}
	if f.Part = ""; l.Withdraws {
		checkErasure(before, after, f)
	}
	for _, j := range order {
		used[j]++
	}
	for j, n := range used {
		f.Part = before.Parts[j].Name
		switch {
		case n == 0:
			f.Add("chain", KindPartDropped, after.Release, 0, "parts", "a part of the release before is missing, and no part replaces it")
		case n > 1:
			f.Add("chain", KindPartTwice, after.Release, 0, "parts", "a part is listed together with its compaction: its people are there twice")
		}
	}
	f.Part = ""
	l.Whole = f.N == found
	return l
}

// checkWithout compares the entries of a part and of what it is without some buckets.
func checkWithout(before, after *Part, release int, f *Faults) {
	if after.Release != release || after.Classes != before.Classes || after.Buckets != before.Buckets || after.Pools != before.Pools ||
		after.Rows >= before.Rows || after.Mode != before.Mode || !slices.Equal(after.Replaces, before.Replaces) {
		f.Add("W", KindWithdrawn, release, 0, "parts", "a part without withdrawn buckets is not the one of the release before but for these")
	}
}

// checkKept compares the entries of a part in two releases.
func checkKept(before, after *Part, release int, f *Faults) {
	if after.Release != before.Release || after.Classes != before.Classes || after.Buckets != before.Buckets ||
		after.Pools != before.Pools || after.Rows != before.Rows || after.Mode != before.Mode ||
		!slices.Equal(after.Files, before.Files) || !slices.Equal(after.Replaces, before.Replaces) {
		f.Add("A", KindPartChanged, release, 0, "parts", "a part is not the one of the release before")
	}
}

// compacts finds the parts that a compaction replaces: neighbours that stood in
// the release before.
func compacts(before *Manifest, at map[string]int, p *Part, release int, f *Faults) (from []int, gone [][]int) {
	from = []int{}
	rows, leaves := 0, false
	for _, r := range p.Replaces {
		j, ok := at[r.Part]
		if !ok {
			f.Add("chain", KindCompaction, release, 0, "replaces", "a compaction replaces a part that the release before does not have")
			continue
		}
		from = append(from, j)
		rows += before.Parts[j].Rows
		var now []int
		for _, n := range p.Withdrawn {
			if n >= r.FirstBucket && n < r.FirstBucket+r.Buckets {
				now = append(now, n-r.FirstBucket+1)
			}
		}
		gone = append(gone, newlyWithdrawn(before.Parts[j].Withdrawn, now, release, f))
		leaves = leaves || len(gone[len(gone)-1]) > 0
		if before.Parts[j].Classes != r.Classes {
			f.Add("chain", KindFirstClass, release, r.FirstClass, "classes", "a replaced part had another number of classes")
		}
		if before.Parts[j].Buckets != r.Buckets || before.Parts[j].Pools != r.Pools {
			f.Add("chain", KindFirstBucket, release, r.FirstClass, "buckets", "a replaced part had another number of buckets or pools")
		}
	}
	if rows != p.Rows && !leaves || leaves && p.Rows >= rows {
		f.Add("A", KindCompaction, release, 0, "rows", "a compaction has another number of rows than the parts it replaces")
	}
	return from, gone
}

// Died lists the classes that died in the later release, as both layouts number
// them, and finds those that came alive again. The lineage must be whole.
func Died(before, after *Layout, release int, f *Faults) []uint32 {
	var out []uint32
	for id := range after.Dead {
		if !before.Dead[id] {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	for _, id := range slices.Sorted(maps.Keys(before.Dead)) {
		if !after.Dead[id] {
			part, class := after.Place(id)
			f.Part = part
			f.Add("P", KindDeadRevived, release, class, "dead",
				"a class that was dead is not listed as dead any more: its people would be there twice")
		}
	}
	f.Part = ""
	return out
}

// CheckLink tests number and predecessor of a manifest. before is nil for the
// first release found.
func CheckLink(before, man *Manifest, number int, f *Faults) {
	if man.Release != number {
		f.Add("chain", KindReleaseNumber, number, 0, "release", "the manifest carries another number than its directory")
	}
	expected := man.First()
	if before != nil {
		expected = before.Release + 1
	}
	if number > expected {
		f.AddN("chain", KindReleaseMissing, number, 0, "", "releases before this one are missing", number-expected)
		return
	}
	linked := man.Previous != nil && before != nil && man.Previous.Release == before.Release && man.Previous.SHA256 == before.Sha
	if before == nil {
		linked = man.Previous == nil
	}
	if !linked {
		f.Add("chain", KindChainBroken, number, 0, "previous", "the manifest does not carry the hash of the one before")
	}
}

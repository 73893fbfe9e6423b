package chain

import (
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Reappearance matches the classes of two releases by content alone.
type Reappearance struct {
	Kept     []bool // per class of the later release: an equal class was there before
	Vanished []int  // classes of the earlier release without an equal one later
}

// MatchReleases matches classes by what they are where the parts say it, else by
// content.
func MatchReleases(before, after *Release) Reappearance {
	if !after.Parts.linked {
		return matchClasses(before.Tab, after.Tab)
	}
	r := Reappearance{Kept: make([]bool, after.Tab.M)}
	was := before.Parts.Ids
	i := 0
	for c, id := range after.Parts.Ids {
		for i < len(was) && was[i] < id {
			r.vanish(after, was, i)
			i++
		}
		if r.Kept[c] = i < len(was) && was[i] == id; r.Kept[c] {
			i++
		}
	}
	for ; i < len(was); i++ {
		r.vanish(after, was, i)
	}
	return r
}

// vanish notes a class of the release before that is not there, unless it has left with its bucket.
func (r *Reappearance) vanish(after *Release, was []uint32, i int) {
	if !after.Parts.Left(was[i]) {
		r.Vanished = append(r.Vanished, i)
	}
}

// matchClasses is linear in the size of both releases.
func matchClasses(before, after *table.Table) Reappearance {
	count := make(map[string]int, before.M)
	var buf []byte
	for c := range before.M {
		buf = before.ClassKey(c, buf)
		count[string(buf)]++
	}
	r := Reappearance{Kept: make([]bool, after.M)}
	for c := range after.M {
		buf = after.ClassKey(c, buf)
		if count[string(buf)] > 0 {
			count[string(buf)]--
			r.Kept[c] = true
		}
	}
	for c := range before.M {
		buf = before.ClassKey(c, buf)
		if count[string(buf)] > 0 {
			count[string(buf)]--
			r.Vanished = append(r.Vanished, c)
		}
	}
	return r
}

// CheckPublic tests what rules A (frozen classes) and P (pure classes) imply for
// public files: a class that is
// not flat reappears identical, and no signature loses records. It is necessary,
// not sufficient: without the members export nobody can tell who moved where.
func CheckPublic(before, after *Release, match Reappearance, f *format.Faults) {
	balance := map[uint32]int{} // signature -> gained minus lost sets of it
	frozen := 0
	for _, c := range match.Vanished {
		if before.Tab.Flat[c] == 0 || before.Tab.Shared != nil {
			frozen++
			continue
		}
		balance[before.Tab.Support[c]] -= int(before.Tab.Flat[c])
	}
	f.AddN("A", format.KindFrozenVanished, after.Num, 0, "", "a class that is not pure does not reappear as it was", frozen)
	for c, kept := range match.Kept {
		if !kept && after.Tab.Shared == nil {
			balance[after.Tab.Support[c]] += int(after.Tab.Flat[c])
		}
	}
	shrank := 0
	for _, n := range balance {
		if n < 0 {
			shrank++
		}
	}
	f.AddN("P", format.KindSignatureShrank, after.Num, 0, "", "a signature has fewer records than before", shrank)
}

// CheckPublicCertificate tests the declared certificate as far as public files
// can refute it. moved tells whether some class vanished so far.
func CheckPublicCertificate(rel *Release, moved bool, f *format.Faults) {
	mixed := false
	for _, c := range rel.Tab.Flat {
		mixed = mixed || c == 0
	}
	claim := rel.Man.Privacy.Certificate
	known := claim == "frozen" || claim == "pure" || claim == "frozen+pure"
	if !known || claim == "frozen" && moved || claim == "pure" && mixed {
		f.Add("claim", format.KindCertificateFalse, rel.Num, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

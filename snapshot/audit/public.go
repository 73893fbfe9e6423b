package audit

// reappearance matches the classes of two releases by content alone.
type reappearance struct {
	kept     []bool // per class of the later release: an equal class was there before
	vanished []int  // classes of the earlier release without an equal one later
}

// matchReleases matches classes by what they are where the parts say it, else by
// content.
func matchReleases(before, after *release) reappearance {
	if !after.parts.linked {
		return matchClasses(before.tab, after.tab)
	}
	r := reappearance{kept: make([]bool, after.tab.m)}
	was := before.parts.ids
	i := 0
	for c, id := range after.parts.ids {
		for i < len(was) && was[i] < id {
			r.vanished = append(r.vanished, i)
			i++
		}
		if r.kept[c] = i < len(was) && was[i] == id; r.kept[c] {
			i++
		}
	}
	for ; i < len(was); i++ {
		r.vanished = append(r.vanished, i)
	}
	return r
}

// matchClasses is linear in the size of both releases.
func matchClasses(before, after *table) reappearance {
	count := make(map[string]int, before.m)
	var buf []byte
	for c := range before.m {
		buf = before.classKey(c, buf)
		count[string(buf)]++
	}
	r := reappearance{kept: make([]bool, after.m)}
	for c := range after.m {
		buf = after.classKey(c, buf)
		if count[string(buf)] > 0 {
			count[string(buf)]--
			r.kept[c] = true
		}
	}
	for c := range before.m {
		buf = before.classKey(c, buf)
		if count[string(buf)] > 0 {
			count[string(buf)]--
			r.vanished = append(r.vanished, c)
		}
	}
	return r
}

// checkPublic tests what rules A (frozen classes) and P (pure classes) imply for
// public files: a class that is
// not flat reappears identical, and no signature loses records. It is necessary,
// not sufficient: without the members export nobody can tell who moved where.
func checkPublic(before, after *release, match reappearance, f *faults) {
	balance := map[uint32]int{} // signature -> gained minus lost sets of it
	frozen := 0
	for _, c := range match.vanished {
		if before.tab.flat[c] == 0 || before.tab.shared != nil {
			frozen++
			continue
		}
		balance[before.tab.support[c]] -= int(before.tab.flat[c])
	}
	f.addN("A", kindFrozenVanished, after.num, 0, "", "a class that is not pure does not reappear as it was", frozen)
	for c, kept := range match.kept {
		if !kept && after.tab.shared == nil {
			balance[after.tab.support[c]] += int(after.tab.flat[c])
		}
	}
	shrank := 0
	for _, n := range balance {
		if n < 0 {
			shrank++
		}
	}
	f.addN("P", kindSignatureShrank, after.num, 0, "", "a signature has fewer records than before", shrank)
}

// checkPublicCertificate tests the declared certificate as far as public files
// can refute it. moved tells whether some class vanished so far.
func checkPublicCertificate(rel *release, moved bool, f *faults) {
	mixed := false
	for _, c := range rel.tab.flat {
		mixed = mixed || c == 0
	}
	claim := rel.man.Privacy.Certificate
	known := claim == "frozen" || claim == "pure" || claim == "frozen+pure"
	if !known || claim == "frozen" && moved || claim == "pure" && mixed {
		f.add("claim", kindCertificateFalse, rel.num, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

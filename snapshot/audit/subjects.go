package audit

// subjects tests rule S (subjects) across classes: nobody has a second published record.
func (a *auditor) subjects(k *linkage) {
	if a.in.records == nil || a.in.records.subject == nil {
		return
	}
	published, twice := map[uint32]int{}, 0
	for rec, t := range k.typ {
		if t > 0 && rec < a.in.records.n && a.in.records.known[rec] {
			subject := a.in.records.subject[rec]
			if published[subject]++; published[subject] == 2 {
				twice++
			}
		}
	}
	a.f.addN("S", kindSubjectTwice, a.views[len(a.views)-1].rel.num, 0, "", "a subject has several published records", twice)
}

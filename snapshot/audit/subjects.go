package audit

// What policy.subject_repeat may say: a person's first record is published, or all
// with different values.
const (
	repeatFirst  = "first"
	repeatSticky = "sticky"
)

// repeat is what it says, and at level L2 what it must say.
func (m *Manifest) repeat() string {
	if m.atL2() {
		return repeatFirst
	}
	return m.Policy.SubjectRepeat
}

// subjects tests rule S (subjects) across classes: with subject_repeat "first" nobody has a
// second published record; with "sticky" equal values of one person share a
// signature, or their intersection would give the value away.
func (a *auditor) subjects(k *linkage) {
	if a.in.records == nil || a.in.records.subject == nil {
		return
	}
	newest := a.views[len(a.views)-1]
	of := map[uint32][]int{}
	for rec, t := range k.typ {
		if t > 0 && rec < a.in.records.n && a.in.records.known[rec] {
			subject := a.in.records.subject[rec]
			of[subject] = append(of[subject], rec)
		}
	}
	out, split := &Subjects{Subjects: len(of)}, 0
	for _, recs := range of {
		if len(recs) > 1 && a.splitSignatures(&newest, recs) {
			split++
		}
		a.together(out, &newest, recs)
	}
	a.report.Subjects = out
	switch a.in.first.repeat() {
	case repeatFirst:
		a.f.addN("S", kindSubjectTwice, newest.rel.num, 0, "", "a subject has several published records, which policy.subject_repeat forbids",
			out.Repeated)
	case repeatSticky:
		a.f.addN("S", kindSubjectSplit, newest.rel.num, 0, "", "records of one subject with one value have different signatures", split)
	}
}

// together counts a person's published records and what they tell together: the
// probability that a value is among the person's is at most the sum over the
// records of what each class gives it (union bound), hence m/l over m records.
func (a *auditor) together(out *Subjects, v *view, recs []int) {
	out.MaxRecords = max(out.MaxRecords, len(recs))
	if len(recs) < 2 {
		return
	}
	out.Repeated++
	values, told := map[uint32]bool{}, map[uint32]float64{}
	for _, rec := range recs {
		values[a.in.records.sa[rec]] = true
		class := v.class(rec)
		if class == 0 || !v.rel.tab.wholeBuckets() {
			continue
		}
		found, counts, size := v.rel.tab.bucket(int(class) - 1)
		for i, value := range found {
			for range counts[i] {
				told[value] += 1 / float64(size)
			}
		}
	}
	if len(values) > 1 {
		out.Different++
	}
	most := 0.0
	for _, p := range told {
		most = max(most, p)
	}
	out.Together = max(out.Together, min(1, most))
	if most > 1/float64(a.report.L)+1e-9 {
		out.AboveL++
	}
}

// splitSignatures tells whether two records with the same value are in classes
// of different value sets, or in one that is not flat.
func (a *auditor) splitSignatures(v *view, recs []int) bool {
	set := map[uint32]uint32{} // value -> support of the first class met
	for _, rec := range recs {
		class := v.class(rec)
		if class == 0 {
			continue
		}
		value, support := a.in.records.sa[rec], v.rel.tab.support[class-1]
		if was, ok := set[value]; ok && (was != support || v.rel.tab.flat[class-1] == 0) {
			return true
		}
		set[value] = support
	}
	return false
}

package audit

import (
	"slices"
)

// Level L2 (rule B, buckets): a class holds exactly k records, and its sensitive
// values are published in a bucket, which is a union of whole classes of one birth.
// What files can show of it is its structure. That classes, times and pools follow
// from quasi-identifiers, arrival and published data alone, and that values decide
// nothing but which classes share a bucket, a replay from the state has to show.

// The levels that a policy declares.
const (
	levelOne = "L1" // also where a manifest names none
	levelTwo = "L2"
)

// level is the declared level; empty: it is unknown.
func (p *Policy) level() string {
	switch p.Level {
	case "", levelOne:
		return levelOne
	case levelTwo:
		return levelTwo
	}
	return ""
}

func (m *Manifest) atL2() bool { return m.Policy.level() == levelTwo }

// Names of the recodings.
const (
	recodingGeneralization = "generalization"
	recodingAnatomy        = "anatomy"
	recodingPermutation    = "permutation"
	recodingBuckets        = "buckets" // level L2
)

// levelAssignments is what a release of level L1 claims: all assignments of values that
// fit the releases are equally likely.
const levelAssignments = "L0+L1"

// levelProgram is the claim of a release that someone who knows the program learns
// no more than the share in the bucket.
const levelProgram = "L0+L1+L2"

// claimsL2 reports that nothing in the manifest forbids the claim: draws that were
// given are known, and a pool that grew after it was refused breaks Theorem E.
func (m *Manifest) claimsL2() bool { return m.atL2() && !m.Seeded && !m.Privacy.Grown }

// drawn is how the manifest calls values that stand in rows of their bucket by draw.
const drawn = "drawn"

// The forms of files at level L2. At level L1 the form is the recoding.
const (
	formBuckets = "buckets at L2"
	formExact   = "anatomy at L2"     // buckets, with exact cells
	formDrawn   = "permutation at L2" // rows that name a bucket, and no class
)

// form says how the files of a release are written; a form without files is one
// that the level does not have.
func (m *Manifest) form() string {
	switch {
	case !m.atL2():
		return m.Recoding
	case m.Recoding == recodingBuckets:
		return formBuckets
	case m.Recoding == recodingAnatomy:
		return formExact
	case m.Recoding == recodingPermutation:
		return formDrawn
	}
	return ""
}

// otherForm reports that a release cannot be compared with one before it, because
// level L2 writes other files; checkContract reports the change.
func otherForm(before, after *Manifest) bool {
	return (before.atL2() || after.atL2()) && before.form() != after.form()
}

// dataFiles names the files of each part, QI file first; nil: the recoding is not
// one of the level.
func (m *Manifest) dataFiles() []string { return dataFiles(m.form()) }

// levelClaim is what a release must claim: neither more nor less than its level.
func (m *Manifest) levelClaim() string {
	if m.claimsL2() {
		return levelProgram
	}
	return levelAssignments
}

// wantK1 is the claim about rows that fits the form: exact cells disclose presence.
func (m *Manifest) wantK1() string {
	switch m.form() {
	case recodingGeneralization, formBuckets, formDrawn:
		return "rows"
	}
	return "sensitive-only"
}

// checkLevel tests declarations that follow from the level.
func checkLevel(man *Manifest, f *faults) {
	values := ""
	if man.form() == formDrawn {
		values = drawn
	}
	untrue := func(field, detail string) { f.add("claim", kindClaimFalse, man.Release, 0, field, detail) }
	if man.Values != values {
		untrue("values", "the manifest does not say rightly whether values stand in rows by draw")
	}
	if r := man.Policy.SubjectRepeat; r != "" && r != "first" {
		untrue("policy.subject_repeat", "a person is published once, and the manifest says otherwise")
	}
	if !man.atL2() {
		if man.Buckets != 0 || man.Privacy.Grown {
			untrue("policy.level", "the manifest has fields of level L2, and another level")
		}
		return
	}
	if man.Policy.Republication != "append" {
		untrue("policy.republication", "level L2 never forms a class anew, and the manifest does not say append")
	}
	if man.Privacy.Certificate != "frozen" {
		f.add("claim", kindCertificateFalse, man.Release, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

// generalizes reports a column whose hierarchy the audit needs: its cells, or
// the ground distance of a promise.
func (m *Manifest) generalizes(c Column) bool {
	if c.Role != "sensitive" {
		return c.Role == "quasi" || c.Role == "semi"
	}
	known, _ := m.Policy.principles()
	return slices.ContainsFunc(known, func(p principle) bool { return p.Close != nil && p.Close.Distance != distanceEqual })
}

// dataFiles names the files of a form, QI file first.
func dataFiles(form string) []string {
	switch form {
	case recodingGeneralization:
		return []string{"data.csv"}
	case recodingAnatomy:
		return []string{"qit.csv", "st.csv"}
	case recodingPermutation:
		return []string{"pqt.csv", "pst.csv"}
	case formBuckets, formExact:
		return []string{"data.csv", "buckets.csv"}
	case formDrawn:
		return []string{"data.csv"}
	}
	return nil
}

package format

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
	LevelTwo = "L2"
)

// LevelName is the declared level; empty: it is unknown.
func (p *Policy) LevelName() string {
	switch p.Level {
	case "", levelOne:
		return levelOne
	case LevelTwo:
		return LevelTwo
	}
	return ""
}

func (m *Manifest) AtL2() bool { return m.Policy.LevelName() == LevelTwo }

// Names of the recodings.
const (
	RecodingGeneralization = "generalization"
	RecodingAnatomy        = "anatomy"
	RecodingPermutation    = "permutation"
	RecodingBuckets        = "buckets" // level L2
)

// LevelAssignments is what a release of level L1 claims: all assignments of values that
// fit the releases are equally likely.
const LevelAssignments = "L0+L1"

// LevelProgram is the claim of a release that someone who knows the program learns
// no more than the share in the bucket.
const LevelProgram = "L0+L1+L2"

// ClaimsL2 reports that nothing in the manifest forbids the claim: draws that were
// given are known, and a pool that grew after it was refused breaks Theorem E.
func (m *Manifest) ClaimsL2() bool { return m.AtL2() && !m.Seeded && !m.Privacy.Grown }

// drawn is how the manifest calls values that stand in rows of their bucket by draw.
const drawn = "drawn"

// The forms of files at level L2. At level L1 the form is the recoding.
const (
	FormBuckets = "buckets at L2"
	FormExact   = "anatomy at L2"     // buckets, with exact cells
	FormDrawn   = "permutation at L2" // buckets, with values in rows by draw
)

// Form says how the files of a release are written; a form without files is one
// that the level does not have.
func (m *Manifest) Form() string {
	switch {
	case !m.AtL2():
		return m.Recoding
	case m.Recoding == RecodingBuckets:
		return FormBuckets
	case m.Recoding == RecodingAnatomy:
		return FormExact
	case m.Recoding == RecodingPermutation:
		return FormDrawn
	}
	return ""
}

// OtherForm reports that a release cannot be compared with one before it, because
// level L2 writes other files; checkContract reports the change.
func OtherForm(before, after *Manifest) bool {
	return (before.AtL2() || after.AtL2()) && before.Form() != after.Form()
}

// DataFiles names the files of each part, QI file first; nil: the recoding is not
// one of the level.
func (m *Manifest) DataFiles() []string {
	files := DataFiles(m.Form())
	if len(m.Tables) > 0 {
		files = append(files, "tables.csv")
	}
	return files
}

// Pairs are those of sensitive attributes that have pair tables.
func (m *Manifest) Pairs() (out [][2]string) {
	for _, p := range m.Tables {
		out = append(out, [2]string{p[0], p[1]})
	}
	return out
}

// LevelClaim is what a release must claim: neither more nor less than its level.
func (m *Manifest) LevelClaim() string {
	if m.ClaimsL2() {
		return LevelProgram
	}
	return LevelAssignments
}

// WantK1 is the claim about rows that fits the form: exact cells disclose presence.
func (m *Manifest) WantK1() string {
	switch m.Form() {
	case RecodingGeneralization, FormBuckets, FormDrawn:
		return "rows"
	}
	return "sensitive-only"
}

// CheckLevel tests declarations that follow from the level.
func CheckLevel(man *Manifest, f *Faults) {
	values := ""
	if man.Form() == FormDrawn {
		values = drawn
	}
	untrue := func(field, detail string) { f.Add("claim", KindClaimFalse, man.Release, 0, field, detail) }
	if man.Values != values {
		untrue("values", "the manifest does not say rightly whether values stand in rows by draw")
	}
	repeat := "first"
	if man.MaxRecords() > 1 {
		repeat = "history"
	}
	if r := man.Policy.SubjectRepeat; r != "" && r != repeat {
		untrue("policy.subject_repeat", "a person is published once, and the manifest says otherwise")
	}
	if !man.AtL2() {
		if man.Buckets != 0 || man.Privacy.Grown {
			untrue("policy.level", "the manifest has fields of level L2, and another level")
		}
		return
	}
	if man.Policy.Republication != "append" {
		untrue("policy.republication", "level L2 never forms a class anew, and the manifest does not say append")
	}
	if man.Privacy.Certificate != "frozen" {
		f.Add("claim", KindCertificateFalse, man.Release, 0, "privacy.certificate", "the certificate does not describe the release")
	}
}

// generalizes reports a column whose hierarchy the audit needs: its cells, or
// the ground distance of a promise.
func (m *Manifest) generalizes(c Column) bool {
	if c.Role != "sensitive" {
		return c.Role == "quasi" || c.Role == "semi"
	}
	known, _ := m.Policy.Principles()
	return slices.ContainsFunc(known, func(p Principle) bool { return p.Close != nil && p.Close.Distance != DistanceEqual })
}

// DataFiles names the files of a form, QI file first.
func DataFiles(form string) []string {
	switch form {
	case RecodingGeneralization:
		return []string{"data.csv"}
	case RecodingAnatomy:
		return []string{"qit.csv", "st.csv"}
	case RecodingPermutation:
		return []string{"pqt.csv", "pst.csv"}
	case FormBuckets, FormExact, FormDrawn:
		return []string{"data.csv", "values.csv", "pools.csv", "buckets.csv"}
	}
	return nil
}

package lgb

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
)

// Figure 1(b) of "Local Generalization and Bucketization Technique for
// Personalized Privacy Preservation": IDs 1001 to 1008; ! is flag Yes.
var lgbFigure1b = [][]string{
	{"28", "Male", "21357!", "Bronchitis!"},
	{"25", "Female", "21344!", "Gastritis!"},
	{"16", "Male", "21352", "Dyspepsia!"},
	{"24!", "Male", "21336", "Pneumonia!"},
	{"31!", "Female", "21328", "Hepatitis!"},
	{"22", "Male", "21358", "Flu!"},
	{"29!", "Female", "21328", "Pneumonia!"},
	{"34!", "Male", "21340", "Bronchitis!"},
}

// The local equivalence groups and the local buckets of figures 2 to 4, by
// position of the ID.
var (
	FlaggedExampleGroups = [][]int32{{0, 1}, {2, 5}, {3, 7}, {4, 6}}
	FlaggedExampleValues = [][][]int32{{{3, 4}, {6, 7}}, nil, {{0, 1}}, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}}
)

// FlaggedExample is the table of figure 1 of Li, He and Sun.
func FlaggedExample(t testing.TB) *flagged.Table {
	t.Helper()
	zips := "21328;2132*;213**;*\n21336;2133*;213**;*\n21340;2134*;213**;*\n" +
		"21344;2134*;213**;*\n21352;2135*;213**;*\n21357;2135*;213**;*\n21358;2135*;213**;*\n"
	zip, err := equivclass.ParseHierarchy("zip", strings.NewReader(zips))
	require.NoError(t, err)
	gender, err := equivclass.ParseHierarchy("gender", strings.NewReader("Male;*\nFemale;*\n"))
	require.NoError(t, err)
	return equivtest.Table(t, []equivclass.Attribute{
		{Name: "age", Type: equivclass.Integer}, {Name: "gender", Type: equivclass.Categorical, Hierarchy: gender},
		{Name: "zip", Type: equivclass.Categorical, Hierarchy: zip}, {Name: "disease", Type: equivclass.Categorical},
	}, lgbFigure1b)
}

// ShareWithin is a principle for tests: every value's share is within T of half.
type ShareWithin struct{ T float64 }

// Name implements equivclass.Principle.
func (p ShareWithin) Name() string { return "share-within" }

// Holds implements equivclass.Principle.
func (p ShareWithin) Holds(b equivclass.Bag) bool {
	if len(b.Counts) < 2 {
		return false
	}
	for _, c := range b.Counts {
		if s := float64(c.N) / float64(b.Total); s < 0.5-p.T || s > 0.5+p.T {
			return false
		}
	}
	return true
}

// BucketValues are the values of buckets, in the order of the buckets.
func BucketValues(column []equivclass.Code, buckets [][]int32) [][]equivclass.Code {
	out := make([][]equivclass.Code, len(buckets))
	for i, b := range buckets {
		for _, r := range b {
			out[i] = append(out[i], column[r])
		}
		slices.Sort(out[i])
	}
	return out
}

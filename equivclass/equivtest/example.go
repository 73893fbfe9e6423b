package equivtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
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
	return Table(t, []equivclass.Attribute{
		{Name: "age", Type: equivclass.Integer}, {Name: "gender", Type: equivclass.Categorical, Hierarchy: gender},
		{Name: "zip", Type: equivclass.Categorical, Hierarchy: zip}, {Name: "disease", Type: equivclass.Categorical},
	}, lgbFigure1b)
}

// The worked example of "Permutation anonymization". The paper prints both Gastritic
// and Gastritis for one disease.
var (
	ExampleAttributes = []equivclass.Attribute{
		{Name: "age", Type: equivclass.Integer}, {Name: "sex", Type: equivclass.Categorical}, {Name: "disease", Type: equivclass.Categorical},
	}
	ExampleRows = [][]string{
		{"65", "M", "Emphysema"}, {"50", "M", "Cancer"}, {"70", "F", "Flu"}, {"55", "F", "Gastritis"}, {"90", "F", "Dyspepsia"},
		{"45", "M", "Flu"}, {"50", "F", "Pneumonia"}, {"40", "F", "Gastritis"}, {"10", "M", "Bronchitis"},
	}
	// Table 4: the PQT next to the PST, group by group.
	ExamplePermuted = [][]string{
		{"50", "F", "Emphysema"}, {"90", "M", "Flu"}, {"70", "F", "Cancer"}, {"65", "F", "Dyspepsia"}, {"55", "M", "Gastritis"},
		{"50", "M", "Flu"}, {"10", "F", "Bronchitis"}, {"45", "M", "Gastritis"}, {"40", "F", "Pneumonia"},
	}
	ExampleGroups = [][]int32{{0, 1, 2, 3, 4}, {5, 6, 7, 8}}
)

// ExampleQuery is the query of the introduction of Li, He, Cao and Chen.
const ExampleQuery = `count where age in [40,70] and sex = F and disease = Flu`

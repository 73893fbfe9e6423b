package equivtest

import "anond/equivclass"

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

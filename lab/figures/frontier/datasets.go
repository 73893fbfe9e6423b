package frontier

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"anond/testdata"
)

// Elsewhere is the environment variable that names the directory of the datasets
// that are too large for the program.
const Elsewhere = "ANOND_DATA"

// dataSet is a dataset whose people can be sent: the columns that are used, and how a
// category becomes a number. All of it is part of the measure's definition.
type dataSet struct {
	name, title string
	file        string
	outside     bool // the program does not carry it
	quasi       []string
	sensitive   string
	// scales are the quasi-identifiers of which a range makes sense in a query. The
	// others are numbers only for the measure of loss.
	scales []string
	// order numbers categories by position; other categories are numbered by first
	// appearance, and codes that are numbers by themselves.
	order map[string][]string
	// rows are the first rows of the file that are read; 0: all.
	rows int
	// person is the column that names a person, whose first row alone counts; if empty,
	// each row is a person.
	person string
}

// adult is UCI Adult's training part, which comes first in the file.
var adult = dataSet{
	name: "adult", title: "Adult", file: testdata.Adult, rows: 30162, scales: []string{"age", "education-num"},
	quasi:     []string{"age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"},
	sensitive: "occupation",
	order: map[string][]string{
		"workclass": {"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay",
			"Never-worked"},
		"marital-status": {"Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent", "Divorced", "Separated", "Widowed",
			"Never-married"},
		"race": {"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"},
		"sex":  {"Female", "Male"},
	},
}

// acs is the excerpt of the American Community Survey. "N", not applicable, is a value
// as any other: it is the industry of two people in five.
var acs = dataSet{
	name: "acs", title: "American Community Survey", file: testdata.ACS, scales: []string{"AGEP", "EDU"},
	quasi: []string{"AGEP", "SEX", "EDU", "MSP", "RAC1P"}, sensitive: "INDP",
	order: map[string][]string{
		"EDU": {"N", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"},
		"MSP": {"1", "2", "3", "4", "5", "6", "N"},
	},
}

// diabetes is the first encounter of each patient of UCI Diabetes 130-US hospitals.
var diabetes = dataSet{
	name: "diabetes130", title: "Diabetes 130-US hospitals", file: "diabetes130.csv.gz", outside: true, person: "patient_nbr",
	scales: []string{"age", "time_in_hospital", "number_diagnoses"},
	quasi: []string{"race", "gender", "age", "admission_type_id", "admission_source_id", "time_in_hospital",
		"number_diagnoses"},
	sensitive: "diag_1",
	order: map[string][]string{"age": {"[0-10)", "[10-20)", "[20-30)", "[30-40)", "[40-50)", "[50-60)", "[60-70)", "[70-80)",
		"[80-90)", "[90-100)"}},
}

var dataSets = []*dataSet{&adult, &acs, &diabetes}

// DatasetNames are the datasets that Options.Dataset may name.
func DatasetNames() []string {
	var names []string
	for _, d := range dataSets {
		names = append(names, d.name)
	}
	return names
}

// named returns a dataset by its name; Adult if that is empty.
func named(name string) (*dataSet, error) {
	if name == "" {
		return &adult, nil
	}
	for _, d := range dataSets {
		if d.name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("no dataset %q; there are %s", name, strings.Join(DatasetNames(), ", "))
}

// AbsentError: the program does not carry a dataset, and it is not below the directory
// that the environment names; Dir is empty if it names none.
type AbsentError struct{ Dataset, File, Dir string }

func (e *AbsentError) Error() string {
	if e.Dir == "" {
		return fmt.Sprintf("the program does not contain %s, and the environment variable %s is not set", e.Dataset, Elsewhere)
	}
	return fmt.Sprintf("the program does not contain %s, and there is no %s in %s, which %s names", e.Dataset, e.File, e.Dir, Elsewhere)
}

// place is where the file of a dataset is: at the path, if one is given, in the program,
// or in the directory that the environment names.
func (d *dataSet) place(path string) (files fs.FS, name string, err error) {
	if path != "" {
		return os.DirFS(filepath.Dir(path)), filepath.Base(path), nil
	}
	if !d.outside {
		return testdata.Files, d.file, nil
	}
	dir := os.Getenv(Elsewhere)
	if dir == "" {
		return nil, "", &AbsentError{d.name, d.file, ""}
	}
	if _, err := os.Stat(filepath.Join(dir, d.file)); errors.Is(err, fs.ErrNotExist) {
		return nil, "", &AbsentError{d.name, d.file, dir}
	}
	return os.DirFS(dir), d.file, nil
}

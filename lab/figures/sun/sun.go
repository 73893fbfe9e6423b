// Package sun re-draws figures 2 to 9 of Sun, Li, Wang and Ross: the error of
// count queries on Anatomy(p,k) and on two generalizations, and how long each
// takes.
//
// Guarantee: the seed fixes all errors.
//
// Method: each point has several runs, each with its own sample of Adult and
// its own queries, which all methods share.
//
// Difference from the paper: it says neither how many queries it asks nor how
// it answers them. Answers here are group shares and uniform within cells, and
// the SQL that it prints is measured too. Org(p,k) is a pruned full-domain
// search.
//
// Cost: 10 to 30 seconds for each figure.
//
// Source: "Achieving P-Sensitive K-Anonymity via Anatomy", ICEBE 2009, section
// IV, figures 2 to 9, tables XI and XII.
package sun

import (
	"context"

	"anond/lab/figures"
)

const (
	paper = "Sun, Li, Wang and Ross, \"Achieving P-Sensitive K-Anonymity via Anatomy\", ICEBE 2009"
	about = "UCI Adult, the 45,222 complete rows, as in the paper; QI the first d of age, workclass, education, marital-status, race, " +
		"sex, native-country; sensitive occupation; samples of 25,000 rows unless n is varied"
)

// Figures returns figures 2 to 9 of Sun et al.
func Figures() []figures.Figure {
	return []figures.Figure{
		figure("sun-2", "Query error over the number d of QI attributes", figure2),
		figure("sun-3", "Query error over the query dimensionality qd", figure3),
		figure("sun-4", "Query error over the expected selectivity s", figure4),
		figure("sun-5", "Query error over p", figure5),
		figure("sun-6", "Query error over k", figure6),
		figure("sun-7", "Query error over the number n of records", figure7),
		figure("sun-8", "Running time over the number n of records", figure8),
		figure("sun-9", "Running time over p, and over k", figure9),
	}
}

func figure(id, title string, run func(context.Context, figures.Input) (*figures.Result, error)) figures.Figure {
	return figures.Figure{ID: id, Paper: paper, Title: title, Data: about, Run: run}
}

// Package zhu re-draws figures 1 to 6 of Zhu, Tian, Du and Xie: the time and
// the correspondence loss (GLP) of arp, ng, aip and anatomy by l, by the number
// of records and by the number of attributes.
//
// Guarantee: the seed fixes all losses.
//
// Method: losses are the mean of several draws of records and random numbers,
// compared draw by draw. Times are processor seconds of one thread, the median
// of several runs, the methods in turn.
//
// Difference from the paper: it counts 30,718 records of Adult and calls the
// last attribute by another name in its text. arp-up, and Algorithm 1 with a
// weaker reading of l-diversity, are measured too.
//
// Cost: seconds for each figure.
//
// Source: "Anonymization on Refining Partition: Same Privacy, More Utility",
// ComSIS 2015, section 5, figures 1 to 6, table 1.
package zhu

import (
	"anond/lab/figures"
)

const (
	paper = `Zhu, Tian, Du and Xie, "Anonymization on Refining Partition: Same Privacy, More Utility", ComSIS 2015`
	about = "UCI Adult: 30,162 records (the paper counts 30,718), sensitive: occupation; NSAs age, sex, education, marital status, race, " +
		"work class, relationship (the paper's table 1; its text has country for the last)"
)

// Figures returns figures 1 to 6 of Zhu et al.
func Figures() []figures.Figure {
	return []figures.Figure{
		{ID: "zhu-1", Paper: paper, Title: "Execution time by l", Data: about, Run: figure1},
		{ID: "zhu-2", Paper: paper, Title: "Correspondence loss (GLP) by l", Data: about, Run: figure2},
		{ID: "zhu-3", Paper: paper, Title: "Execution time by the number of records", Data: about, Run: figure3},
		{ID: "zhu-4", Paper: paper, Title: "Correspondence loss (GLP) by the number of records", Data: about, Run: figure4},
		{ID: "zhu-5", Paper: paper, Title: "Execution time by the number of NSAs", Data: about, Run: figure5},
		{ID: "zhu-6", Paper: paper, Title: "Correspondence loss (GLP) by the number of NSAs", Data: about, Run: figure6},
	}
}

// The paper's fixed values: n where l or d varies, l where n or d varies.
const (
	fixedN = 20000
	fixedL = 5
)

var (
	lAxis         = []float64{2, 3, 4, 5, 6, 7} // above 7 no partition exists: 13.4 % have one occupation
	attributeAxis = []float64{1, 2, 3, 4, 5, 6, 7}
)

// sizes are the sizes of figures 3 and 4.
func sizes(in figures.Input) []float64 {
	var ns []float64
	for i := range 6 {
		ns = append(ns, float64(in.Rows(5000*(i+1), 400*(i+1))))
	}
	return ns
}

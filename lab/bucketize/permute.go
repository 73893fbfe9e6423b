package bucketize

import (
	"anond/equivclass"
	"anond/equivclass/cut"
)

// permuted is a table after the populating step of permutation anonymization
// (Li, He, Cao and Chen, section 3.2): for each column, which record's value is
// at which place. The groups follow each other.
type permuted struct {
	Start []int32 // first place of each group, and after the last
	// From[c][i] is the record whose value in column c is at place i. The
	// PQT is the quasi-identifier columns, the PST the sensitive one.
	From [][]int32
}

// Permute draws, for each group and each column, an independent uniform
// permutation of the group's records (definition 1: the alphas).
//
// Guarantee: in each column each place has the value of a record of its group,
// and each record occurs once; all (|G|!)^columns outcomes of a group are
// equally likely if the source's numbers are. So the order of the groups'
// records reveals nothing, and no row of the result belongs to one person.
//
// Cost: rows x columns draws. Permuting local buckets of LGB is the case of one
// column.
func Permute(groups [][]int32, columns int, src equivclass.Source) *permuted {
	p := &permuted{Start: make([]int32, 1, len(groups)+1), From: make([][]int32, columns)}
	n := 0
	for _, g := range groups {
		n += len(g)
		p.Start = append(p.Start, int32(n))
	}
	for c := range p.From {
		column := make([]int32, 0, n)
		for _, g := range groups {
			column = append(column, g...)
			cut.Shuffle(column[len(column)-len(g):], src)
		}
		p.From[c] = column
	}
	return p
}

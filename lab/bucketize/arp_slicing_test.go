package bucketize

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
)

// sliced is a publication by slicing: row i of class Class[i] takes the
// attributes of column c from record From[c][i]. Columns name the
// quasi-identifiers by dimension, 0 to D-1, and the sensitive attribute by D.
type sliced struct {
	Columns [][]int
	From    [][]int32
	Class   []int // 1 and up
}

// slice publishes classes by slicing (Li, Li, Zhang and Molloy, TKDE 2012; Zhu
// et al. 2015 apply it to their sub-blocks): within each class the parts of the
// records in each column are permuted uniformly and independently of the other
// columns. What stands in one column stays true; what is split is mixed.
//
// columns must name every attribute exactly once. A column that joins the
// sensitive attribute with quasi-identifiers publishes exact pairs: who knows
// that one pair exists once in a class finds its sensitive value. It therefore
// carries no promise across releases, nor within one unless those
// quasi-identifiers agree in the class or are generalized. With the sensitive
// attribute alone in its column, a class promises what its bag does.
//
// Cost: n for each column. The draws come from source alone.
func slice(p *equivclass.Pool, groups [][]int32, columns [][]int, source rand.Source) (sliced, error) {
	if err := checkColumns(columns, p.D()); err != nil {
		return sliced{}, err
	}
	s, random := sliced{Columns: columns, From: make([][]int32, len(columns))}, rand.New(source)
	for i, g := range groups {
		for range g {
			s.Class = append(s.Class, i+1)
		}
		for c := range columns {
			part := slices.Clone(g)
			random.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
			s.From[c] = append(s.From[c], part...)
		}
	}
	return s, nil
}

// columnsError says which attribute a set of columns misses or repeats.
type columnsError struct {
	Attribute, Times int
}

// Error implements error.
func (e *columnsError) Error() string {
	return fmt.Sprintf("slicing: attribute %d stands in %d columns, it must stand in exactly one", e.Attribute, e.Times)
}

func checkColumns(columns [][]int, d int) error {
	times := make([]int, d+1)
	for _, c := range columns {
		for _, a := range c {
			if a < 0 || a > d {
				return &columnsError{Attribute: a, Times: 1}
			}
			times[a]++
		}
	}
	for a, n := range times {
		if n != 1 {
			return &columnsError{Attribute: a, Times: n}
		}
	}
	return nil
}

package bucketize

import (
	"anond/equivclass"
	"anond/lab/split"
)

// Phi2Preserved returns the phi^2 of dimension j and the sensitive attribute
// that an analyst finds in a publication by classes: in a class of size n, a
// value x of a records and a sensitive value s of c records occur together
// a*c/n times in expectation. Records in no class do not count.
//
// Zhu et al. 2015, property 7: if the records of every class agree in dimension
// j, the result is Phi2 of the published records. Otherwise it is usually
// smaller.
//
// Cost: n plus, for each class, the product of the numbers of different values
// of both columns.
func Phi2Preserved(p *equivclass.Pool, groups [][]int32, j, bins int) float64 {
	x, sa := discretized(p, j, bins), split.Sensitive(p)
	t := newCrossTable(x.Size, sa.Size)
	xs, ss := split.NewTally(x.Size), split.NewTally(sa.Size)
	for _, g := range groups {
		for _, r := range g {
			xs.Add(x.Codes[r])
			ss.Add(sa.Codes[r])
		}
		for _, a := range xs.Seen {
			for _, c := range ss.Seen {
				t.add(a, c, float64(xs.N[a])*float64(ss.N[c])/float64(len(g)))
			}
		}
		xs.Clear()
		ss.Clear()
	}
	return t.phi2()
}

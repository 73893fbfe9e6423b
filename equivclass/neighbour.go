package equivclass

// REL is the information relevance of a class X, given by its box, for the
// class Y of the given rows: the share of Y's records that lie within X's box
// in at least dims of the D dimensions, a number in [0,1]. X is a neighbour of
// Y if REL > 0 (Wang, Xu and Sun, eq. 10 and 11).
//
// Difference from the paper: as printed, eq. 10 divides a sum of f(p in E_X)
// over p in E_Y by the same sum. The meaning (Fig. 2: X is included in Y,
// intersects it or includes it) is the share of Y's records in X's range. Its
// side conditions say "there is a dimension in which the ranges overlap". On
// Adult that is true of 99.8 % of all pairs of classes and so selects nothing,
// while containment in every dimension is true of hardly any pair, because the
// boxes of a partition are disjoint. dims is between the two; D-1 is the
// daemon's default (policy.neighbour_dims).
//
// Cost: len(rows) x D, no allocation. No rows: 0.
func REL(box Box, p *Pool, rows []int32, dims int) float64 {
	if len(rows) == 0 {
		return 0
	}
	within := 0
	for _, r := range rows {
		if box.Holds(p.At(r)) >= dims {
			within++
		}
	}
	return float64(within) / float64(len(rows))
}

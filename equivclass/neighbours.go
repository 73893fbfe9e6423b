package equivclass

import "math"

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

// Similarity is the modified similarity of two points: the cosine of the angle
// between them times rel, divided by their distance (Wang, Xu and Sun, eq. 15
// and 16; rel is REL of the two classes). Greater is more similar.
//
// Difference from the paper: it leaves cases open. Points at distance 0 are the
// most similar of all: +Inf. A zero vector has no direction: cosine 0. Classes
// without relevance (rel <= 0) are no neighbours: their similarity is 0 at any
// distance.
//
// Cost: D, no allocation. Never NaN for finite coordinates.
func Similarity(x, y []float32, rel float64) float64 {
	if rel <= 0 {
		return 0
	}
	distance := Distance(x, y)
	if distance == 0 {
		return math.Inf(1)
	}
	return rel / distance * cosine(x, y)
}

func cosine(x, y []float32) float64 {
	var dot, xx, yy float64
	for j := range x {
		a, b := float64(x[j]), float64(y[j])
		dot += a * b
		xx += a * a
		yy += b * b
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return dot / (math.Sqrt(xx) * math.Sqrt(yy))
}

// MostSimilar appends to into the indices of the top greatest similarities, in
// descending order, equals by ascending index: the topN similar sets of Wang,
// Xu and Sun, section IV.E. The caller leaves out candidates without relevance.
//
// Cost: len(similarity) x top, both of which are small (32 and 8 in the
// daemon); no allocation if into has room.
func MostSimilar(similarity []float64, top int, into []int32) []int32 {
	start := len(into)
	for i, s := range similarity {
		at := len(into)
		for at > start && similarity[into[at-1]] < s {
			at--
		}
		if at-start >= top {
			continue
		}
		if len(into)-start < top {
			into = append(into, 0)
		}
		copy(into[at+1:], into[at:])
		into[at] = int32(i)
	}
	return into
}

// Distance returns the Euclidean distance of two points, the edge weight a_ij
// of Wang, Xu and Sun, section IV.D.
func Distance(x, y []float32) float64 {
	var sum float64
	for j, v := range x {
		gap := float64(v) - float64(y[j])
		sum += gap * gap
	}
	return math.Sqrt(sum)
}

// FeaturePoint returns the record that represents a class: the one with the
// smallest sum of distances to the others, the medoid; of equals the one that
// comes first in rows. There must be at least one row.
//
// Wang, Xu and Sun (eq. 12-14) take the complete graph of the class, compute
// all shortest paths by the method of Floyd and Warshall in O(m^3), and choose
// the vertex with the smallest sum. The edges are Euclidean distances, so by
// the triangle inequality the direct edge is a shortest path, and the two
// points are the same; TestFeaturePointIsTheFloydWarshallMinimum checks this.
//
// Cost: at most m^2 x D (a row is given up once its sum exceeds the best one),
// no allocation.
func FeaturePoint(p *Pool, rows []int32) int32 {
	best, bestSum := rows[0], math.Inf(1)
	for _, r := range rows {
		x, sum := p.At(r), 0.0
		for _, q := range rows {
			if sum += Distance(x, p.At(q)); sum >= bestSum {
				break
			}
		}
		if sum < bestSum {
			best, bestSum = r, sum
		}
	}
	return best
}

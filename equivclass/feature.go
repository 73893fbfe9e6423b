package equivclass

import (
	"math"
)

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

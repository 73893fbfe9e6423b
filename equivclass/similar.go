package equivclass

import (
	"math"
)

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

package literal

import (
	"slices"

	"anond/equivclass"
)

// position returns the class of a record by its quasi-identifiers: the one whose
// box is nearest, at distance 0 if it contains the record; of equals the first.
// That the nearest class takes a record which lies in none is ours: section IV.B
// makes the update global, the paper's algorithm does not say. Cost: a scan of all classes, which is acceptable in an experiment
// only.
func (u *Update) position(row int32) int32 {
	best, distance := 0, float32(-1)
	for i := range u.classes {
		if d := u.classes[i].box.Distance2(u.pool.At(row)); distance < 0 || d < distance {
			best, distance = i, d
		}
		if distance == 0 {
			break
		}
	}
	return int32(best)
}

// positions groups the waiting records by their class, both in ascending order.
func (u *Update) positions() (touched []int32, tuples map[int32][]int32) {
	tuples = map[int32][]int32{}
	for _, w := range u.waiting {
		c := u.position(w.row)
		if tuples[c] == nil {
			touched = append(touched, c)
		}
		tuples[c] = append(tuples[c], w.row)
	}
	slices.Sort(touched)
	return touched, tuples
}

// nearest returns the n classes whose boxes are nearest to a box, nearest first,
// equals in order.
func (u *Update) nearest(to equivclass.Box, n int) []int32 {
	closeness := make([]float64, len(u.classes))
	for i := range u.classes {
		closeness[i] = -gap2(to, u.classes[i].box)
	}
	return equivclass.MostSimilar(closeness, n, nil)
}

// gap2 is the squared distance of two boxes, 0 if they meet.
func gap2(a, b equivclass.Box) float64 {
	var sum float64
	for j := range a.Lo {
		g := float64(max(a.Lo[j]-b.Hi[j], b.Lo[j]-a.Hi[j], 0))
		sum += g * g
	}
	return sum
}

// similarSets returns the classes to be partitioned anew (section IV.C to IV.E):
// the class of each waiting record, and of that class's neighbours those whose
// feature points are most similar to the record.
//
// E_Y is the class with its new records, whose relevance the text asks for. Eq. 15
// compares the feature points of both classes (ByClass); the text below it and the
// algorithm compare the neighbour's feature point and the new record. The latter is
// the default, because it distinguishes the new records of a class.
func (u *Update) similarSets() []int32 {
	chosen := make([]bool, len(u.classes))
	touched, tuples := u.positions()
	for _, y := range touched {
		chosen[y] = true
		neighbours, rel := u.neighbourSet(y, tuples[y])
		similarity := make([]float64, len(neighbours))
		points := tuples[y]
		if u.params.ByClass {
			points = []int32{u.featureOf(y)}
		}
		for _, t := range points {
			for i, x := range neighbours {
				similarity[i] = equivclass.Similarity(u.pool.At(u.featureOf(x)), u.pool.At(t), rel[i])
			}
			for _, i := range equivclass.MostSimilar(similarity, u.params.Similar, nil) {
				chosen[neighbours[i]] = true
			}
		}
	}
	var out []int32
	for i, is := range chosen {
		if is {
			out = append(out, int32(i))
		}
	}
	return out
}

// neighbourSet is E_N (eq. 11): the candidates with REL > 0, and their REL.
func (u *Update) neighbourSet(y int32, tuples []int32) (neighbours []int32, rel []float64) {
	members := append(slices.Clone(u.classes[y].rows), tuples...)
	for _, x := range u.candidates(y) {
		if x == y {
			continue
		}
		if r := equivclass.REL(u.classes[x].box, &u.pool, members, u.params.NeighbourDims); r > 0 {
			neighbours, rel = append(neighbours, x), append(rel, r)
		}
	}
	return neighbours, rel
}

// candidates are the classes that may be neighbours of y, and y itself: the nearest
// ones, or all.
func (u *Update) candidates(y int32) []int32 {
	if u.params.Neighbours < 0 {
		return everything(len(u.classes))
	}
	return u.nearest(u.classes[y].box, u.params.Neighbours+1)
}

func (u *Update) featureOf(c int32) int32 {
	if u.classes[c].feature < 0 {
		u.classes[c].feature = equivclass.FeaturePoint(&u.pool, u.classes[c].rows)
	}
	return u.classes[c].feature
}

package attacker

import (
	"slices"

	"anond/equivclass"
)

// value numbers a sensitive value of a release.
type value uint16

// world assigns a value to each row.
type world []value

// publicView is what an attacker has: where all people lie, who is in which class, and
// the published bags.
type publicView struct {
	points  equivclass.Points
	want    equivclass.Requirement
	k, l    int
	values  int       // different values
	classes [][]int32 // rows of each class
	// parts are the sets of classes whose bags are published: single classes at
	// level L1, buckets at level L2. groups has their rows, bags their counts by value.
	parts, groups [][]int32
	bags          [][]int32
	class, group  []int32 // by row; -1: not published
}

// publish returns what is public of classes and buckets (nil: each class is one) in
// a world.
func publish(points equivclass.Points, want equivclass.Requirement, world world, values int, classes, parts [][]int32) *publicView {
	if parts == nil {
		for c := range classes {
			parts = append(parts, []int32{int32(c)})
		}
	}
	n := len(world)
	p := &publicView{points: points, want: want, k: want.K, l: want.L, values: values, classes: classes, parts: parts,
		group: slices.Repeat([]int32{-1}, n), class: slices.Repeat([]int32{-1}, n)}
	for g, part := range parts {
		var rows []int32
		for _, c := range part {
			rows = append(rows, classes[c]...)
			for _, r := range classes[c] {
				p.group[r], p.class[r] = int32(g), c
			}
		}
		p.groups = append(p.groups, rows)
		p.bags = append(p.bags, world.bag(rows, values))
	}
	return p
}

// numbered numbers the values of a pool by their codes.
func numbered(codes []equivclass.Code) (world, int) {
	sorted := slices.Compact(slices.Sorted(slices.Values(codes)))
	w := make(world, len(codes))
	for r, c := range codes {
		at, _ := slices.BinarySearch(sorted, c)
		w[r] = value(at)
	}
	return w, len(sorted)
}

// bag counts the values of rows.
func (w world) bag(rows []int32, values int) []int32 {
	out := make([]int32, values)
	for _, r := range rows {
		out[w[r]]++
	}
	return out
}

// pool returns the world as a program reads it.
func (w world) pool(points equivclass.Points) *equivclass.Pool {
	p := &equivclass.Pool{Space: points.Space, X: points.X, SA: make([]equivclass.Code, len(w))}
	for r, v := range w {
		p.SA[r] = equivclass.Code(v)
	}
	return p
}

// share is the share of a value in a group.
func (p *publicView) share(g int32, v value) float64 {
	return float64(p.bags[g][v]) / float64(len(p.groups[g]))
}

// rows are the published rows.
func (p *publicView) rows() []int32 { return slices.Concat(p.groups...) }

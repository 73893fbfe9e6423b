package permutation

import "anond/lab/figures"

// condition is how a query restricts the sensitive attribute A_w. The paper
// prints the query with "A_w = b_w" and calls b_1 to b_(w-1) intervals, so b_w is
// a value. But the volume "determines the length (in the number of integers) of
// b_i (1 <= i <= w)", which gives b_w a length too.
type condition int

const (
	aValue condition = iota
	anInterval
	conditions = 2
)

func (c condition) String() string {
	if c == aValue {
		return "a value"
	}
	return "an interval"
}

// reading is one way to take the paper's words: where the boxes of Algorithm 2
// start, and how a query restricts the sensitive attribute.
type reading struct {
	method int // byPermutation: the corners of each sub-table; byTableCorners
	on     condition
}

// words names the reading.
func (r reading) words() string { return r.corners() + ", A_w is " + r.on.String() }

func (r reading) corners() string {
	if r.method == byTableCorners {
		return "corners of the table"
	}
	return "corners of each sub-table"
}

// readings are those that the text allows, the one closest to its words first.
func readings() []reading {
	return []reading{{byPermutation, aValue}, {byPermutation, anInterval}, {byTableCorners, aValue}, {byTableCorners, anInterval}}
}

// underReadings judges a statement about permutation under each of them.
func underReadings(text, why string, find func(reading) figures.Finding) figures.Claim {
	var all []figures.Reading
	for _, r := range readings() {
		all = append(all, figures.Reading{Words: r.words(), Finding: find(r)})
	}
	return figures.ClaimUnder(text, why, all...)
}

// underConditions judges a statement about anatomy alone, which has no corners.
func underConditions(text, why string, find func(condition) figures.Finding) figures.Claim {
	var all []figures.Reading
	for on := range condition(conditions) {
		all = append(all, figures.Reading{Words: "A_w is " + on.String(), Finding: find(on)})
	}
	return figures.ClaimUnder(text, why, all...)
}

package oneoff

import (
	"math"
	"slices"

	"anond/equivclass"
)

// Achieved is the value that every class of a release reaches, for each
// principle whether it was asked for or not.
type Achieved struct {
	K            int     `json:"k"`             // size of the smallest class
	MaxFrequency float64 `json:"max_frequency"` // largest share of one value in a class
	FrequencyL   int     `json:"frequency_l"`   // l that this share keeps
	DistinctL    int     `json:"distinct_l"`    // fewest values in a class; the p of p-sensitive
	EntropyL     float64 `json:"entropy_l"`     // exp of the smallest entropy
	RecursiveC   float64 `json:"recursive_c"`
	RecursiveL   int     `json:"recursive_l"` // l of (c,l) with this c
	T            float64 `json:"t_equal"`     // t-closeness to the whole table, equal distances
}

// defaultC is the c of recursive diversity that is reported if none was asked for.
const defaultC = 3

// achieved measures classes by their bags; all is the bag of the whole table,
// the reference of t-closeness. Cost: the different values of all classes, and
// for recursive l their sort.
func achieved(bags []equivclass.Bag, all equivclass.Bag, c float64) Achieved {
	out := Achieved{RecursiveC: c}
	if len(bags) == 0 {
		return out
	}
	out.K, out.DistinctL, out.RecursiveL = math.MaxInt, math.MaxInt, math.MaxInt
	entropy := math.Inf(1)
	for _, b := range bags {
		out.K = min(out.K, b.Total)
		out.MaxFrequency = max(out.MaxFrequency, float64(b.Max())/float64(b.Total))
		out.DistinctL = min(out.DistinctL, len(b.Counts))
		out.RecursiveL = min(out.RecursiveL, recursiveL(b, c))
		entropy = min(entropy, equivclass.Entropy(b))
		out.T = max(out.T, variation(b, all))
	}
	out.FrequencyL = int(1/out.MaxFrequency + 1e-9)
	out.EntropyL = math.Exp(entropy)
	return out
}

// variation is the earth mover's distance of two distributions where all values
// are equally far apart: half the sum of the differences of their shares (Li, Li
// and Venkatasubramanian, ICDE 2007, section 4.2).
func variation(b, all equivclass.Bag) float64 {
	rest := 1.0 // share in all of the values that b lacks
	sum := 0.0
	for _, x := range b.Counts {
		i, _ := slices.BinarySearchFunc(all.Counts, x.Code, func(y equivclass.Count, c equivclass.Code) int { return int(y.Code) - int(c) })
		q := 0.0
		if i < len(all.Counts) && all.Counts[i].Code == x.Code {
			q = float64(all.Counts[i].N) / float64(all.Total)
		}
		sum += math.Abs(float64(x.N)/float64(b.Total) - q)
		rest -= q
	}
	return (sum + max(0, rest)) / 2
}

// askedC is the c of the first recursive principle of a list.
func askedC(extra []equivclass.Principle) float64 {
	for _, p := range extra {
		if r, ok := p.(equivclass.RecursiveL); ok {
			return r.C
		}
	}
	return defaultC
}

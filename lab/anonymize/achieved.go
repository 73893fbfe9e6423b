package anonymize

import (
	"math"

	"anond/equivclass"
)

// Achieved has, for each principle, the parameter that every class of a release
// satisfies, whether it was asked for or not.
type Achieved struct {
	K            int     `json:"k"`             // size of the smallest class
	MaxFrequency float64 `json:"max_frequency"` // largest share of one value in a class
	FrequencyL   int     `json:"frequency_l"`   // l that this share keeps
	DistinctL    int     `json:"distinct_l"`    // fewest values in a class; the p of p-sensitive
	EntropyL     float64 `json:"entropy_l"`     // exp of the smallest entropy
	RecursiveC   float64 `json:"recursive_c"`
	RecursiveL   int     `json:"recursive_l"` // l of (c,l) with this c
	// T is t-closeness to the whole table, by each ground distance that fits.
	T []closeness `json:"t"`
}

// closeness is the largest distance of a class from the whole table.
type closeness struct {
	Ground string  `json:"ground"`
	T      float64 `json:"t"`
}

// defaultC is the c of recursive diversity that is reported if none was asked for.
const defaultC = 3

// achieved measures classes by their bags; all is the bag of the whole table,
// the reference of t-closeness. Cost: the different values of all classes, and
// for recursive l their sort.
func achieved(bags []equivclass.Bag, all equivclass.Bag, c float64, by []equivclass.Ground) Achieved {
	out := Achieved{RecursiveC: c, T: make([]closeness, len(by))}
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
		for i, g := range by {
			out.T[i] = closeness{g.Name(), max(out.T[i].T, g.Distance(b, all))}
		}
	}
	out.FrequencyL = int(1/out.MaxFrequency + 1e-9)
	out.EntropyL = math.Exp(entropy)
	return out
}

// CheckGround checks whether a ground distance fits the sensitive attribute.
func CheckGround(s *equivclass.Schema, name string) error {
	_, err := equivclass.GroundOf(s.Attributes()[s.SensitiveIndex()], name)
	return err
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
